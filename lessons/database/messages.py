"""What PostgreSQL and its driver complain about, as sentences that say what to do.

Queries carry a SQLSTATE (PostgreSQL manual, appendix A). A refused connection has none, only the driver's text. A
server may send it in its own language, and then it is passed on as it is.
"""

import re

import psycopg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from lessons.errors import BrokenOffError, DatabaseError

NO_PGVECTOR = (
    "The database has no pgvector: install it on that server (https://github.com/pgvector/pgvector#installation), "
    "or unset DATABASE_URL to use the PostgreSQL that comes with the workbook."
)
NOT_ALLOWED_PGVECTOR = (
    "The database user may not switch pgvector on: let an administrator run `CREATE EXTENSION vector` once in this "
    "database, or unset DATABASE_URL to use the PostgreSQL that comes with the workbook."
)
ANOTHER_OWNER = "This would have written rows of another owner, so nothing was written: name the owner of the data."
NOT_A_TEXT = "A text holds characters that cannot be stored: remove control characters and halves of characters."
NOT_UTF8 = (
    "The database cannot store every letter: make one with `createdb --encoding=UTF8 --template=template0`, "
    "and name it in DATABASE_URL."
)
BROKEN_OFF = (
    "The connection to the database broke off: repeat the command, and look at the server's log if it happens again."
)
FULL = "The disk of the database is full: free some space there, then repeat the command."
BEHIND = (
    "The replica broke a search off to keep up with its primary: ask again, or raise its max_standby_streaming_delay."
)

PASSING = (
    r"refused|No such file|read-only|not in hot standby|the database system is|closed|lost|reset|timeout|timed out"
)
"""What a connection says while a server is lost and another one is not yet promoted."""

_SENTENCES = r"""
password authentication failed for user "(?P<user>[^"]*)"
    The database at {where} does not accept the password of user {user}: correct DATABASE_URL.
database "(?P<name>[^"]*)" does not exist
    There is no database {name} at {where}: create it with `createdb {name}`, or correct DATABASE_URL.
no password supplied
    The database at {where} asks for a password: write it into DATABASE_URL, as in user:password@host.
role "(?P<user>[^"]*)" does not exist
    The database at {where} knows no user {user}: correct DATABASE_URL.
failed to resolve host '(?P<host>[^']*)'|could not translate host name "(?P<name>[^"]*)"
    The host {host}{name} of the database cannot be found: correct DATABASE_URL, or check the network.
[Cc]onnection refused|No such file or directory
    Nothing listens at {where}: start the database there, or correct DATABASE_URL.
timeout expired|timed out|No route to host|unreachable
    The database at {where} does not answer: check the network, and host and port in DATABASE_URL.
^53300$|too many (clients|connections)|remaining connection slots
    The database accepts no more connections: close other programs that use it, or raise its max_connections.
^57P03$|the database system is
    The database is starting up or shutting down: try again in a few seconds.
^53100$|No space left on device
    {FULL}
^25006$
    The database is read-only, perhaps a replica: set DATABASE_URL to one that can be written.
^57P0[125]$
    {BROKEN_OFF}
closed the connection|connection is lost|connection is closed|connection to server .* lost|reset by peer|Broken pipe
    {BROKEN_OFF}
"""
"""A SQLSTATE or what the driver says without one, and below it the sentence for it, which the pattern's groups fill."""


def explain(error: Exception) -> DatabaseError:
    """Word any error of SQLAlchemy or psycopg. The sentence never holds a password."""
    if isinstance(error, PoolTimeout):
        return DatabaseError("Every database connection of this program is busy: ask fewer questions at the same time.")
    original = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(original, UnicodeEncodeError) or "cannot contain NUL" in str(original):
        return DatabaseError(NOT_A_TEXT)
    if isinstance(original, psycopg.Error) and (sentence := friendly_message(original)):
        return BrokenOffError(sentence) if sentence in (BROKEN_OFF, BEHIND) else DatabaseError(sentence)
    return DatabaseError(f"The database could not do what it was asked: {_first_line(original)}.")


def friendly_message(error: psycopg.Error) -> str | None:
    """Return the sentence for a trouble that the reader can end; None for every other error."""
    state, text = error.sqlstate or "", str(error)
    if state == "40001" and "recovery" in text:
        return BEHIND
    if "vector" in text and state in {"0A000", "58P01", "42704"}:
        return NO_PGVECTOR
    if state == "42501":
        if "extension" in text:
            return NOT_ALLOWED_PGVECTOR
        if "row-level security" in text:
            return ANOTHER_OWNER
        advice = "grant it, or name another user in DATABASE_URL."
        return f"The database user lacks a right: {_first_line(error)}; {advice}"
    lines = _SENTENCES.strip().splitlines()
    for pattern, sentence in zip(lines[::2], lines[1::2], strict=True):
        if match := re.search(pattern, state or text):
            parts = {name: value or "" for name, value in match.groupdict().items()}
            return sentence.strip().format(where=_address_in(text), FULL=FULL, BROKEN_OFF=BROKEN_OFF, **parts)
    return None


def is_transient(error: BaseException) -> bool:
    """Return True if a connection that failed so may succeed in some seconds, when another server has taken over."""
    return isinstance(error, psycopg.OperationalError) and bool(re.search(PASSING, str(error)))


def _address_in(text: str) -> str:
    if match := re.search(r"connection to server at \"([^\"]+)\"(?: \([^)]*\))?, port (\d+)", text):
        return f"{match[1]}, port {match[2]}"
    match = re.search(r"connection to server on socket \"([^\"]+)\"", text)
    return match[1] if match else "the address in DATABASE_URL"


def _first_line(error: BaseException | None) -> str:
    message = error.diag.message_primary if isinstance(error, psycopg.Error) else None
    return (message or str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
