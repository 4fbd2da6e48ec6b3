"""Joins the runtime's modules into the files of a package, as syntax trees.

Imports between modules of the same file are dropped. If two modules define the same name, the name of the
later module gets the module's name as a suffix. Anything that could change a name's meaning is an error.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from codegen.runtime_packing.groups import DOCUMENTED, GROUP_OF, GROUPS, INIT
from codegen.runtime_packing.meanings import Name, meanings, renamed_in
from codegen.runtime_packing.pruning import drop_unread, pruned
from codegen.runtime_packing.rewriting import Rewriter
from codegen.runtime_packing.scopes import UnfitRuntime


@dataclass(frozen=True, slots=True)
class Joined:
    """A file of packages: its imports, and the part of each runtime module, in order."""

    imports: ast.Module
    pieces: Mapping[str, ast.Module]

    def tree(self) -> ast.Module:
        bodies = [self.imports.body, *(piece.body for piece in self.pieces.values())]
        return ast.Module([statement for body in bodies for statement in body], [])


# Type checkers see a package through the file that is imported with it.
_TYPED = (INIT,)


def join_modules(
    sources: Mapping[str, str],
    groups: Mapping[str, Sequence[str]] = GROUPS,
    group_of: Mapping[str, str] = GROUP_OF,
    typed: Collection[str] = _TYPED,
) -> Mapping[str, Joined]:
    """The files of a package by name, from the runtime's modules by name.

    The files named ``typed`` keep their annotations.

    Raises:
        UnfitRuntime: joining would change a name's meaning.
    """
    if strays := sources.keys() ^ group_of.keys():
        raise UnfitRuntime(f"not in sources and in a group: {', '.join(sorted(strays))}")
    trees = {
        name: pruned(ast.parse(source), DOCUMENTED, typed=group_of[name] in typed)
        for name, source in sources.items()
    }
    drop_unread({name: tree for name, tree in trees.items() if group_of[name] not in typed})
    renamed: dict[Name, str] = {}
    for modules in groups.values():
        renamed |= renamed_in({module: meanings(module, trees[module]) for module in modules})
    return {
        group: _joined({module: trees[module] for module in modules}, renamed, group_of)
        for group, modules in groups.items()
    }


def _joined(
    trees: Mapping[str, ast.Module], renamed: Mapping[Name, str], group_of: Mapping[str, str]
) -> Joined:
    imports: list[ast.Import | ast.ImportFrom] = []
    constants: set[str] = set()
    pieces: dict[str, ast.Module] = {}
    for module, tree in trees.items():
        Rewriter(module, tree, renamed, group_of, earlier=pieces.keys()).rewrite()
        body: list[ast.stmt] = []
        for statement in tree.body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                imports.append(statement)
            elif not _is_known(statement, constants):
                body.append(statement)
        pieces[module] = ast.Module(body, [])
    return Joined(ast.Module(_merged(imports), []), pieces)


def _is_known(statement: ast.stmt, constants: set[str]) -> bool:
    """Whether an earlier module defines the same constant, such as ``TYPE_CHECKING``."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Constant):
        return False
    text = ast.dump(statement)
    known = text in constants
    constants.add(text)
    return known


def _merged(imports: Sequence[ast.Import | ast.ImportFrom]) -> list[ast.stmt]:
    """One import statement for each source module, in a fixed order."""
    plain: dict[str, ast.alias] = {}
    named: dict[tuple[int, str], dict[str, ast.alias]] = {}
    for statement in imports:
        if isinstance(statement, ast.Import):
            plain |= {ast.dump(alias): alias for alias in statement.names}
        else:
            names = named.setdefault((statement.level, statement.module or ""), {})
            names |= {ast.dump(alias): alias for alias in statement.names}
    made: list[ast.stmt] = [ast.Import([plain[key] for key in sorted(plain)])] if plain else []
    for (level, module), names in sorted(named.items()):
        made.append(ast.ImportFrom(module or None, [names[key] for key in sorted(names)], level))
    # An import from ``__future__`` comes first.
    return sorted(made, key=lambda each: getattr(each, "module", None) != "__future__")
