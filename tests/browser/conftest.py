"""One browser for each module: Playwright keeps an event loop in its thread, which other tests must not meet."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from deploy.chromium import find_chromium
from deploy.errors import StackError
from tests.browser.visits import launch


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    try:
        find_chromium()
    except StackError as error:
        pytest.skip(f"{error}; {error.hint}")
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()
