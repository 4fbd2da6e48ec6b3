"""Shows the program's warnings on standard error as lines for people."""

from __future__ import annotations

import logging

from publisher.commands.printable import printable
from publisher.logs import fields_of, is_ours
from publisher.redaction import SECRETS


class _Line(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        fields = ", ".join(str(value) for value in fields_of(record).values())
        line = f"{record.getMessage()}: {fields}" if fields else record.getMessage()
        return printable(SECRETS.redact(f"schema-publisher: {line}"))


def show_warnings() -> None:
    """Set up for interactive commands; ``run`` has a separate log.

    Libraries' warnings are hidden: the command itself reports what matters.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(_Line())
    handler.addFilter(lambda record: is_ours(record.name))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
