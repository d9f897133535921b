"""How the keyless model notes the entities of a conversation: the values that its user names, each under a key."""

from collections.abc import Sequence
from typing import Any

from lessons.models.offline.corrections import corrected, takes_back
from lessons.models.offline.labels import key_of
from lessons.models.offline.tasks import task
from lessons.models.offline.topics import same_key, topics
from lessons.models.offline.values import values
from lessons.text import sentences

_LATELY = 2  # turns within which 'no, 300' corrects something
Noted = dict[str, tuple[str, str, int]]  # by what the key means: key, value and turn, the newest last


@task("entities")
def entities(
    llm: Any, turns: Sequence[tuple[int, str, str]], known: Sequence[tuple[str, str, int]] = (), **_: Any
) -> Any:
    """What the user names in these turns (number, question, answer); an empty value takes an entity back."""
    before: Noted = {same_key(key): (key, value, turn) for key, value, turn in known}
    noted: Noted = dict(before)
    for number, question, _answer in turns:
        for sentence in sentences(question):
            _read(sentence, number, noted)
    new = [entity for meaning, entity in noted.items() if before.get(meaning) != entity]
    return {"entities": [{"key": key, "value": value, "turn": turn} for key, value, turn in new]}


def _read(sentence: str, number: int, noted: Noted) -> None:
    if _correct(sentence, number, noted):
        return
    if takes_back(sentence):
        _take_back(sentence, number, noted)
        return
    found: dict[str, tuple[str, list[str]]] = {}
    for value in values(sentence):
        key = key_of(sentence, value)
        found.setdefault(same_key(key), (key, []))[1].append(value.text)
    for key, texts in found.values():
        _note(noted, key, ", ".join(dict.fromkeys(texts)), number)


def _correct(sentence: str, number: int, noted: Noted) -> bool:
    """Whether the sentence corrects something noted lately, the newest first."""
    for key, value, turn in reversed(noted.values()):
        if value and number - turn <= _LATELY and (new := corrected(value, sentence)):
            _note(noted, key, new, number)
            return True
    return False


def _take_back(sentence: str, number: int, noted: Noted) -> None:
    for meaning, (key, value, _turn) in list(noted.items()):
        if value and (value in sentence or meaning in topics(sentence) or key.casefold() in sentence.casefold()):
            _note(noted, key, "", number)


def _note(noted: Noted, key: str, value: str, turn: int) -> None:
    noted.pop(same_key(key), None)
    noted[same_key(key)] = key, value, turn
