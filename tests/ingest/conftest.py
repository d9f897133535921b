"""What the tests of ingestion share with those of the models."""

from tests.models.conftest import server  # noqa: F401
