from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from publisher.commands.warnings import show_warnings


@pytest.fixture(autouse=True)
def _shown() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.parametrize(
    ("event", "fields", "line"),
    [
        (
            "relation changed its status",
            {"relation": "s.bad", "old": "UNKNOWN", "new": "BROKEN", "reason": "s.bad: no x"},
            "relation changed its status: s.bad: UNKNOWN → BROKEN: no x",
        ),
        (
            "relation not processed",
            {"relation": "s.t", "why": "timed out"},
            "relation not processed: s.t: timed out",
        ),
        (
            "service fails",
            {"service": "catalog", "failures": 2, "why": "no answer", "remedy": "start it"},
            "service fails: no answer; service: catalog; failures: 2; remedy: start it",
        ),
        ("foreign files", {"files": ["a", "b"]}, "foreign files: files: ['a', 'b']"),
        ("stopped", {}, "stopped"),
    ],
)
def test_a_warning_for_people_names_its_fields(
    event: str, fields: dict[str, object], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    show_warnings()

    logging.getLogger("publisher.x").warning(event, extra=fields)

    assert capsys.readouterr().err == f"schema-publisher: {line}\n"
