"""Verdicts: correctness, refusals, groundedness, evidence – and whether a person would agree."""

import math
import random
from dataclasses import dataclass, field

import pytest

from lessons.evaluate.golden import SPLITS, Evidence, golden_questions, json_lines
from lessons.evaluate.judge.agreement import JUDGED, LABELS, agreement, labelled, validate
from lessons.evaluate.judge.judge import Verdict, is_unanswerable, judge, judge_text
from lessons.models.keyless import NOT_FOUND
from lessons.rag.answer import Answer
from lessons.rag.context import citations
from lessons.rag.prompts import REFUSALS
from lessons.rag.served_words import is_refusal
from lessons.rag.types import Context, RetrievedDocument


@dataclass(frozen=True)
class Asked:
    question: str = "How much was turnover in Q2 2024?"
    category: str = "fact"
    answer: str = "Turnover was £125.2 million in Q2 2024."
    key_facts: tuple[str, ...] = ("£125.2 million",)
    evidence: tuple[Evidence, ...] = field(default=())


REPORT = RetrievedDocument(
    "a", "Turnover of the quarter grew by 11.4% and\nreached £125.2 million.", 0.9, "reports/thornbury-2024-q2.pdf",
    {"page_number": 1},
)  # fmt: skip
TABLE = RetrievedDocument("b", "| £ million | Q2 2024 |\n| Turnover | 125.2 |", 0.8, "reports/summary.md")
KOREAN = RetrievedDocument("c", "2024년 2분기 매출은 1억 2,520만 파운드로 늘었습니다.", 0.7, "ko.md")
UNANSWERABLE = Asked("What does the chief executive earn?", "unanswerable", "The documents do not say.", ())


def answered(text: str, *documents: RetrievedDocument) -> Answer:
    context = Context("", documents or (REPORT, TABLE, KOREAN))
    return Answer("?", "naive", "test", text, True, citations=citations(text, context), context=context)


@pytest.mark.parametrize(
    ("text", "correctness"),
    [
        ("It reached £125.2m [1].", 1.0),
        ("1억 2,520만 파운드입니다 [3].", 1.0),
        ("It was £125.2 million in Q2 2023 [1].", 0.0),
        ("The yard built two cranes for £125.2 million [1].", 0.0),
        ("It was £112.4 million or £125.2 million [1].", 0.5),
        ("It was £99.1, £104.2, £108.8, £112.4 or £125.2 million [1].", 0.5),
        ("In rooms 3, 5, 7 and 9 it was £125.2 million [1].", 1.0),
        ("It was £112.4 million [1].", 0.0),
        (NOT_FOUND["en"], 0.0),
        ("", 0.0),
    ],
)
def test_correctness_follows_the_key_facts(text: str, correctness: float) -> None:
    assert judge(Asked(), answered(text)).correctness == correctness


def test_a_figure_beside_last_years_is_not_hedging() -> None:
    text = "Turnover grew from £112.4 million to £125.2 million; operating profit was £14.0 million [1]."
    assert judge(Asked(), answered(text)).correctness == 1.0


def test_some_of_several_facts_are_partly_right_and_one_of_four_is_not() -> None:
    golden = Asked("Price and users of Business?", answer="249 dollars, 25 users", key_facts=("$249", "25 users|25명"))
    assert judge_text(golden, "월 249달러이고 사용자 25명이 포함됩니다.")[0] == 1.0
    assert judge_text(golden, "It costs 249 dollars.")[0] == 0.5
    assert judge_text(golden, "It costs 249 dollars. The documents do not give the number of users.")[0] == 0.5
    four = Asked("Which sites?", answer="Leith, Yarm, Goole, Hull.", key_facts=("Leith", "Yarm", "Goole", "Hull"))
    assert [judge_text(four, text)[0] for text in ("Leith.", "Leith, Yarm.", "Hull, Goole, Yarm, Leith.")] == [
        0,
        0.5,
        1,
    ]


def test_with_several_key_facts_the_rest_of_the_reference_belongs_to_a_right_answer() -> None:
    reference = "Team costs 65 dollars, Business costs 330 dollars, so the difference is 265 dollars."
    golden = Asked("How far apart are Team and Business?", answer=reference, key_facts=("$65", "$330"))
    assert judge_text(golden, "Team costs 65 dollars and Business 330 dollars.")[0] == 0.5
    assert judge_text(golden, "Team is 65 dollars, Business 330 dollars: a difference of 265 dollars.")[0] == 1.0


