"""Logs as JSON Lines: a lower-case event plus fields, one object a line, on standard error."""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import TextIO

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
        return json.dumps(entry, default=str)


def log_to(stream: TextIO = sys.stderr, *, level: str = "INFO") -> None:
    """Sends every log of the process to ``stream`` as JSON Lines, libraries' warnings included."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for verbose in ("kafka", "uvicorn", "watchfiles", "py4j", "alembic", "sqlalchemy"):
        logging.getLogger(verbose).setLevel("WARNING")
