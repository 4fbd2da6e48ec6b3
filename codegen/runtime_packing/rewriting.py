"""Rewrites a module's syntax tree as part of a joined file: imports and renamed names."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping

from codegen.runtime_packing.groups import INIT
from codegen.runtime_packing.meanings import Name
from codegen.runtime_packing.scopes import UnfitRuntime, local_names


class Rewriter(ast.NodeTransformer):
    """Changes ``tree`` in place.

    Attributes:
        earlier: the modules that come before this module in its file.
    """

    def __init__(
        self,
        module: str,
        tree: ast.Module,
        renamed: Mapping[Name, str],
        group_of: Mapping[str, str],
        earlier: Collection[str],
    ) -> None:
        self._module = module
        self._tree = tree
        self._renamed = renamed
        self._group_of = group_of
        self._earlier = earlier
        self._local = local_names(tree)
        self._new = {name: new for (owner, name), new in renamed.items() if owner == module}
        self._joined_modules: set[str] = set()

    def rewrite(self) -> None:
        body: list[ast.stmt] = []
        for statement in self._tree.body:
            if isinstance(statement, ast.ImportFrom) and statement.level:
                body += self._import(statement)
            else:
                body.append(statement)
        self._tree.body = body
        for name in {*self._new, *self._new.values(), *self._joined_modules}:
            self._check_not_local(name)
        self.visit(self._tree)

    def _import(self, statement: ast.ImportFrom) -> list[ast.stmt]:
        """The remainder of an import from other runtime modules."""
        made: list[ast.stmt] = []
        for alias in statement.names:
            if alias.asname and statement.module:
                raise UnfitRuntime(f"{self._module}: import {alias.name} under its own name")
            module = statement.module or alias.name
            group = self._group_of[module]
            if group == self._group_of[self._module]:
                self._join(module, None if statement.module is None else alias.name)
            elif statement.module is None:
                made.append(_import_from(None, group, alias.name))
            else:
                self._rename(module, alias.name)
                name = self._renamed.get((module, alias.name), alias.name)
                made.append(_import_from(None if group == INIT else group, name))
        return [ast.copy_location(each, statement) for each in made]

    def _join(self, module: str, name: str | None) -> None:
        if module not in self._earlier:
            raise UnfitRuntime(f"{self._module} imports {module}, which comes after it")
        if name is None:
            self._joined_modules.add(module)
        else:
            self._rename(module, name)

    def _rename(self, module: str, name: str) -> None:
        if (module, name) in self._renamed:
            self._new[name] = self._renamed[module, name]

    def _check_not_local(self, name: str) -> None:
        if name in self._local:
            raise UnfitRuntime(f"{self._module}: {name} is a local name, too")

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id in self._joined_modules:
            raise UnfitRuntime(f"{self._module}: the module {node.id} is used as a value")
        node.id = self._new.get(node.id, node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        match node:
            case ast.Attribute(ast.Name(module), name) if module in self._joined_modules:
                self._check_not_local(name)
                new = self._renamed.get((module, name), name)
                return ast.copy_location(ast.Name(new, ast.Load()), node)
            case _:
                self.generic_visit(node)
                return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self._rename_definition(node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        self._rename_definition(node)
        return node

    def _rename_definition(self, node: ast.FunctionDef | ast.ClassDef) -> None:
        if node in self._tree.body:
            node.name = self._new.get(node.name, node.name)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """Changes calls that import a module on demand by its name in a string."""
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Attribute(ast.Name("importlib"), "import_module"),
                          [ast.Constant(str(name)) as text, _]) if name.startswith("."):  # fmt: skip
                text.value = f".{self._group_of[name[1:]]}"
            case _:
                pass
        return node


def _import_from(module: str | None, name: str, asname: str | None = None) -> ast.ImportFrom:
    return ast.ImportFrom(module, [ast.alias(name, asname)], 1)