def test_the_rest_of_the_reference_may_be_said_in_other_words_and_spread_over_sentences() -> None:
    reference = "The card is tried again after 7 days, then the workspace becomes read-only while imports go on."
    golden = Asked("What happens when our card is refused?", answer=reference, key_facts=("7 days", "read-only"))
    assert judge_text(golden, "We try again after 7 days. Then it is read-only. Imports continue.")[0] == 1.0
    assert judge_text(golden, "We try again after 7 days. Then it is read-only.")[0] == 0.5


def test_one_of_three_facts_is_partly_right_and_a_single_one_needs_nothing_beside_it() -> None:
    three = Asked("Which sites?", answer="Leith, Yarm, Goole.", key_facts=("Leith", "Yarm", "Goole"))
    assert judge_text(three, "Leith.")[0] == 0.5
    single = Asked("Who pays?", answer="The owner pays, since the lease says so in clause 7.", key_facts=("owner",))
    assert judge_text(single, "The owner.")[0] == 1.0


def test_a_list_with_one_unit_behind_it_offers_a_choice() -> None:
    golden = Asked("매출은 얼마였나요?", answer="매출은 254억 원이었습니다.", key_facts=("254억 원",))
    assert judge_text(golden, "매출은 254억 원이었습니다.")[0] == 1.0
    assert judge_text(golden, "매출은 94억, 153억, 201억, 254억 원이었습니다.")[0] == 0.5


def test_a_refusal_is_right_where_the_reference_is_one() -> None:
    golden = Asked("What does the chief executive earn?", "fact", "The documents do not say.", ())
    assert judge_text(golden, "The documents do not say it.") == (1.0, True)
    assert judge_text(golden, "She earns £2 million.") == (0.0, False)


def test_to_say_nothing_is_not_to_say_no() -> None:
    assert judge_text(Asked("What does it cost?", "unanswerable", "The documents do not say.", ()), " ") == (0.0, False)


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("The pump was rated at 40 bar and measured at 38 bar [1].", 1.0),
        ("It was measured at 38 bar, and rated at 40 bar [1].", 1.0),
        ("The pump was rated at 38 bar and measured at 40 bar [1].", 0.0),
        ("It was measured at 40 bar. Rated was 38 bar [1].", 0.0),
        ("Rated: 40 bar [1].", 0.5),
    ],
)
def test_facts_that_have_changed_places_are_wrong(answer: str, right: float) -> None:
    asked, reference = "What was the pump rated at, and what was measured?", "Rated at 40 bar, measured at 38 bar."
    golden = Asked(asked, answer=reference, key_facts=("40 bar", "38 bar"))
    assert judge_text(golden, answer)[0] == right


def test_a_refusal_that_only_nearly_states_a_fact_is_wrong() -> None:
    golden = Asked("앱에서 승인할 수 있나요?", answer="아니요. 앱에서 승인할 수 없습니다.", key_facts=("승인할 수 없",))
    assert judge_text(golden, "문서에서 이 질문에 대한 답을 찾을 수 없습니다.") == (0.0, True)
    assert judge_text(golden, "앱에서는 승인할 수 없습니다.")[0] == 1.0


def test_without_key_facts_the_words_of_the_reference_count() -> None:
    reference = "A fire at the paint shop stopped deliveries for five weeks."
    golden = Asked("Why was guidance cut?", "summary", reference, ())
    assert judge_text(golden, "Because deliveries stopped for five weeks after a fire at the paint shop.")[0] == 1.0
    assert judge_text(golden, "Because a fire stopped deliveries.")[0] == 0.5
    assert judge_text(golden, "Because wages rose.")[0] == 0.0


def test_correctness_against_a_long_reference_without_key_facts_is_not_reported() -> None:
    golden = Asked("What happened?", "all", " ".join(f"word{n}" for n in range(31)), ())
    assert math.isnan(judge_text(golden, golden.answer)[0])


STORES = Asked(
    "How many stores did Brightmoor close in 2023?", "number", "In 2023 Brightmoor closed 18 stores.", ("18",)
)
BRANCHES = Asked(
    "브라이트무어는 2023년에 매장을 몇 곳 닫았나요?", "number", "2023년에 매장 18곳을 닫았습니다.", ("18",)
)


