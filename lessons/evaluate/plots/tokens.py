"""How far the token estimate is off, text by text."""

from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from lessons.evaluate.plots.canvas import canvas
from lessons.models.tokens import TokenCounter, TokenEstimator

COLOUR = "#4c78a8"

TEXTS = {
    "English": (
        "The budget is checked every hour, and a warning goes out at eighty per cent.",
        "Please send me the invoice for March before Friday.",
        "Revenue rose by 4.2% to 318 million euros; the order book fell slightly.",
        "I am allergic to penicillin. Which of these leaflets applies to me?",
    ),
    "Korean": (
        "예산은 한 시간마다 점검하고, 80퍼센트를 넘으면 알림을 보냅니다.",
        "3월 청구서를 금요일까지 보내 주세요.",
        "매출은 4.2% 늘어 3,180억 원이 되었고 수주 잔고는 조금 줄었습니다.",
        "저는 페니실린 알레르기가 있어요. 어떤 안내문을 봐야 하나요?",
    ),
    "mixed": (
        "EC2 인스턴스의 CPU 사용률이 70%를 넘으면 alert를 보냅니다.",
        "이번 sprint에서 billing API를 v2로 옮기고 release note를 씁니다.",
        "지난 quarter의 gross margin은 31.5%였습니다. Please check p. 4.",
        "dashboard에서 Export를 누르면 CSV 파일이 다운로드됩니다.",
    ),
    "code": (
        "SELECT id, content FROM messages WHERE session_id = %(session)s ORDER BY id DESC LIMIT 10;",
        "def mean(values: list[float]) -> float:\n    return sum(values) / len(values)\n",
        '{"status": "COMPLETED", "chunks": 42, "files": ["a.pdf", "b.docx"]}',
        "for (let i = 0; i < rows.length; i++) { total += rows[i].cost ?? 0; }",
    ),
    "emoji": (
        "Great work 👍🏽👏🏿🎉 see you on Monday!",
        "여행지: 🇰🇷 🇩🇪 🇧🇷 🇳🇿",
        "👩‍👩‍👧‍👦 👨🏾‍💻 🏳️‍🌈 🧑🏻‍🤝‍🧑🏿",
        "비가 와요 ☔️ 우산 챙기세요 ☂️🙏",
    ),
}
"""Texts of our own for each kind of writing; the emoji have skin tones, flags, and faces joined to one by U+200D."""


@dataclass(frozen=True)
class Estimate:
    """One text with its estimated and its exact number of tokens."""

    kind: str
    text: str
    estimated: int
    exact: int

    @property
    def error(self) -> float:
        """The share by which the estimate is too high: 0.5 is half too many, -0.5 half too few."""
        return self.estimated / self.exact - 1


def estimates(exact: TokenCounter) -> list[Estimate]:
    """Every text counted both ways."""
    estimate = TokenEstimator().count
    return [Estimate(kind, text, estimate(text), exact.count(text)) for kind, texts in TEXTS.items() for text in texts]


def plot_token_error(found: list[Estimate]) -> Figure:
    """The error of each estimate, by kind of text; the bar is the error of all texts of a kind together."""
    kinds = list(dict.fromkeys(each.kind for each in found))
    figure, axes = canvas(6, 0.6 * len(kinds) + 1.4)
    for place, kind in enumerate(kinds):
        own = [each for each in found if each.kind == kind]
        together = sum(each.estimated for each in own) / sum(each.exact for each in own) - 1
        axes.barh(place, 100 * together, color=COLOUR, alpha=0.4)
        axes.scatter([100 * each.error for each in own], np.full(len(own), place), color=COLOUR, zorder=2)
    axes.set_yticks(range(len(kinds)), kinds)
    axes.invert_yaxis()
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlabel("estimated against exact tokens (%): too few on the left, too many on the right")
    axes.set_title("How far the token estimate is off")
    return figure
