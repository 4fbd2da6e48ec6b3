"""Logs as JSON Lines: one object a line, with a lower-case event and its fields. Known secrets are removed."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable, Mapping
from math import inf
from typing import TextIO

from publisher.redaction import SECRETS

_STANDARD_FIELDS = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


_OURS = frozenset({"publisher", "lakeschema", "codegen", "dependency_graph", "deploy"})

_SECONDS_BETWEEN_LINES_OF_OTHERS = 60.0


def is_ours(logger: str) -> bool:
    return logger.partition(".")[0] in _OURS


class SeldomFromOthers(logging.Filter):
    """Passes one line a minute from each log statement of a library, which logs every attempt."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now = now
        self._passed_at: dict[tuple[str, str, int], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if is_ours(record.name):
            return True
        now, place = self._now(), (record.name, record.pathname, record.lineno)
        if now - self._passed_at.get(place, -inf) < _SECONDS_BETWEEN_LINES_OF_OTHERS:
            return False
        self._passed_at[place] = now
        return True


class JsonFormatter(logging.Formatter):
    """Formats a record as JSON. Fields come from ``extra``; values that JSON lacks become text.

    ASCII, so that untrusted control or direction characters cannot disturb a terminal.
    """

    def format(self, record: logging.LogRecord) -> str:
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        entry: dict[str, object] = {
            "time": f"{moment}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        entry |= {k: v for k, v in fields_of(record).items() if k not in entry}
        if record.exc_info and is_ours(record.name):
            entry["trace"] = self.formatException(record.exc_info)
        elif record.exc_info and record.exc_info[1] is not None:
            # The library's caller says what the error means; a traceback inside the library helps
            # nobody.
            entry["error"] = f"{type(record.exc_info[1]).__name__}: {record.exc_info[1]}"
        return json.dumps({name: _redacted(value) for name, value in entry.items()})


def fields_of(record: logging.LogRecord) -> Mapping[str, object]:
    """The fields that the caller passed as ``extra``."""
    return {k: v for k, v in vars(record).items() if k not in _STANDARD_FIELDS}


def _redacted(value: object) -> object:
    match value:
        case None | bool() | int() | float():
            return value
        case Mapping():
            return {SECRETS.redact(str(key)): _redacted(each) for key, each in value.items()}
        case list() | tuple():
            return [_redacted(each) for each in value]
        case _:
            return SECRETS.redact(str(value))


def log_to(stream: TextIO = sys.stderr, *, level: str = "INFO") -> None:
    """Sends every log of the process to ``stream`` as JSON Lines, libraries' warnings included."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    handler.addFilter(SeldomFromOthers())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for verbose in ("uvicorn", "watchfiles", "py4j", "alembic", "sqlalchemy", "twine"):
        logging.getLogger(verbose).setLevel("WARNING")
    # These libraries log each failed connection in several lines; our own line has the error.
    for repetitive in ("kafka", "thrift"):
        logging.getLogger(repetitive).setLevel("CRITICAL")