@pytest.mark.parametrize(
    ("golden", "text", "correctness"),
    [
        (STORES, "18 [1].", 1.0),
        (STORES, "Brightmoor closed 18 stores in 2023, Kettlebrook 5 [1].", 1.0),
        (STORES, "In 2023 Kettlebrook closed 18 stores [1].", 0.0),
        (STORES, "Kettlebrook's stores closed in 2023: 18 [1].", 0.0),
        (STORES, "Brightmoor closed 18 stores in 2022 [1].", 0.0),
        (STORES, "Brightmoor closed 18% of its stores [1].", 0.0),
        (STORES, "Brightmoor closed 18 million stores [1].", 0.0),
        (BRANCHES, "18곳입니다 [1].", 1.0),
        (BRANCHES, "2022년에 매장 18곳을 닫았습니다 [1].", 0.0),
        (BRANCHES, "매장의 18%를 닫았습니다 [1].", 0.0),
        (BRANCHES, "공장 임직원 18명은 여름에 휴가를 갑니다 [1].", 0.0),
    ],
)
def test_a_figure_of_another_entity_period_or_kind_does_not_pass(golden: Asked, text: str, correctness: float) -> None:
    assert judge_text(golden, text)[0] == correctness


def test_a_number_whose_unit_is_never_named_is_nearly_stated() -> None:
    golden = Asked(key_facts=("125.2",))
    assert judge_text(golden, "Turnover, Q2 2024: 125.2 [2].")[0] == 0.5
    assert judge_text(golden, "Turnover (£ million), Q2 2024: 125.2 [2].")[0] == 1.0


def test_an_identifier_with_capitals_is_not_taken_for_the_name_of_something_else() -> None:
    golden = Asked(
        "What do I call the role for Altis?", answer="AcmeReadRole-Single", key_facts=("AcmeReadRole-Single",)
    )
    assert judge_text(golden, "The role is called AcmeReadRole-Single [1].")[0] == 1.0
    assert judge_text(golden, "The role of Borealis is called AcmeReadRole-Single [1].")[0] == 0.0


def test_a_korean_particle_ends_a_unit_and_a_quarter() -> None:
    golden = Asked("Q3에 새싹은 몇 cm였나요?", answer="Q3에 새싹은 5cm였습니다.", key_facts=("5cm",))
    assert judge_text(golden, "Q3는 새싹이 5cm를 넘지 않은 5cm입니다.")[0] == 1.0
    assert judge_text(golden, "Q2는 새싹이 5cm입니다.")[0] == 0.0


@pytest.mark.parametrize(
    "text",
    [
        *sorted(REFUSALS),
        "I'm sorry, but I couldn't find any information about this in the provided documents.",
        "The provided context does not mention the salary.",
        "There is no information on executive pay in the passages.",
        "I don't know.",
        "None of the retrieved documents covers this.",
        "The reports mention her but do not disclose her pay. They list the revenue instead [1].",
        "제공된 문서에는 해당 내용이 없습니다.",
        "죄송하지만 주어진 자료에서 관련 정보를 찾을 수 없습니다.",
        "문서에 연봉이 언급되어 있지 않습니다.",
        "그 내용은 알 수 없습니다.",
        "주어진 보고서만으로는 파악하기 어렵습니다.",
        "That isn't covered by the material I was given.",
    ],
)
def test_refusals_are_recognised_and_right_exactly_when_nothing_is_there_to_be_said(text: str) -> None:
    assert judge(UNANSWERABLE, answered(text)) == Verdict(1.0, 1.0, True, False)
    assert judge(Asked(), answered(text)) == Verdict(0.0, 1.0, True, False)


@pytest.mark.parametrize(
    "text",
    [
        "Invoices are not sent to members [1].",
        "Reports do not include tax [1].",
        "결제 정보가 없으면 연결이 중지됩니다 [1].",
        "알 수 없는 오류가 나면 다시 연결하십시오 [1].",
        "세금계산서를 발행하지 않습니다 [1].",
        "The order book stood at £423.9 million [1]. The documents do not give the margin.",
    ],
)
def test_a_no_in_the_matter_is_not_a_refusal(text: str) -> None:
    assert not is_refusal(text)
    assert judge(UNANSWERABLE, answered(text)).correctness == 0.0


@pytest.mark.parametrize(
    ("text", "grounded"),
    [
        ("Turnover grew by 11.4% and reached £125.2 million [1].", 1.0),
        ("Turnover reached £125.2 million. [1]", 1.0),
        ("Turnover in Q2 2024 was £125.2 million [2].", 1.0),
        ("Turnover grew by 12.4% [1].", 0.0),
        ("Turnover grew by £11.4 million [1].", 0.0),
        ("Turnover grew quickly to £125.2 million [1].", 1.0),
        ("The turnover of happy old painters was £125.2 million [1].", 0.0),
        ("The figures are:\nTurnover reached £125.2 million [1].", 1.0),
        ("Turnover grew by 11.4%.", 0.0),
        ("Turnover grew by 11.4% [7].", 0.0),
        ("Turnover reached £125.2 million [1]. The weather was fine [1].", 0.5),
        ("Turnover reached £125.2 million in 2024 [1]. It fell in 2023 [1].", 0.5),
        ("2분기 매출은 1억 2,520만 파운드였습니다 [1].", 1.0),
        ("매출이 좋아졌습니다 [1].", 0.0),
    ],
)
def test_a_sentence_is_grounded_when_a_passage_that_it_cites_holds_it(text: str, grounded: float) -> None:
    assert judge(Asked(), answered(text)).grounded == grounded


