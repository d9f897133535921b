"""Editions of one document: their titles differ in the version only, and the latest of them is the current one."""

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

VERSION = re.compile(r"(?<!\d)\d+(?:\.\d+)+")


def replaced(documents: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The documents of which a newer edition is there, each with the name of the current one."""
    editions = defaultdict[str, list[tuple[str, str]]](list)
    for name, known in documents.items():
        bare = VERSION.sub("", title := str(known.get("title") or ""))
        if bare not in ("", title):
            editions[bare].append((str(known.get("date") or ""), name))
    latest = {name: max(each) for each in editions.values() for date, name in each if date < max(each)[0]}
    return {name: current for name, (_, current) in latest.items()}
