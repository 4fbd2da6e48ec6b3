"""Finds the meanings of a module's global names, and new names for names that would collide."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from codegen.runtime_packing.scopes import UnfitRuntime, global_names

Name: TypeAlias = tuple[str, str]
"""A module of the runtime and a name that it defines."""

_IMPORTS = (ast.Import, ast.ImportFrom)
# Modules that are imported at once define it instead of importing ``typing``.
_SAME_EVERYWHERE = frozenset({"TYPE_CHECKING"})


def meanings(module: str, tree: ast.Module) -> Mapping[str, str]:
    """The names that the module binds, with their meanings: equal texts mean the same thing."""
    imports = [each for each in _statements(tree.body) if isinstance(each, _IMPORTS)]
    found = {
        alias.asname or alias.name: _imported(statement, alias)
        for statement in imports
        for alias in statement.names
    }
    for name in global_names(each for each in _statements(tree.body) if each not in imports):
        found[name] = name if name in _SAME_EVERYWHERE else f"{module}.{name}"
    return found


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module; an ``if`` is replaced by the statements under it."""
    for statement in body:
        if isinstance(statement, ast.If):
            yield from _statements([*statement.body, *statement.orelse])
        else:
            yield statement


def _imported(statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    if isinstance(statement, ast.Import):
        return f"import {alias.name}"
    if statement.level and statement.module:
        return f"{statement.module}.{alias.name}"
    return f"from {'.' * statement.level}{statement.module or ''} import {alias.name}"


def renamed_in(modules: Mapping[str, Mapping[str, str]]) -> dict[Name, str]:
    """New names for objects that two modules of a file define under one name, such as ``_text``.

    Raises:
        UnfitRuntime: a colliding name is not defined by either module.
    """
    renamed: dict[Name, str] = {}
    taken: dict[str, str] = {}
    for module, meant in modules.items():
        for name, meaning in meant.items():
            if name in vars(builtins):
                raise UnfitRuntime(f"{module}.{name} hides a builtin from other modules")
            if taken.setdefault(name, meaning) == meaning or _means_renamed(meaning, renamed):
                continue
            if meaning != f"{module}.{name}":
                raise UnfitRuntime(f"{name} of {module} is {meaning}, and elsewhere {taken[name]}")
            renamed[module, name] = f"{name}_{module}"
    new = set(renamed.values())
    if collisions := new & taken.keys():
        raise UnfitRuntime(f"new names are taken: {', '.join(sorted(collisions))}")
    return renamed


def _means_renamed(meaning: str, renamed: Mapping[Name, str]) -> bool:
    module, _, name = meaning.rpartition(".")
    return (module, name) in renamed
