"""The error for an invalid schema text."""

from __future__ import annotations


class MalformedAvroSchema(Exception):
    """A text that is not an Avro schema. ``path`` leads to the fault; ``$`` is the whole text."""

    hint = "correct the schema; the Avro specification's section 'Schema Declaration' says how"

    def __init__(self, path: str, reason: str, hint: str = "") -> None:
        super().__init__(path, reason, hint)
        self.path = path
        self.reason = reason
        self.hint = hint or self.hint

    def __str__(self) -> str:
        return f"Avro schema is malformed at {self.path}: {self.reason}"
