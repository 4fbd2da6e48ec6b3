"""The names that a module's syntax tree binds, by scope, which renaming and joining must not confuse."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class UnfitRuntime(ValueError):
    """Modules that cannot be joined; the message names the conflicting name."""


def global_names(statements: Iterable[ast.stmt]) -> frozenset[str]:
    """The names that the statements bind in their module."""
    return frozenset(name for statement in statements for name in _bound(statement))


def local_names(tree: ast.AST) -> frozenset[str]:
    """The names that any function, class or comprehension inside the tree binds locally."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Global | ast.Nonlocal):
            raise UnfitRuntime(f"line {node.lineno}: global and nonlocal are not supported")
        if isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, _COMPREHENSIONS):
            for generator in node.generators:
                found.update(_bound(generator.target))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.update(name for statement in node.body for name in _bound(statement))
    return frozenset(found)


def used_names(tree: ast.AST) -> frozenset[str]:
    """The names that are read inside the tree, without attributes."""
    return frozenset(
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )


def _bound(node: ast.AST) -> Iterator[str]:
    """The names that a node binds in its enclosing scope."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            yield from (each.asname or each.name.partition(".")[0] for each in aliases)
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            yield name
        case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            yield name
        case _:
            pass
    if not isinstance(node, (*_SCOPES, *_COMPREHENSIONS)):
        for child in ast.iter_child_nodes(node):
            yield from _bound(child)
