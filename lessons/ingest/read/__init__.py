"""Reading files: one module for each format, and what all formats share."""

from lessons.ingest.read.file import READERS, FileReader, content_hash, read, too_large

__all__ = ["READERS", "FileReader", "content_hash", "read", "too_large"]
