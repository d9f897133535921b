"""What goes wrong in notebook 08."""

from collections import OrderedDict, deque
from math import ceil

from lessons.models.tokens import TokenEstimator
from tests.exercises.mistakes import mistake, mistakes

mistakes("08.1", 5)


@mistake("08.2")
def jumps_over_long_ones(messages, tokens, count):
    kept = []
    for message in reversed(messages):
        if count(message[1]) <= tokens:
            tokens -= count(message[1])
            kept.insert(0, message)
    return kept


@mistake("08.2")
def needs_a_token_to_spare(messages, tokens, count):
    kept = []
    for message in reversed(messages):
        tokens -= count(message[1])
        if tokens <= 0:
            break
        kept.insert(0, message)
    return kept


@mistake("08.2")
def always_hands_over_the_newest(messages, tokens, count):
    kept = list(messages[-1:])
    tokens -= sum(count(content) for _, content in kept)
    for message in reversed(messages[:-1]):
        tokens -= count(message[1])
        if tokens < 0:
            break
        kept.insert(0, message)
    return kept


def _by_script(text):
    latin = sum(each.isascii() and each.isalnum() for each in text)
    korean = sum("가" <= each <= "힣" for each in text)
    han = sum("\u4e00" <= each <= "\u9fff" for each in text)
    kana = sum("\u3040" <= each <= "\u30ff" for each in text)
    emoji = sum("\U0001f300" <= each <= "\U0001faff" or "\u2600" <= each <= "\u27bf" for each in text)
    return latin, korean, han, kana, emoji, len(text) - latin - korean - han - kana - emoji


@mistake("08.3")
def rounds_each_script(text):
    latin, korean, han, kana, emoji, other = _by_script(text)
    return ceil(latin / 4) + ceil((korean + han + kana) / 1.5) + emoji + ceil(other / 3)


@mistake("08.3")
def forgets_kana(text):
    latin, korean, han, kana, emoji, other = _by_script(text)
    return ceil(latin / 4 + (korean + han) / 1.5 + emoji + (other + kana) / 3)


@mistake("08.3")
def forgets_older_emoji(text):
    old = sum("\u2600" <= each <= "\u27bf" for each in text)
    latin, korean, han, kana, emoji, other = _by_script(text)
    return ceil(latin / 4 + (korean + han + kana) / 1.5 + (emoji - old) + (other + old) / 3)


@mistake("08.3")
def takes_every_letter_for_a_latin_one(text):
    latin, korean, han, kana, emoji, other = _by_script(text)
    russian = sum("а" <= each <= "я" for each in text)
    return ceil((latin + russian) / 4 + (korean + han + kana) / 1.5 + emoji + (other - russian) / 3)


mistakes(
    "08.3",
    one_token_for_nothing=lambda text: max(1, TokenEstimator().count(text)),
)


class _Store:
    def __init__(self, sessions, messages):
        self.room, self.messages, self.said = sessions, messages, OrderedDict()

    def add(self, session, message):
        self.said.setdefault(session, deque(maxlen=self.messages)).append(message)
        self.said.move_to_end(session)
        if len(self.said) > self.room:
            self.said.popitem(last=False)

    def get(self, session):
        if session in self.said:
            self.said.move_to_end(session)
        return self.said.get(session)


@mistake("08.4")
class FirstInFirstOut(_Store):
    def get(self, session):
        return self.said.get(session)


@mistake("08.4")
class OnlyReadingCounts(_Store):
    def add(self, session, message):
        self.said.setdefault(session, deque(maxlen=self.messages)).append(message)
        if len(self.said) > self.room:
            self.said.popitem(last=False)


@mistake("08.4")
class NeverDropsAMessage(_Store):
    def __init__(self, sessions, messages):
        super().__init__(sessions, None)


mistakes(
    "08.5",
    takes_an_empty_history_for_none=lambda passed, stored, turns: passed or (stored[-2 * turns :] if turns else []),
    counts_messages=lambda passed, stored, turns: passed if passed is not None else stored[-turns:] if turns else [],
    hands_over_all_for_no_turn=lambda passed, stored, turns: passed if passed is not None else stored[-2 * turns :],
)


@mistake("08.5")
def cuts_what_is_passed(passed, stored, turns):
    history = stored if passed is None else passed
    return history[-2 * turns :] if turns else []
