"""A process is killed in the middle of its work; the next one finds all that was finished, and nothing twice."""

import pytest

from lessons import library
from lessons.faults.database import killed
from lessons.faults.lab import Lab
from lessons.ingest.index import naive_index
from lessons.library import ensure_corpus, indexes
from lessons.memory.conversation import Conversation, Window
from lessons.memory.messages import StoredMessages
from lessons.rag.types import Scope

TALK = """
import time
from lessons.rag.types import Scope
from lessons.memory.conversation import Conversation
from lessons.memory.messages import StoredMessages
from lessons.memory.conversation import Window
from lessons.stages import stages
from lessons.rag.workspace import workspace

messages = StoredMessages(workspace().engine).get_or_create(Scope("reader"), "killed")
talk = Conversation(Window(messages))
talk.ask(stages()["naive"], "When does the kiosk open?")
for piece in talk.stream(stages()["naive"], "What does coffee cost?"):
    print("said", piece)
    time.sleep(60)
"""

LOAD = """
from lessons import library
from lessons.rag.workspace import workspace

documents = library.shipped_documents()
library.shipped_documents = lambda: [each for each in documents if each["owner"] == "mina"]
library.load_corpus(workspace(), lambda done, total: print("done", done))
"""


def test_a_conversation_keeps_the_finished_turns_of_a_killed_process_and_goes_on(lab: Lab) -> None:
    assert killed(TALK, lab.database, at="said")
    messages = StoredMessages(lab.workspace.engine).get_or_create(lab.scope, "killed")
    assert [content for role, content in messages.history() if role == "user"] == ["When does the kiosk open?"]
    answer = Conversation(Window(messages)).ask(lab.stage("smart"), "And when does it close?")
    assert "18:15" in answer.text
    assert len(messages.history()) == 4


def test_a_killed_load_of_the_shipped_documents_is_completed_by_the_next_question(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    mina = [each for each in library.shipped_documents() if each["owner"] == "mina"]
    monkeypatch.setattr(library, "shipped_documents", lambda: mina)
    killed(LOAD, lab.database, at=f"done {len(mina) + 1}")
    stores = [lab.workspace.store(index) for index in indexes()]
    assert 0 < len(stores[1].documents(Scope("mina"))) < len(mina)
    ensure_corpus(lab.workspace, "mina")
    for store in stores:
        stored = [row.source_file for row in store.documents(Scope("mina"))]
        assert sorted(stored) == sorted(each["path"] for each in mina)
    again = library.load_corpus(lab.workspace, targets=[naive_index()])
    assert {result.status for result in again} == {"unchanged"}
