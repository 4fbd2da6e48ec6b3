"""Shows the program's warnings on standard error as lines for people."""

from __future__ import annotations

import logging

from publisher.logs import fields_of, is_ours
from publisher.printable import printable
from publisher.redaction import SECRETS


class _Line(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        fields = _shown({key: str(value) for key, value in fields_of(record).items()})
        line = f"{record.getMessage()}: {fields}" if fields else record.getMessage()
        return printable(SECRETS.redact(f"schema-publisher: {line}"))


def _shown(fields: dict[str, str]) -> str:
    """The fields as text; the relation, its change and the reason are shown without field names."""
    relation = fields.pop("relation", "")
    change = " → ".join(fields.pop(key) for key in ("old", "new") if key in fields)
    reason = "".join(fields.pop(key, "") for key in ("why", "reason")).removeprefix(f"{relation}: ")
    plain = ": ".join(part for part in (relation, change, reason) if part)
    named = [f"{key}: {value}" for key, value in fields.items()]
    return "; ".join([plain, *named] if plain else named)


def show_warnings() -> None:
    """Shows warnings of interactive commands; ``run`` has a separate log.

    Libraries' warnings are hidden: the command itself reports what matters.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(_Line())
    handler.addFilter(lambda record: is_ours(record.name))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
