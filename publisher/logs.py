"""Logs as JSON Lines: a lower-case event plus fields, one object a line, without known secrets."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Mapping
from typing import TextIO

from publisher.redaction import SECRETS

_STANDARD_FIELDS = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonFormatter(logging.Formatter):
    """Fields come from ``extra``; a value that JSON cannot hold is shown as text.

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
        fields = {k: v for k, v in vars(record).items() if k not in _STANDARD_FIELDS}
        entry |= {k: v for k, v in fields.items() if k not in entry}
        if record.exc_info:
            entry["trace"] = self.formatException(record.exc_info)
        return json.dumps({name: _redacted(value) for name, value in entry.items()})


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
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for verbose in ("kafka", "uvicorn", "watchfiles", "py4j", "alembic", "sqlalchemy"):
        logging.getLogger(verbose).setLevel("WARNING")
