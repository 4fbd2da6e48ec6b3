"""Imports a wheel's modules from memory under a fixed name, and removes them afterwards.

No path or module is named after a relation. The import executes the generator's output, which a
malicious name might have corrupted. So only a process within limits may import a package.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import CodeType, ModuleType

from codegen.zip_reader import ArchiveReader

MAX_FILE_BYTES = 64 * 1024 * 1024

_PACKAGE = "_package_under_check"
_INIT = "__init__.py"


def package_files(wheel: bytes) -> Mapping[str, bytes]:
    """The files of a wheel's import package, by path within its folder.

    Raises:
        ValueError: the wheel is damaged, or does not have exactly one package of this generator.
    """
    archive = ArchiveReader(wheel)
    (stated,) = [name for name in archive.names if name.endswith("/provenance.json")]
    folder = stated.removesuffix("provenance.json")
    return {
        name.removeprefix(folder): archive.read(name, MAX_FILE_BYTES)
        for name in archive.names
        if name.startswith(folder)
    }


def compile_modules(files: Mapping[str, bytes]) -> Mapping[str, CodeType]:
    return {
        # Cached, since every package has the same runtime.
        path: (_compile_again if path.startswith("_avro/") else _compile)(source, path)
        for path, source in files.items()
        if path.endswith(".py")
    }


def _compile(source: bytes, path: str) -> CodeType:
    return compile(source, f"<{path}>", "exec", dont_inherit=True)


_compile_again = lru_cache(maxsize=128)(_compile)


@contextmanager
def imported(modules: Mapping[str, CodeType]) -> Iterator[tuple[ModuleType, ModuleType]]:
    """Imports the package and its codec during the block. Not safe for threads."""
    finder = _Finder({_module_name(path): (code, path) for path, code in modules.items()})
    sys.meta_path.insert(0, finder)
    try:
        yield import_module(_PACKAGE), import_module(f"{_PACKAGE}._codec")
    finally:
        sys.meta_path.remove(finder)
        for name in [n for n in sys.modules if n.partition(".")[0] == _PACKAGE]:
            del sys.modules[name]


def _module_name(path: str) -> str:
    within = path.removesuffix(_INIT) if path.endswith(_INIT) else path.removesuffix(".py")
    return ".".join([_PACKAGE, *within.strip("/").split("/")]).rstrip(".")


class _Finder(MetaPathFinder):
    """Finds a package's modules; ``modules`` has each module's code and original path, by full name."""

    def __init__(self, modules: Mapping[str, tuple[CodeType, str]]) -> None:
        self._modules = modules

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 (the protocol's)
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        if fullname not in self._modules:
            return None
        code, file = self._modules[fullname]
        return spec_from_loader(fullname, _Loader(code), is_package=file.endswith(_INIT))


class _Loader(Loader):
    def __init__(self, code: CodeType) -> None:
        self._code = code

    def exec_module(self, module: ModuleType) -> None:
        exec(self._code, module.__dict__)  # noqa: S102 (see the module's docstring)
