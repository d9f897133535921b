"""Report the outcomes of every stage on the frozen questions of `data/frozen`: `uv run python -m data.make.frozen`."""

from lessons.evaluate.frozen import SETS, count_outcomes
from lessons.library import load_corpus
from lessons.rag.workspace import workspace
from lessons.stages import stages


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
