"""``analyze --batch``: every line has its answer, one that costs too much included."""

from __future__ import annotations

import io
import json
import sys
from types import SimpleNamespace

import pytest

from lakeschema.analysis import limits
from lakeschema.isolation.limits import Limits
from publisher.commands import standalone

TOO_MUCH = f"SELECT {', '.join(f'c{n}' for n in range(1_000))} FROM t"


def analyzed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    text = io.BytesIO("\n".join(lines).encode())
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=text))
    standalone.analyze(batch=True)


def test_a_request_that_takes_too_much_is_given_up_and_told_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(limits, "LIMITS", Limits(max_answer_bytes=20_000))
    usual = json.dumps({"id": "usual", "sql": "SELECT a FROM t", "ask": ["table_lineage"]})

    analyzed(monkeypatch, usual, "", json.dumps({"id": "big", "sql": TOO_MUCH}), "{", usual)

    output = capsys.readouterr()
    answers = [json.loads(line) for line in output.out.splitlines()]
    assert [answer["id"] for answer in answers] == ["usual", "big", None, "usual"]
    assert [answer.get("error", {}).get("type") for answer in answers] == [
        *(None, limits.GIVEN_UP),
        *("InvalidRequest", None),
    ]
    assert answers[0] == answers[3]
    assert "lines 3: given up" in output.err
