"""What goes into a public issue: enough to help, and nothing that is private."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lessons.doctor import PACKAGES, hidden, issue_report
from lessons.settings import ROOT, Settings
from tests.test_cli import lessons

KEY = "sk-proj-abcdef0123456789"
SECRETS = st.text(st.characters(categories=["L", "N"], include_characters="-_.!$%/\\:?#"), min_size=4, max_size=40)


@pytest.fixture(scope="module")
def report(database: Settings) -> str:
    """The report of a machine on which everything is private and nothing but the database works."""
    private = {"openai_base_url": "http://me:word@127.0.0.1:9/v1", "openai_api_key": KEY, "user": "olga.private"}
    return issue_report(Settings(data_dir=database.data_dir, max_retries=0, **private))


def test_it_tells_versions_and_what_the_doctor_found(report: str) -> None:
    assert all(name in report for name in [*PACKAGES, "Python 3.", "with pgvector", "NO  language model"])


@pytest.mark.parametrize("private", [KEY, "word", "olga.private", str(Path.home()), str(ROOT)])
def test_what_is_private_is_not_in_it(report: str, private: str) -> None:
    assert private not in report


def test_a_database_is_named_by_version_only(tcp_server: str) -> None:
    report = issue_report(Settings(database_url=tcp_server))
    assert "with pgvector" in report
    assert not any(private in report for private in ("p@ss", "p%40ss", "owner:", tcp_server))


@given(secret=SECRETS, before=st.text(max_size=9), after=st.text(max_size=9))
@example(secret=KEY, before="(", after=")")
def test_a_key_never_appears(secret: str, before: str, after: str) -> None:
    assert secret not in hidden(f"{before} {secret} {after}", Settings(openai_api_key=secret))


@pytest.mark.parametrize("where", ["db1.corp:5432,db2.corp:5433/mine", "/mine?host=db1.corp,db2.corp"])
def test_nor_do_several_servers_appear(where: str) -> None:
    chosen = Settings(database_url=f"postgresql://someone:geheim@{where}")
    shown = hidden("at someone:geheim@/mine?host=db1.corp%2Cdb2.corp", chosen)
    assert not any(part in shown for part in ("db1.corp", "db2.corp", "someone", "geheim"))


@given(word=st.text(st.characters(categories=["L", "N"]), min_size=4, max_size=20))
def test_neither_does_the_password_of_a_database(word: str) -> None:
    chosen = Settings(database_url=f"postgresql://someone:{word}@db.example.org/mine")
    shown = hidden(f"connection to db.example.org as someone with {word} failed: {chosen.database_url}", chosen)
    assert not any(part in shown.replace("connection", "") for part in (word, "db.example.org", "someone"))


@pytest.mark.parametrize("path", ["/home/olga/x.pdf", "/Users/olga/x.pdf", r"C:\Users\olga\x.pdf"])
def test_neither_does_somebodys_home(path: str) -> None:
    assert "olga" not in hidden(f"cannot read {path!s}", Settings())


def test_the_command_line_prints_it(database: Settings) -> None:
    done = lessons("doctor", "--report")
    assert (done.returncode, done.stdout.startswith("### Environment")) == (0, True)
