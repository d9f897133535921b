"""Editions of one document: their titles differ in the version only, and the latest of them is the current one."""

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

VERSION = re.compile(r"(?<!\d)\d+(?:\.\d+)+")


def replaced(documents: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Map each document of which there is a newer edition to the name of the current one."""
    editions = defaultdict[str, list[tuple[str, str]]](list)
    for name, metadata in documents.items():
        bare = VERSION.sub("", title := str(metadata.get("title") or ""))
        if bare not in ("", title):
            editions[bare].append((str(metadata.get("date") or ""), name))
    latest = {name: max(group) for group in editions.values() for date, name in group if date < max(group)[0]}
    return {name: current for name, (_, current) in latest.items()}
