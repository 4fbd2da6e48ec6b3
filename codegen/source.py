"""Lines of Python source, and the only ways in which a stranger's text gets into them."""

from __future__ import annotations


class _Block:
    """Written out, since a generator of ``contextlib`` costs more than the lines within."""

    __slots__ = ("_lines", "_outside")

    def __init__(self, lines: Lines, outside: str) -> None:
        self._lines = lines
        self._outside = outside

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self._lines.leave(self._outside)


class Lines:
    """Source under construction; a line is indented as deep as the blocks around it."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._indent = ""

    def add(self, *lines: str) -> None:
        indent = self._indent
        self._lines += [indent + line if line else "" for line in lines]

    def block(self, head: str) -> _Block:
        """Lines are within ``head`` until the end of the ``with`` that this opens."""
        self._lines.append(self._indent + head)
        block = _Block(self, self._indent)
        self._indent += "    "
        return block

    def leave(self, indent: str) -> None:
        self._indent = indent

    def docstring(self, text: str) -> None:
        """A docstring that evaluates to ``text`` with its lines indented, whatever it holds."""
        lines = [_escaped(line) for line in text.split("\n")]
        if len(lines) == 1:
            self.add(f'"""{lines[0]}"""')
            return
        self.add(f'"""{lines[0]}', *lines[1:], '"""')

    def text(self) -> str:
        return "\n".join(self._lines) + "\n"


def literal(text: str) -> str:
    """A string literal in ASCII: the one way from a stranger's text to an expression."""
    return ascii(text)


def _escaped(line: str) -> str:
    # Every backslash and quote is escaped, so that no text can end the literal, and what is not
    # ASCII is spelt out, since which characters are printable depends on the interpreter.
    return line.encode("unicode_escape").decode("ascii").replace('"', '\\"')
