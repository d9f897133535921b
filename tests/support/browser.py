"""A browser for the tests, without a window."""

import os
import shutil

from selenium import webdriver
from selenium.webdriver.remote.webdriver import WebDriver


def chromium(*more: str) -> WebDriver:
    """Chromium, with more arguments if there are some; to be quit by the caller."""
    options = webdriver.ChromeOptions()
    for argument in (
        "--headless=new", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync", "--window-size=1400,1600", *more,
        *(["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
    ):  # fmt: skip
        options.add_argument(argument)
    return webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
