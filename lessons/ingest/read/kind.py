"""What a file is by its first bytes, since a name can say anything."""

_ARCHIVE = "a ZIP archive"
_OLE = "an older Office file or one with a password"
_KINDS = {
    b"PK\x03\x04": _ARCHIVE,
    b"\xd0\xcf\x11\xe0": _OLE,
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"{\\rtf": "an RTF document",
    b"\x1f\x8b": "a gzip archive",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"\x7fELF": "a program",
    b"MZ\x90": "a program",
}
_OWN = {".docx": _ARCHIVE, ".pptx": _ARCHIVE, ".pdf": "a PDF"}


def true_kind(head: bytes, suffix: str) -> str | None:
    """What a file is, with its article, if that is not what its suffix promises; None if nothing speaks against it."""
    kind = next((name for magic, name in _KINDS.items() if head.startswith(magic)), None)
    if kind is None and b"%PDF-" in head and (head.startswith(b"%PDF-") or suffix == ".pdf"):
        kind = "a PDF"
    return kind if kind != _OWN.get(suffix) else None


def looks_like_html(head: bytes) -> bool:
    """Whether a file that may be called otherwise begins as a web page does."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().lower().startswith((b"<!doctype html", b"<html"))
