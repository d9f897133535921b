"""The two simplest memories: none, and the last turns."""

from lessons.memory.conversation import Memory, NoMemory, Recollection, Window
from lessons.memory.messages import SessionMessages
from lessons.settings import settings


def test_without_memory_every_question_is_the_first_one() -> None:
    memory: Memory = NoMemory()
    memory.remember("question", "answer")
    assert memory.recall("and then?") == Recollection()


def test_a_window_recalls_the_last_turns() -> None:
    memory: Memory = Window(SessionMessages(), turns=2)
    for number in range(3):
        memory.remember(f"question {number}", f"answer {number}")
    assert memory.recall("and then?").history == (
        ("user", "question 1"),
        ("assistant", "answer 1"),
        ("user", "question 2"),
        ("assistant", "answer 2"),
    )


def test_a_window_is_five_turns_wide_unless_told_otherwise() -> None:
    memory = Window(SessionMessages())
    for number in range(7):
        memory.remember(str(number), str(number))
    assert len(memory.recall("and then?").history) == 2 * settings().history_turns == 10


def test_what_was_asked_first_is_recalled_when_somebody_asks_for_it() -> None:
    memory = Window(SessionMessages(), turns=1)
    for number in range(3):
        memory.remember(f"question {number}", f"answer {number}")
    recalled = memory.recall("What was the first thing I asked?")
    assert (len(recalled.history), recalled.memory) == (2, "user: question 0")


def test_a_recollection_costs_the_tokens_of_its_messages_and_of_what_else_is_known() -> None:
    assert Recollection((("user", "hello"), ("assistant", "안녕하세요")), "hello").tokens == 8
