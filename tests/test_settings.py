"""A setting whose value cannot be is named in a sentence."""

from pathlib import Path

import pytest

from lessons.errors import LessonsError
from lessons.settings import Settings, settings


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("LESSONS_TOP_K", "many", "should be a valid integer"),
        ("LESSONS_HISTORY_TURNS", "-1", "should be 0 or more"),
        ("LESSONS_REQUEST_TIMEOUT", "nan", "should be 0 or more"),
        ("LESSONS_INGESTION_WORKERS", "9", "should be less than or equal to 4"),
        ("LESSONS_EMBEDDING_BATCH_SIZE", "0", "should be greater than or equal to 1"),
        ("LESSONS_CHUNK_TOKENS", "0", "should be greater than or equal to 1"),
        ("LESSONS_CHUNK_OVERLAP", "501", "should be at most LESSONS_CHUNK_TOKENS"),
        ("LESSONS_APP_PORT", "99999", "should be less than or equal to 65535"),
        ("LESSONS_SESSION_MESSAGES", "5", "should be a multiple of 2"),  # a question goes together with its answer
    ],
)
def test_a_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str, reason: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(LessonsError, match=f"^{name} {reason}.*; change it in the environment or in .env.$"):
        settings.__wrapped__()


def test_a_file_of_settings_in_another_encoding_is_told_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes("LESSONS_USER=가".encode("cp949"))
    monkeypatch.setitem(Settings.model_config, "env_file", tmp_path / ".env")
    with pytest.raises(LessonsError, match="UTF-8"):
        settings.__wrapped__()
