"""The benchmarks of `make bench` run when they are named, and not with the tests."""

import pytest

from lessons.settings import ROOT


@pytest.mark.parametrize(("folder", "left_out"), [("scale", None), ("benchmarks", True)])
def test_the_tests_leave_the_benchmarks_out(request: pytest.FixtureRequest, folder: str, left_out: bool | None) -> None:
    path = ROOT / "tests" / folder
    assert request.config.hook.pytest_ignore_collect(collection_path=path, config=request.config) is left_out