@pytest.mark.parametrize(
    ("figure", "grounded"), [("40 euros", 1.0), ("40", 1.0), ("40%", 0.0), ("40 dollars", 0.0), ("40 days", 0.0)]
)
def test_a_figure_is_grounded_with_its_unit(figure: str, grounded: float) -> None:
    fees = RetrievedDocument("a", "The fee is 40 euros for residents of the town.", 0.9, "fees.md")
    answer = answered(f"The fee is {figure} for residents of the town [1].", fees)
    assert judge(Asked(), answer).grounded == grounded


@pytest.mark.parametrize(("code", "grounded"), [("ERR-104", 1.0), ("ERR-10", 0.0)])
def test_a_part_of_an_identifier_is_not_grounded_in_the_whole(code: str, grounded: float) -> None:
    codes = RetrievedDocument("a", "The gate reports ERR-104 when the card is not read.", 0.9, "codes.md")
    answer = answered(f"The gate reports {code} when the card is not read [1].", codes)
    assert judge(Asked(), answer).grounded == grounded


@pytest.mark.parametrize(
    ("text", "content", "source"),
    [
        ("Install version 2.3.1-beta on the server", "Install version 2.3.1-beta on the server.", "a.md"),
        ("Call utf8_decode before saving the file", "Call utf8_decode before saving the file.", "a.md"),
        ("Printers have 10.0.0.1-10.0.0.9", "Printers have 10.0.0.1-10.0.0.9.", "a.md"),
        ("The MX-450 pump weighs 3 kg", "The pump weighs 3 kg.", "mx-450_manual.md"),
        ("The MX-450 pump weighs 3 kg", "The _MX-450_ pump weighs 3 kg.", "a.md"),
    ],
)
def test_an_identifier_is_grounded_in_its_own_words_and_in_the_name_of_a_file(
    text: str, content: str, source: str
) -> None:
    passage = RetrievedDocument("a", content, 0.9, source)
    assert judge(Asked(), answered(f"{text} [1].", passage)).grounded == 1.0


def test_a_right_answer_from_elsewhere_is_reported() -> None:
    golden = Asked(evidence=(Evidence("thornbury-2024-q2.pdf", "grew by 11.4% and reached", 1),))
    assert not judge(golden, answered("£125.2 million [1].")).right_answer_wrong_evidence
    assert judge(golden, answered("£125.2 million [2].")).right_answer_wrong_evidence
    assert judge(golden, answered("£125.2 million.")).right_answer_wrong_evidence
    assert not judge(golden, answered("£99 million [2].")).right_answer_wrong_evidence


@pytest.mark.parametrize(
    ("file", "quote", "page", "cited", "astray"),
    [
        ("thornbury-2024-q2.pdf", "words of elsewhere", 1, 1, False),
        ("thornbury-2024-q2.pdf", "words of elsewhere", 2, 1, True),
        ("thornbury-2024-q2.pdf", "words of elsewhere", None, 1, True),
        ("summary.md", "words of elsewhere", None, 2, True),
        ("summary.md", "Turnover | 125.2", None, 2, False),
    ],
)
def test_the_evidence_is_cited_by_its_page_or_by_its_words(
    file: str, quote: str, page: int | None, cited: int, astray: bool
) -> None:
    golden = Asked(evidence=(Evidence(file, quote, page),))
    assert judge(golden, answered(f"£125.2 million [{cited}].")).right_answer_wrong_evidence is astray


@pytest.mark.parametrize(("page", "astray"), [(1, True), (2, False)])
def test_the_page_of_a_citation_is_that_of_its_quote(page: int, astray: bool) -> None:
    known = {"page_number": 1, "page_starts": [[0, 1], [len("The yard is closed.\n\n"), 2]]}
    both = RetrievedDocument("a", f"The yard is closed.\n\n{REPORT.content}", 0.9, REPORT.source, known)
    golden = Asked(evidence=(Evidence("thornbury-2024-q2.pdf", "words of elsewhere", page),))
    assert judge(golden, answered("It reached £125.2 million [1].", both)).right_answer_wrong_evidence is astray


