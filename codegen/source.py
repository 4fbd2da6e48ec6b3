"""Lines of Python source, and the only functions that write untrusted text into them."""

from __future__ import annotations

import re

TYPE_CHECKING = (
    "# Type checkers know the name; to import typing takes longer than this package.",
    "TYPE_CHECKING = False",
)

PYRIGHT = "# pyright: basic"
"""Pyright's strict mode would require annotations that it infers, and refuse what it does not know."""

# Most lines of documentation, which need no escaping.
_PLAIN = re.compile(r"[ !#-\[\]-~]*")


class Lines:
    """Source under construction; a line is indented by its enclosing blocks."""

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
        """Lines are within ``head`` until the end of the ``with`` statement."""
        self._lines.append(self._indent + head)
        self._indent += "    "
        return self

    def __enter__(self) -> None:
        # Not by ``contextlib``, whose generators cost more than the lines inside.
        pass

    def __exit__(self, *_: object) -> None:
        self._indent = self._indent[4:]

    def docstring(self, text: str) -> None:
        """A docstring that evaluates to ``text`` with its lines indented, whatever the text contains."""
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
