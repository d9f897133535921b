"""Three tiers: the last turns word for word, those before them summarised, older ones found by meaning (row D7)."""

from dataclasses import replace

from lessons.memory.long_term import LongTerm
from lessons.memory.prompts import TURNS_SUMMARY, conversation, quoted_turns
from lessons.memory.recursive_summary import bounded
from lessons.memory.turns import State, Turn
from lessons.models.call import predict
from lessons.models.embedding import identity
from lessons.models.tokens import TokenEstimator
from lessons.settings import settings

_BLOCK = "\n\n"  # between the summaries of two windows
_CANDIDATES = 10  # turns that are read to fill the third tier


class Tiers(LongTerm):
    """A log in three tiers: the older a turn, the less of it is handed over, and in the end only if it fits."""

    name = "tiers"

    def known(self, question: str, state: State) -> list[str]:
        """The nearest of the oldest turns within their tokens, in the order of the conversation, and the summary."""
        older = self._older(question, state)
        said = [line for line in state.summary.splitlines() if line]
        titled = (("Older turns that may matter:", older), ("Summary of the turns before the last ones:", said))
        return [line for title, lines in titled if lines for line in (title, *lines)]

    def folded(self, state: State, window: list[Turn]) -> State:
        """Summarise the window by itself; the turns of the summary that makes room can be found by meaning from now."""
        blocks = [*filter(None, state.summary.split(_BLOCK)), self._summarised(window)]
        self._embed([turn for turn in self.turns.unembedded() if turn.number < self._first_summarised(window)])
        return replace(state, upto=window[-1].number, summary=_BLOCK.join(blocks[-self._blocks :]))

    def needed_from(self, state: State) -> int:
        return state.upto - settings().memory_turns

    @property
    def _blocks(self) -> int:
        chosen = settings()
        return chosen.tiers_summarised // chosen.memory_window

    def _first_summarised(self, window: list[Turn]) -> int:
        return window[-1].number - settings().tiers_summarised + 1

    def _summarised(self, window: list[Turn]) -> str:
        chosen, said = settings(), conversation(window)
        share = int(TokenEstimator().count(said) * chosen.tiers_summary_share)
        tokens = min(share, chosen.tiers_summary_tokens // self._blocks)
        variables = {"conversation": said, "turns": quoted_turns(window), "tokens": tokens}
        written = predict(self.llm, TURNS_SUMMARY, self.spent, **variables)
        return bounded(written, chosen.summary_sentences, tokens)

    def _embed(self, turns: list[Turn]) -> None:
        if turns:
            vectors = self.embedding.get_text_embedding_batch([f"{turn.question}\n{turn.answer}" for turn in turns])
            named, _ = identity(self.embedding)
            self.turns.embed([(turn.number, vector) for turn, vector in zip(turns, vectors, strict=True)], named)

    def _older(self, question: str, state: State) -> list[str]:
        """The nearest turn always, cut if it must be; further ones while they fit."""
        before = state.upto - settings().tiers_summarised + 1
        if before <= 1:
            return []
        named, _ = identity(self.embedding)
        vector = self.embedding.get_query_embedding(question)
        found = self.turns.nearest(vector, named, before, _CANDIDATES)
        kept: dict[int, str] = {}
        for turn in found:
            lines = bounded(_lines(turn), settings().summary_sentences, settings().tiers_older_tokens)
            if TokenEstimator().count("\n".join([*kept.values(), lines])) <= settings().tiers_older_tokens:
                kept[turn.number] = lines
        return [line for number in sorted(kept) for line in kept[number].splitlines()]


def _lines(turn: Turn) -> str:
    longest = 2 * settings().tiers_older_tokens  # characters, so that question and answer fit
    return "\n".join(f"{role}: {' '.join(said.split())[:longest]}" for role, said in turn.messages)
