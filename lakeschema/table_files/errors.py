"""What goes wrong with a table's own files."""

from __future__ import annotations


class UnreadableFile(Exception):
    """The reason and the hint are for people: no content of a file is in them."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason, hint)
        self.reason = reason
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.reason}; {self.hint}"


class MalformedFile(UnreadableFile):
    """A file that is not what its name says; ``name`` is that of the file alone."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name} {reason}", "let the engine that wrote the table repair it")
