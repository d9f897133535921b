"""The page of the doctor: what runs, what does not, how to use something else, and no secret."""

import re

import pytest
from pydantic import SecretStr
from streamlit.testing.v1 import AppTest

from lessons.doctor import Check, Report, examine
from lessons.language import in_korean
from lessons.pages import about
from lessons.settings import Settings, settings
from tests.support.app import press, shown


@pytest.fixture
def page(database: Settings) -> AppTest:
    about._examined.clear()

    def script() -> None:
        from lessons.pages import about

        about.health()

    return AppTest.from_function(script, default_timeout=120)


def test_all_checks_are_shown(page: AppTest) -> None:
    page.run()
    assert not page.exception
    assert page.success[0].value == "Everything works."
    assert all(f"**{name}**" in shown(page) for name in ("python", "database", "embedding", "documents"))


def test_what_does_not_work_is_told_and_no_secret_is_shown(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "pa55-w0rd-of-mine"
    monkeypatch.setattr(settings(), "openai_api_key", SecretStr(secret))
    check = Check("database", False, f"<b>cannot</b> reach postgresql://me:{secret}@db.example/x")
    monkeypatch.setattr(about, "examine", lambda: Report([check]))
    page.run()
    assert not page.exception
    assert ":red-badge[No] **database**: \\<b\\>cannot" in shown(page)
    assert secret not in shown(page)
    assert "does not work" in page.error[0].value


def test_what_was_mended_works_the_next_time_the_page_is_opened(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(about, "examine", lambda: Report([Check("database", False, "It is away.")]))
        assert "does not work" in page.run().error[0].value
    assert page.run().success[0].value == "Everything works."


def test_what_works_is_told_in_korean_too(shop: None) -> None:
    told = {check.name: in_korean(check.detail) for check in examine()}
    assert [told[name] for name in ("owners", "documents") if not re.search("[가-힣]", told[name])] == []


def test_a_report_to_paste_names_versions(page: AppTest) -> None:
    press(page.run(), "Write the report")
    assert any("### Environment" in block.value for block in page.code)
