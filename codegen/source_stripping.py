"""A module's source without what only its authors read: comments and docstrings.

It does the same, statement for statement, and each statement stays on its line, so that tracebacks
name the lines of the original; what is left out becomes blank lines. Nothing is printed anew: the
result depends on where statements and comments begin and end, on which all versions of Python agree.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Collection, Iterator

# Tools obey these where a package is checked as part of its user's own code.
_DIRECTIVE = re.compile(r"#\s*(type:|pyright:|noqa\b)")


def stripped(source: str, documented: Collection[str] = ()) -> str:
    """``source`` without comments and docstrings, but those of the classes named ``documented``.

    Such a class keeps its own docstring and those of its public methods.

    Raises:
        SyntaxError: it is not Python.
    """
    lines = source.split("\n")
    for number, line in _without_texts(ast.parse(source), documented):
        lines[number - 1] = line
    for number, column in _comments(source):
        lines[number - 1] = lines[number - 1][:column].rstrip()
    return "\n".join(lines)


def _without_texts(tree: ast.Module, documented: Collection[str]) -> Iterator[tuple[int, str]]:
    """What becomes of each line of a statement that is nothing but a text."""
    kept = {id(text) for text in _kept_texts(tree, documented)}
    for block in ast.walk(tree):
        texts = [text for text in _texts(block) if id(text) not in kept]
        for text in texts:
            yield from ((line, "") for line in _lines_of(text))
        if texts and texts == _body(block) and not isinstance(block, ast.Module):
            yield texts[0].lineno, " " * texts[0].col_offset + "pass"


def _kept_texts(tree: ast.Module, documented: Collection[str]) -> Iterator[ast.stmt]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name in documented:
            yield from _docstring(node)
            for member in node.body:
                if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
                    yield from _docstring(member)


def _docstring(block: ast.AST) -> Iterator[ast.stmt]:
    yield from (text for text in _texts(block) if text is _body(block)[0])


def _texts(block: ast.AST) -> list[ast.stmt]:
    """The statements of a block that are nothing but a text."""
    return [
        each
        for each in _body(block)
        if isinstance(each, ast.Expr)
        and isinstance(each.value, ast.Constant)
        and isinstance(each.value.value, str)
    ]


def _body(block: ast.AST) -> list[ast.stmt]:
    if isinstance(block, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return block.body
    return []


def _lines_of(statement: ast.stmt) -> range:
    return range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)


def _comments(source: str) -> Iterator[tuple[int, int]]:
    """The line and the column of each comment that no tool obeys."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not _DIRECTIVE.match(token.string):
            yield token.start
