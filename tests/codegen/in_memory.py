"""A generated package's files, imported without a folder.

The runtime is the same in every package: compiled once, it adds almost no time per package.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import CodeType, ModuleType

from codegen import runtime
from codegen.runtime_files import runtime_files
from codegen.runtime_packing.joining import join_modules
from codegen.runtime_packing.sources import runtime_sources

RUNTIME = Path(next(iter(runtime.__path__)))
_FUTURE = ast.parse("from __future__ import annotations").body


class InMemoryFinder(MetaPathFinder):
    """Finds the modules of one package; ``files`` are by path, as in a wheel."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        base = fullname.replace(".", "/")
        for name in (f"{base}/__init__.py", f"{base}.py"):
            if name in self._files:
                loader = _InMemoryLoader(self._files[name], name)
                return spec_from_loader(fullname, loader, is_package=name.endswith("/__init__.py"))
        if any(name.startswith(f"{base}/") for name in self._files):
            # A namespace, which has no module of its own.
            return ModuleSpec(fullname, None, is_package=True)
        return None


class _InMemoryLoader(Loader):
    def __init__(self, source: bytes, path: str) -> None:
        self._source = source
        self._path = path

    def exec_module(self, module: ModuleType) -> None:
        file = self._path.rpartition("/")[2]
        if "/_avro/" in self._path and self._source == runtime_files().get(file):
            codes = _of_runtime()[file.removesuffix(".py")]
        else:
            codes = [compile(self._source, file, "exec", dont_inherit=True)]
        for code in codes:
            exec(code, module.__dict__)


@functools.cache
def _of_runtime() -> Mapping[str, Sequence[CodeType]]:
    """The same program as the files of a package, with the lines and files that it was written in.

    So coverage counts them there; ``test_runtime_packing`` compares it with what packages contain.
    """
    return {
        group: [
            _compiled(tree, module)
            for module, tree in [("__init__", joined.imports), *joined.pieces.items()]
        ]
        for group, joined in join_modules(runtime_sources()).items()
    }


def _compiled(tree: ast.Module, module: str) -> CodeType:
    path = str(RUNTIME / f"{module}.py")
    if not any(
        isinstance(each, ast.ImportFrom) and each.module == "__future__" for each in tree.body
    ):
        tree = ast.Module([*_FUTURE, *tree.body], [])
    return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
