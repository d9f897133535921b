"""What the tests of large installations share with those of the models."""

from tests.models.conftest import server  # noqa: F401