def test_a_right_answer_may_rest_on_any_place_of_the_evidence() -> None:
    table = Evidence("summary.md", "£ million Q2 2024 … Turnover 125.2")
    golden = Asked(evidence=(Evidence("thornbury-2024-q2.pdf", "grew by 11.4% and reached", 1, any_of=(table,)),))
    assert not judge(golden, answered("£125.2 million [1].")).right_answer_wrong_evidence
    assert not judge(golden, answered("£125.2 million [2].")).right_answer_wrong_evidence
    assert judge(golden, answered("£125.2 million [3].")).right_answer_wrong_evidence


def test_kappa_is_that_of_the_textbook() -> None:
    table = {("yes", "yes"): 20, ("yes", "no"): 5, ("no", "yes"): 10, ("no", "no"): 15}
    found = agreement(pair for pair, times in table.items() for _ in range(times))
    assert found.kappa == pytest.approx(0.4)
    assert (found.n, found.confusion) == (50, table)


def test_raters_who_know_one_label_only_agree() -> None:
    assert agreement([("right", "right")] * 3).kappa == 1.0


def test_the_interval_of_kappa_holds_it_and_narrows_with_more_pairs() -> None:
    pairs = [("yes", "yes")] * 8 + [("yes", "no")] * 2 + [("no", "no")] * 8 + [("no", "yes")] * 2
    few, many = agreement(pairs), agreement(pairs * 10)
    assert few.interval[0] < few.kappa < few.interval[1]
    assert many.interval[1] - many.interval[0] < (few.interval[1] - few.interval[0]) / 2


def test_the_errors_of_a_judge_have_a_direction() -> None:
    found = agreement([("partly", "right"), ("wrong", "right"), ("right", "wrong"), ("right", "right")])
    assert found.errors() == {"too generous": 2, "too strict": 1}


@pytest.mark.parametrize(
    ("split", "least"),
    [("outputs_second_frozen", 80), ("outputs_second_dev", 80), ("outputs_frozen", 60), ("test", 60)],
)
def test_the_labelled_answers_cover_both_languages_and_all_labels(split: str, least: int) -> None:
    pairs = labelled(split)
    assert len(pairs) >= least
    assert {pair.verdict for pair in pairs} == set(LABELS.values())
    assert min(sum(pair.language == language for pair in pairs) for language in ("en", "ko")) >= 25


@pytest.mark.parametrize(
    ("tuned_on", "held_out"),
    [("dev", "test"), ("outputs_dev", "outputs_frozen"), ("outputs_second_dev", "outputs_second_frozen")],
)
def test_no_question_is_in_both_halves_of_the_labelled_answers(tuned_on: str, held_out: str) -> None:
    assert not {pair.question for pair in labelled(tuned_on)} & {pair.question for pair in labelled(held_out)}


def test_the_judge_does_not_get_worse_on_answers_that_were_chosen_to_break_it() -> None:
    assert validate("hard").kappa >= 0.55


def test_the_judge_agrees_with_its_own_author() -> None:
    assert validate("test").kappa >= 0.8


def test_the_judge_agrees_with_a_rater_who_had_not_read_it() -> None:
    found = validate("outputs_second_frozen")
    assert found.kappa >= 0.8
    generous, strict = found.errors().values()
    assert abs(generous - strict) <= 4  # it neither flatters nor punishes every stage


def test_the_judge_agrees_less_with_two_raters_about_a_models_own_words_than_they_do_with_each_other() -> None:
    for name in ("outputs_recorded_frozen", "outputs_recorded_other"):
        raters = agreement((row["verdict"], row["second"]) for row in json_lines(JUDGED / f"{name}.jsonl"))
        assert 0.5 <= validate(name).kappa < 0.9 <= raters.kappa


def test_the_answer_to_one_question_is_hardly_ever_right_for_another() -> None:
    asked = [golden for golden in golden_questions("dev") if golden.key_facts and not is_unanswerable(golden)]
    pairs = [(one, other) for one in asked for other in asked if one.answer != other.answer]
    drawn = random.Random(0).sample(pairs, 1_000)
    assert sum(judge_text(one, other.answer)[0] > 0 for one, other in drawn) <= 10


@pytest.mark.parametrize("split", SPLITS)
def test_the_reference_answer_of_every_golden_question_is_judged_right(split: str) -> None:
    wrong = [golden.id for golden in golden_questions(split) if judge_text(golden, golden.answer)[0] < 1.0]
    assert not wrong
