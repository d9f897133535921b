"""What users said of themselves is answered from the conversation, and what they corrected wins."""

import pytest

from lessons.evaluate.golden import golden_questions
from lessons.keyless.condense import compress
from lessons.keyless.conversation import NOT_TOLD, REPLIES, asks_back, recalled
from lessons.keyless.facts import states_only
from lessons.keyless.intent import intent, small_talk
from lessons.keyless.llm import OfflineLLM

SHOP = "user: We are a bakery with 9 employees.\nuser: What does the small plan cost?\nassistant: 20 euros [1]."
CORRECTED = f"{SHOP}\nuser: Sorry, I was mistaken: we are on Premium, and we have 12 employees."
KOREAN = (
    "user: 저희는 직원이 7명이고 작은 요금제를 씁니다.\nuser: 결제는 언제 하나요?\n"
    "user: 정정할게요. 둘이 더 들어와서 직원이 9명이에요."
)


@pytest.mark.parametrize(
    ("question", "memory", "said"),
    [
        ("What kind of shop are we?", SHOP, "bakery"),
        ("Which plan are we on?", CORRECTED, "on: Premium"),
        ("And how many employees do we have?", CORRECTED, "12 employees"),
        ("우리 직원이 몇 명이죠?", KOREAN, "9명"),
        ("제가 어떤 계약으로 산다고 했죠?", "user: 저는 연간 계약으로 삽니다.", "연간 계약"),
        ("그리고 무슨 알레르기가 있다고 했죠?", "user: 저는 복숭아 알레르기가 있어요.", "복숭아"),
    ],
)
def test_what_users_said_last_of_themselves_answers(question: str, memory: str, said: str) -> None:
    assert said in (recalled(question, memory) or "")


def test_another_place_is_not_where_they_are() -> None:
    assert recalled("Which city are we in?", "user: We are on Premium.") is None


@pytest.mark.parametrize("question", ["How long is a shift?", "예방주사는 언제 맞나요?"])
def test_a_question_with_a_subject_of_its_own_carries_nothing_over(question: str) -> None:
    turns = [("user", "What does the small plan of Alder Bakery cost?"), ("assistant", "20 euros [1].")]
    assert compress(OfflineLLM(), question, turns) == question


TALK = """user: 우리 예산은 $10,000이야
assistant: 기억해 두겠습니다: 예산: $10,000.
user: 우리는 AWS를 써
user: 저는 당뇨가 있고 메트포르민을 먹어요
user: My name is Mina.
user: 11월 분석해줘
assistant: 11월 비용은 12,500달러입니다.
user: EC2 비용 줄이는 방법?
assistant: 예약 인스턴스를 쓰면 됩니다."""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("what is my name", "Mina"),
        ("제 이름이 뭐예요?", "Mina"),
        ("내 예산이 얼마라고 했지?", "$10,000"),
        ("What was our budget again?", "$10,000"),
        ("우리가 쓰는 클라우드가 뭐였지?", "AWS"),
        ("Which cloud do we use?", "AWS"),
        ("제가 먹는 약이 뭐라고 했죠?", "메트포르민"),
        ("아까 그거 다시 알려줘", "예약 인스턴스"),
        ("Say that again, please.", "예약 인스턴스"),
        ("뭐하던 중이었지?", "11월"),
        ("what were we doing", "11월"),
        ("summarise what we talked about", "11월"),
        ("대화 내용 요약해 줘", "11월"),
        ("what was the first thing I asked", "$10,000"),
        ("Which question did I ask you first?", "$10,000"),
        ("내가 처음에 뭐라고 물었지?", "$10,000"),
        ("제 첫 질문이 뭐였죠?", "$10,000"),
    ],
)
def test_a_question_about_the_conversation_is_answered_from_it(question: str, said: str) -> None:
    assert said in (recalled(question, TALK) or "")


@pytest.mark.parametrize(
    "question",
    ["what is my name", "내 예산이 얼마라고 했지?", "아까 그거 다시 알려줘", "뭐하던 중이었지?", "what were we doing"],
)
def test_what_was_not_said_is_refused_and_not_searched_for(question: str) -> None:
    assert asks_back(question)
    assert small_talk(None, question) in NOT_TOLD.values()
    assert intent(None, question) == {"intent": "chat"}


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("약 먹어요", "약"),
        ("임신 중이에요", "임신 중"),
        ("우리는 AWS를 써", "AWS"),
        ("저희 회사는 비즈니스 요금제를 써요", "비즈니스 요금제"),
        ("와파린 복용하고 있습니다", "와파린"),
        ("our budget is $10,000", "$10,000"),
        ("우리 예산은 $10,000이야", "$10,000"),
        ("I am pregnant", "pregnant"),
        ("I take warfarin", "warfarin"),
        ("we use AWS", "AWS"),
    ],
)
def test_a_statement_is_acknowledged_with_what_it_says(said: str, value: str) -> None:
    assert [fact.value for fact in states_only(said)] == [value]
    assert value in (recalled(said, "") or "")
    assert intent(None, said) == {"intent": "chat"}


@pytest.mark.parametrize(
    "said",
    [
        "My name is Mina. How many days does a refund take?",
        "I have a question",
        "I have an error",
        "I want to cancel my subscription.",
        "모바일 앱 있어요",
        "이 약 먹어도 되나요",
        "동생이 뇌전증이 있어요.",
    ],
)
def test_what_is_more_than_a_statement_or_none_is_not_acknowledged(said: str) -> None:
    assert recalled(said, "") is None


@pytest.mark.parametrize("question", ["What should I do first?", "Which step comes first?", "처음에 뭐 해요?"])
def test_what_comes_first_is_a_question_about_the_documents(question: str) -> None:
    assert not asks_back(question)
    assert recalled(question, TALK) is None


@pytest.mark.parametrize("split", ["dev"])
def test_no_golden_question_about_the_documents_is_taken_for_one_about_the_conversation(split: str) -> None:
    questions = [each.question for each in golden_questions(split)]
    assert questions
    assert not [text for text in questions if asks_back(text) or recalled(text, TALK)]


@pytest.mark.parametrize("said", ["안녕하세요", "감사합니다", "고마워요!", "Thanks a lot!", "hello"])
def test_thanks_and_greetings_after_any_subject_get_no_subject(said: str) -> None:
    turns = [("user", "누리벌해운 2024년 2분기 영업이익은?"), ("assistant", "12억 원입니다 [1].")]
    assert compress(OfflineLLM(), said, turns) == said
    assert recalled(said, TALK) in {reply for kind in REPLIES.values() for reply in kind.values()}
    assert recalled(f"{said} How long does a refund take?", TALK) is None
