"""The errors of tables' own files."""

from __future__ import annotations


class UnreadableFile(Exception):
    """A file that cannot be read. Reason and hint contain nothing from the file."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason, hint)
        self.reason = reason
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.reason}; {self.hint}"


class MalformedFile(UnreadableFile):
    """A file whose content does not match its name; ``name`` is the bare file name."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name} {reason}", "let the engine that wrote the table repair it")
