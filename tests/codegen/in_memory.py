"""A generated package's files, imported without a folder.

The runtime is the same in every package: compiled once, it costs a package next to nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import CodeType, ModuleType

from codegen import runtime

RUNTIME = Path(next(iter(runtime.__path__)))


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
        if "/_avro/" in self._path:
            # Named as the file that it is a copy of, so that coverage counts it there.
            code = _of_runtime(self._source, str(RUNTIME / file))
        else:
            code = _compiled(self._source, file)
        exec(code, module.__dict__)


def _compiled(source: bytes, path: str) -> CodeType:
    return compile(source, path, "exec", dont_inherit=True)


_of_runtime = functools.cache(_compiled)
