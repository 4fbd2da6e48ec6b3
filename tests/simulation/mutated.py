"""A process whose engine lacks a safeguard: plays histories, or runs tests, until something breaks.

Texts are edited as the modules are imported, so the checkout stays as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder, SourceLoader
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType

from tests.simulation.mutations import MUTATIONS, Edit, Mutation


def edit_text(text: str, edits: Sequence[Edit], module: str) -> str:
    for edit in edits:
        if edit.module != module:
            continue
        if text.count(edit.old) != 1:
            raise ValueError(f"{module}: expected once, found {text.count(edit.old)}: {edit.old}")
        text = text.replace(edit.old, edit.new)
    return text


class _EditingLoader(SourceFileLoader):
    def __init__(self, name: str, path: str, edits: Sequence[Edit]) -> None:
        super().__init__(name, path)
        self._edits = edits

    def exec_module(self, module: ModuleType) -> None:
        """Compiles the edited text; the cache of compiled modules holds the original."""
        source = edit_text(self.get_data(self.path).decode(), self._edits, self.name)
        exec(compile(source, self.path, "exec"), module.__dict__)


class _EditingFinder(MetaPathFinder):
    def __init__(self, edits: Sequence[Edit]) -> None:
        self._edits = edits

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not any(edit.module == fullname for edit in self._edits):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceLoader) and spec.origin:
            spec.loader = _EditingLoader(fullname, spec.origin, self._edits)
        return spec


def main() -> int:
    """Ends with 1 if the engine was caught, and prints the failure."""
    name, first, budget = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    mutation = MUTATIONS[name]
    sys.meta_path.insert(0, _EditingFinder(mutation.edits))
    return _run_tests(mutation) if mutation.tests else _play(first, budget)


def _run_tests(mutation: Mutation) -> int:
    import pytest

    options = ["--quiet", "--exitfirst", "-m", "not slow", "-p", "no:cacheprovider"]
    return 1 if pytest.main([*options, *mutation.tests]) == pytest.ExitCode.TESTS_FAILED else 0


def _play(first: int, budget: int) -> int:
    # This imports the engine, so it must come after the finder.
    from tests.simulation.features import LANDED
    from tests.simulation.histories import Plan, first_divergence
    from tests.simulation.simulation import assemble
    from tests.simulation.story import LENGTH

    number, found = first_divergence(Plan(LANDED, LENGTH), assemble, first, budget)
    if found is None:
        print(number)
        return 0
    print(number, found.error)
    return 1


if __name__ == "__main__":
    sys.exit(main())
