"""The menus of the product, from a data file, chosen for a question that its documents do not answer (row E7)."""

import json
import math
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lessons.errors import LessonsError
from lessons.settings import ROOT, settings
from lessons.text import language, terms

MENUS = ROOT / "data" / "copilot" / "menus.jsonl"


@dataclass(frozen=True)
class Menu:
    """A place in the product and what it is about, each in English (`en`) and Korean (`ko`)."""

    path: dict[str, str]
    about: dict[str, str]
    url: str

    def name(self, question: str) -> str:
        """Its path in the language of a question."""
        return self.path[language(question)]


@cache
def menus(file: Path = MENUS) -> tuple[Menu, ...]:
    """The menus of a file, one JSON object a line; the last one is where to turn when no other fits."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
        return tuple(Menu(**json.loads(line)) for line in lines if line.strip())
    except (OSError, ValueError, TypeError) as error:
        raise LessonsError(f"The menus in {file.name} cannot be read; restore the file.") from error


def menus_for(question: str, offered: tuple[Menu, ...] | None = None) -> list[Menu]:
    """The menus that share the rarest words with a question, best first, and at the end the last of all."""
    known = menus() if offered is None else offered
    texts = [set(terms(" ".join([*menu.path.values(), *menu.about.values()]))) for menu in known]
    frequency = Counter(term for text in texts for term in text)
    wanted = set(terms(question))
    scores = [sum(math.log(1 + len(known) / frequency[term]) for term in sorted(wanted & text)) for text in texts]
    best = sorted((-score, place) for place, score in enumerate(scores) if score)
    chosen = [known[place] for _, place in best][: settings().copilot_menu_links - 1]
    return [*(menu for menu in chosen if menu is not known[-1]), known[-1]]
