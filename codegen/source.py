"""Writes lines of Python source. Only these functions may write untrusted text into source."""

from __future__ import annotations

import re

TYPE_CHECKING = (
    "# Type checkers know the name; to import typing takes longer than this package.",
    "TYPE_CHECKING = False",
)

PYRIGHT = "# pyright: basic"
"""The comment for Pyright's basic mode. The strict mode would require annotations that Pyright infers."""

# Lines that need no escaping, as most lines of documentation.
_PLAIN = re.compile(r"[ !#-\[\]-~]*")


class Lines:
    """Source code under construction; enclosing blocks indent each line."""

    def __init__(self, indent: str = "") -> None:
        self._lines: list[str] = []
        self._indent = indent

    def add(self, *lines: str) -> None:
        indent = self._indent
        self._lines += [indent + line if line else "" for line in lines] if indent else lines

    def add_text(self, text: str) -> None:
        """Adds lines that are already indented."""
        self._lines.append(text)

    def block(self, head: str) -> Lines:
        """A context in which lines are written within the block ``head``."""
        self._lines.append(self._indent + head)
        self._indent += "    "
        return self

    def __enter__(self) -> None:
        # A class with these methods is faster than ``contextlib``, whose generators cost more than the
        # lines inside.
        pass

    def __exit__(self, *_: object) -> None:
        self._indent = self._indent[4:]

    def docstring(self, text: str) -> None:
        """Adds a docstring with any text. It evaluates to ``text`` with indented lines."""
        lines = [_escaped(line) for line in text.split("\n")]
        if len(lines) == 1:
            self.add(f'"""{lines[0]}"""')
            return
        self.add(f'"""{lines[0]}', *lines[1:], '"""')

    def text(self) -> str:
        return "\n".join(self._lines) + "\n"


def literal(text: str) -> str:
    """A string literal in ASCII: the only way from untrusted text to an expression."""
    return ascii(text)


def _escaped(line: str) -> str:
    # Backslashes and quotes are escaped, so that no text can end the literal. So is anything but
    # ASCII, since which characters are printable depends on the interpreter.
    if _PLAIN.fullmatch(line):
        return line
    return line.encode("unicode_escape").decode("ascii").replace('"', '\\"')
