"""Stripped modules: the same statements on the same lines, without comments and docstrings."""

from __future__ import annotations

import ast
import re
import tokenize
from importlib.resources import files
from io import StringIO

import pytest

from codegen.runtime_files import DOCUMENTED, runtime_files
from codegen.source_stripping import stripped

_SOURCE = '''"""A module."""

import sys  # used below

# A comment
#: and another.
LIMIT: int = 3
"""What the limit is."""


class Shown(ValueError):
    """A class

    of two paragraphs.
    """

    def method(self) -> None:
        """A method."""

    def _own(self) -> int:
        """A private method."""
        return 1  # type: ignore[misc]  # for a reason


class Hidden:
    """Nothing else."""


def text(value: object) -> str:
    # Not comments: texts with a mark.
    return f"{value} # {'#'}" """

# still text
""" + "#"  # noqa: ISC003
'''

_STRIPPED = '''

import sys



LIMIT: int = 3



class Shown(ValueError):
    """A class

    of two paragraphs.
    """

    def method(self) -> None:
        """A method."""

    def _own(self) -> int:

        return 1  # type: ignore[misc]  # for a reason


class Hidden:
    pass


def text(value: object) -> str:

    return f"{value} # {'#'}" """

# still text
""" + "#"  # noqa: ISC003
'''


def test_comments_and_texts_become_blank_but_those_of_documented_classes_and_directives() -> None:
    assert stripped(_SOURCE, {"Shown"}) == _STRIPPED


@pytest.mark.parametrize("name", sorted(runtime_files()))
def test_a_packages_copy_has_each_statement_of_the_original_in_its_place(name: str) -> None:
    original = files("codegen.runtime").joinpath(name).read_text("utf-8")
    copy = runtime_files()[name].decode()

    assert _statements(copy) == _statements(original)


@pytest.mark.parametrize("name", sorted(runtime_files().keys() - {"__init__.py"}))
def test_a_packages_copy_has_no_comments_but_directives(name: str) -> None:
    tokens = tokenize.generate_tokens(StringIO(runtime_files()[name].decode()).readline)

    comments = [token.string for token in tokens if token.type == tokenize.COMMENT]

    assert [text for text in comments if not re.search("noqa|type:|pyright:", text)] == []


def test_a_packages_copy_documents_the_classes_whose_values_its_users_hold() -> None:
    documented = {
        node.name
        for data in runtime_files().values()
        for node in ast.walk(ast.parse(data))
        if isinstance(node, ast.ClassDef) and ast.get_docstring(node)
    }

    assert documented == DOCUMENTED


def _statements(source: str) -> str:
    """The module's tree with places, without statements that are a text or do nothing."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [each for each in node.body if not _does_nothing(each)]
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                # It ends with its last statement, and that may be such a text.
                vars(node).update(end_lineno=None, end_col_offset=None)
    return ast.dump(tree, include_attributes=True)


def _does_nothing(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass() | ast.Expr(ast.Constant(str())):
            return True
        case _:
            return False
