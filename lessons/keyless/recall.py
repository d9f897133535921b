"""What `answer` and `followups` still import under the old name."""

from lessons.keyless.conversation import asks_back, recalled, remembered

__all__ = ["asks_back", "recalled", "remembered"]
