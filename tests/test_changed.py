"""The tests that ``make test-fast`` takes for a change."""

from __future__ import annotations

import pytest

from tests.changed import OF_DOCUMENTS, concerned

IMPORTS = {
    "tests/publisher/web/test_pages.py": frozenset({"publisher.web.pages", "publisher.logs"}),
    "tests/publisher/test_logs.py": frozenset({"publisher.logs"}),
}


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ([], []),
        (["publisher/web/pages.py"], ["tests/publisher/web"]),
        (["publisher/web/templates/page.html"], ["tests/publisher/web"]),
        (["Makefile"], []),
        (["publisher/state/sql/claims.py"], ["tests/publisher/state"]),
        (
            ["publisher/web/pages.py", "publisher/logs.py"],
            ["tests/publisher"],
        ),
        (["tests/test_changed.py"], ["tests/test_changed.py"]),
        (["tests/test_of_no_file.py"], []),
        (["tests/integration/test_local_stack.py"], []),
        (["docs/emission.md"], list(OF_DOCUMENTS)),
    ],
)
def test_a_change_concerns_the_tests_that_mirror_or_import_it(
    changed: list[str], tests: list[str]
) -> None:
    assert concerned(changed, IMPORTS) == tests
