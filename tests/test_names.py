"""Names and docstrings that a reader who knows the field can guess. The share may only fall."""

from tests.names import nominal, vague

VAGUE = 0.005  # of all bindings
NOMINAL = 0  # docstrings of functions that begin without a verb


def test_bindings_name_what_they_hold() -> None:
    listed, count = vague()
    assert len(listed) / count <= VAGUE, listed


def test_docstrings_of_functions_are_in_the_imperative() -> None:
    assert len(nominal()) <= NOMINAL
