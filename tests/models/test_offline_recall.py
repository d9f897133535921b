"""What users said of themselves is answered from the conversation, and what they corrected wins."""

import pytest

from lessons.keyless.followups import compress
from lessons.keyless.recall import recalled

SHOP = "user: We are a bakery with 9 employees.\nuser: What does the small plan cost?\nassistant: 20 euros [1]."
CORRECTED = f"{SHOP}\nuser: Sorry, I was mistaken: we are on Premium, and we have 12 employees."
KOREAN = (
    "user: 저희는 직원이 7명이고 작은 요금제를 씁니다.\nuser: 결제는 언제 하나요?\n"
    "user: 정정할게요. 둘이 더 들어와서 직원이 9명이에요."
)


@pytest.mark.parametrize(
    ("question", "memory", "said"),
    [
        ("What kind of shop are we?", SHOP, "a bakery"),
        ("Which plan are we on?", CORRECTED, "on Premium"),
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
    assert compress(None, question, turns) == question
