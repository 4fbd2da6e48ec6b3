"""Warnings of the program while a command runs, as lines for people on standard error."""

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
    """For commands of people; ``run`` has a log of its own instead.

    What a library warns of, the command says itself where it matters.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(_Line())
    handler.addFilter(lambda record: is_ours(record.name))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
