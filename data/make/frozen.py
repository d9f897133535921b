"""Count the outcomes of every stage on the frozen questions of `data/frozen`: `uv run python -m data.make.frozen`.

They are asked to report, never to tune, and never looked at one by one.

Their author had read the documents and no code (data/README.md). Questions without an answer are to be refused; of
follow-ups and colloquial questions each part of the answer is known in one or more spellings.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lessons.evaluate.golden import json_lines
from lessons.library import load_corpus, shipped_documents
from lessons.rag.pipeline import Stage
from lessons.rag.workspace import workspace
from lessons.settings import ROOT
from lessons.stages import stages

FOLDER = ROOT / "data" / "frozen"
SETS = ("unanswerable", "followups", "followups_2", "colloquial_ko", "colloquial_ko_2", "colloquial_ko_3")


def count_outcomes(stage: Stage, name: str, folder: Path = FOLDER) -> Counter[tuple[str, str]]:
    """Count (kind, outcome) of a frozen set; an outcome is answered, refused, right, half or wrong."""
    owners = {line["path"]: line["owner"] for line in shipped_documents()}
    return Counter(_outcomes(stage, json_lines(folder / f"{name}.jsonl"), owners))


def _outcomes(stage: Stage, cases: list[dict[str, Any]], owners: dict[str, str]) -> Iterator[tuple[str, str]]:
    for case in cases:
        owner, history = owners.get(case.get("source_file", ""), "reader"), list[tuple[str, str]]()
        for question in case.get("history", ()):
            reply = stage.ask(question, user=owner, history=history).text
            history += [("user", question), ("assistant", reply)]
        answer = stage.ask(case["question"], user=owner, history=history)
        known = case.get("answer_holds")
        outcome = "refused" if not answer.citations else "answered" if not known else _verdict(answer.text, known)
        yield case.get("kind", "colloquial"), outcome


def _verdict(text: str, parts: list[list[str]]) -> str:
    held = [any(_holds(text, form) for form in forms) for forms in parts]
    return "right" if all(held) else "half" if any(held) else "wrong"


def _holds(text: str, form: str) -> bool:
    """Whether a text holds a spelling, with any blanks, and not within a longer number."""
    text, form = (re.sub(r"\s+", "", each.casefold()) for each in (text, form))
    start, end = r"(?<![\d.,])" if form[:1].isdigit() else "", r"(?!\d|[.,]\d)" if form[-1:].isdigit() else ""
    return re.search(f"{start}{re.escape(form)}{end}", text) is not None


def main() -> None:
    """Print the counts, stage by stage."""
    load_corpus(workspace())
    for name in SETS:
        for stage in stages().values():
            counts = sorted(count_outcomes(stage, name).items())
            outcomes = ", ".join(f"{kind} {outcome} {count}" for (kind, outcome), count in counts)
            print(f"{name}, {stage.name}: {outcomes}", flush=True)


if __name__ == "__main__":
    main()
