"""How a company speaks: its own choice among the hand-written sentences of its language, and its own words."""

import random
from collections.abc import Sequence
from functools import cache
from typing import Any

from data.make.companies.facts import Facts
from data.make.companies.model import Company
from data.make.companies.quarter import Quarter
from data.make.korean import plain
from data.make.sources import read_toml

KEPT = 3  # alternatives of a slot that one company uses


@cache
def bank(language: str) -> dict[str, Any]:
    """Return words, labels and sentence slots of a language."""
    return read_toml(f"reports/sentences_{language}.toml")


class Voice:
    """Sentences of one company in the report of one quarter."""

    def __init__(self, company: Company, quarter: Quarter) -> None:
        self.company, self.quarter = company, quarter
        source = bank(company.language)
        words = {**source["words"], **company.profile.get("words", {})}
        phrases = {f"{name}_word": text for name, text in words.items()}
        phrases |= {f"{name[0].upper()}{name[1:]}": text[0].upper() + text[1:] for name, text in phrases.items()}
        phrases |= {"name": company.name, "short": company.short, "currency": company.profile.get("currency", "")}
        self.facts = Facts(company, quarter, phrases)
        self.labels = {**source["labels"], **company.profile.get("labels", {})}
        self.slots = {**source["slots"], **company.profile.get("slots", {})}
        self.unit = self.labels["unit"].format_map(phrases)

    def fill(self, template: str, segment: str | None = None, **more: str) -> str:
        """Fill the figures into a hand-written sentence."""
        return self.facts.fill(template, segment, **more)

    def say(self, slot: str, segment: str | None = None, **more: str) -> str:
        """Choose one of the company's sentences for this slot by quarter and segment only."""
        alternatives = self.slots[slot]
        usual = random.Random(f"{self.company.key}/{slot}").sample(alternatives, min(KEPT, len(alternatives)))
        sentence = random.Random(f"{self.company.key}/{self.quarter}/{slot}/{segment}").choice(usual)
        if self.company.profile.get("register") == "plain":
            sentence = plain(sentence)
        return self.fill(sentence, segment, **more)

    def label(self, name: str) -> str:
        """Return a table heading or row name."""
        return self.labels[name].format(unit=self.unit) if "{" in self.labels[name] else self.labels[name]

    def story(self, part: str) -> list[str]:
        """Return the hand-written sentences of this quarter for a part of the report."""
        texts = self.company.profile.get("story", {}).get(str(self.quarter), {}).get(part, [])
        return [self.fill(text) for text in ([texts] if isinstance(texts, str) else texts)]

    def news(self, texts: Sequence[str], segment: str | None = None) -> list[str]:
        """Return the sentence whose turn it is, if any: each has one quarter, spread over all reports."""
        step, quarters = self.quarter - self.company.first, len(self.company.quarters)
        turn = step * len(texts) // quarters
        fresh = step == 0 or turn > (step - 1) * len(texts) // quarters
        return [self.fill(texts[turn], segment)] if texts and fresh else []

    def standing(self, name: str, count: int) -> list[str]:
        """Return `count` sentences of a pool in the profile that hold in every quarter, taking turns.

        A sentence may be a table `{text, until}` or `{text, since}` that is true for a time only.
        """
        entries = self.company.profile.get("standing", {}).get(name, [])
        texts = [entry if isinstance(entry, str) else entry["text"] for entry in entries if self._holds(entry)]
        start = (self.quarter - self.company.first) * count
        return [self.fill(texts[(start + offset) % len(texts)]) for offset in range(min(count, len(texts)))]

    def _holds(self, entry: str | dict[str, str]) -> bool:
        if isinstance(entry, str):
            return True
        return entry.get("since", "0000Q0") <= str(self.quarter) <= entry.get("until", "9999Q9")
