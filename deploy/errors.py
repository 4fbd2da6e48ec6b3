"""The errors of the local stack.

StackError
├── MissingPrerequisite    a program or package that the machine does not have
├── PreparationFailed      Ivy or javac failed
├── UnexpectedJars         the downloaded jars are not the pinned ones
├── PortTaken              another program listens on the port of a server
├── ServerFailed           a server ended, or was not ready in time: its last log lines are shown
└── StackConflict          the directory holds another stack, or files that are not ours
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


class StackError(Exception):
    """Root of the package's errors; ``hint`` says what the user can do."""

    hint: str = ""


class MissingPrerequisite(StackError):
    def __init__(self, what: str, hint: str) -> None:
        super().__init__(what, hint)
        self.what = what
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.what} is missing"


class PreparationFailed(StackError):
    def __init__(self, command: Sequence[str], output: str, hint: str) -> None:
        super().__init__(command, output, hint)
        self.command = tuple(command)
        self.output = output
        self.hint = hint

    def __str__(self) -> str:
        return f"{' '.join(self.command)} failed:\n{self.output.strip()}"


class UnexpectedJars(StackError):
    hint = (
        "start again, in case a download was damaged; if it fails again, the repository or a proxy "
        "serves other files than those that were pinned: find out why before you trust them"
    )

    def __init__(self, checksums: Path, differences: Sequence[str]) -> None:
        super().__init__(checksums, differences)
        self.checksums = checksums
        self.differences = tuple(differences)

    def __str__(self) -> str:
        listed = "\n".join(self.differences)
        return f"the downloaded jars are not those of {self.checksums}:\n{listed}"


class PortTaken(StackError):
    hint = "end the program that listens there, or omit the port to have a free one chosen"

    def __init__(self, server: str, port: int) -> None:
        super().__init__(server, port)
        self.server = server
        self.port = port

    def __str__(self) -> str:
        return f"{self.server} cannot listen on 127.0.0.1:{self.port}: the port is taken"


class ServerFailed(StackError):
    def __init__(self, server: str, reason: str, log: Path, last_lines: str, hint: str) -> None:
        super().__init__(server, reason, log, last_lines, hint)
        self.server = server
        self.reason = reason
        self.log = log
        self.last_lines = last_lines
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.server} {self.reason}; the end of {self.log}:\n{self.last_lines}"


class StackConflict(StackError):
    def __init__(self, directory: Path, reason: str, hint: str) -> None:
        super().__init__(directory, reason, hint)
        self.directory = directory
        self.reason = reason
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.directory}: {self.reason}"
