"""Removes the parts of a module's syntax tree that only its authors and type checker need.

Docstrings and annotations are removed, except for classes that users get instances of. Names,
parameters and statements stay, so that tracebacks and errors read as before.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence

from codegen.runtime_packing.scopes import used_names


def pruned(tree: ast.Module, documented: Collection[str], *, typed: bool) -> ast.Module:
    """The tree, changed in place; annotations stay if it is ``typed``."""
    _Pruner(documented, typed=typed).visit(tree)
    return tree


def drop_unread(trees: Mapping[str, ast.Module]) -> None:
    """Removes unread imports from trees, and then types that only these imports used."""
    dropping = True
    while dropping:
        for tree in trees.values():
            tree.body = _without_unread_imports(tree)
        imported = {
            alias.name
            for tree in trees.values()
            for statement in tree.body
            if isinstance(statement, ast.ImportFrom) and statement.level
            for alias in statement.names
        }
        dropping = False
        for tree in trees.values():
            read = {*used_names(tree), *imported}
            kept = [each for each in tree.body if _of_types(each) in {"", *read}]
            dropping = dropping or len(kept) < len(tree.body)
            tree.body = kept


def _without_unread_imports(tree: ast.Module) -> list[ast.stmt]:
    read = used_names(tree)
    kept: list[ast.stmt] = []
    for statement in tree.body:
        if isinstance(statement, ast.Import | ast.ImportFrom) and not _of_the_future(statement):
            statement.names = [
                each
                for each in statement.names
                if (each.asname or each.name.partition(".")[0]) in read
            ]
            if not statement.names:
                continue
        kept.append(statement)
    return kept


def _of_the_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _of_types(statement: ast.stmt) -> str:
    """The name that a statement defines only for annotations; "" for other statements."""
    match statement:
        case ast.AnnAssign(ast.Name(name), ast.Name("TypeAlias")):
            return name
        case ast.Assign([ast.Name(name)], ast.Call(ast.Name("TypeVar"))):
            return name
        case ast.ClassDef(name=name, bases=[ast.Name("Protocol")]):
            return name
        case _:
            return ""


class _Pruner(ast.NodeTransformer):
    def __init__(self, documented: Collection[str], *, typed: bool) -> None:
        self._documented = documented
        self._typed = typed
        self._in_class = False

    def visit_Module(self, node: ast.Module) -> ast.Module:
        node.body = _without_texts(node.body)
        self.generic_visit(node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        if node.name in self._documented:
            for member in node.body:
                if isinstance(member, ast.FunctionDef) and member.name.startswith("_"):
                    member.body = _without_texts(member.body)
            node.body = [*node.body[:1], *_without_texts(node.body[1:])]
            return node
        outer, self._in_class = self._in_class, True
        node.body = _without_texts(node.body)
        self.generic_visit(node)
        self._in_class = outer
        node.body = node.body or [ast.copy_location(ast.Pass(), node)]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        outer, self._in_class = self._in_class, False
        node.body = _without_texts(node.body)
        self.generic_visit(node)
        self._in_class = outer
        node.returns = node.returns if self._typed else None
        node.body = node.body or [ast.copy_location(ast.Pass(), node)]
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = node.annotation if self._typed else None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt | None:
        self.generic_visit(node)
        if self._typed or _of_types(node):
            return node
        if node.value is None:
            return None
        return ast.copy_location(ast.Assign([node.target], node.value), node)


def _without_texts(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements without bare strings."""
    kept = [each for each in body if not _is_text(each)]
    return kept or [ast.copy_location(ast.Pass(), body[0])] if body else []


def _is_text(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(ast.Constant(str())):
            return True
        case _:
            return False
