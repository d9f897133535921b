"""What the other rooms need of the keyless model; nothing but this room imports `lessons.keyless`."""

from lessons.keyless.answer import NOT_FOUND, NOTHING_FOUND, is_open, unstated
from lessons.keyless.conversation import NOT_TOLD, asks_for_documents, asks_for_first, recalled
from lessons.keyless.facts import same_key
from lessons.keyless.intent import EXAMPLES, INTENTS, Classifier, Label, Utterance, utterances
from lessons.keyless.lines import Line, cells, kept_text, passage
from lessons.keyless.llm import OfflineLLM
from lessons.keyless.parts import sides
from lessons.keyless.relevance import asks_for_steps
from lessons.keyless.words import Unit
