"""Names and docstrings that a reader who knows the field can guess. Both numbers may only fall."""

from tests.names import nominal, vague

VAGUE = 0.1186  # of all bindings; the aim is 0.01
NOMINAL = 1073  # docstrings of functions; the aim is none


def test_bindings_name_what_they_hold() -> None:
    listed, count = vague()
    assert len(listed) / count <= VAGUE, listed


def test_docstrings_of_functions_are_in_the_imperative() -> None:
    assert len(nominal()) <= NOMINAL
