"""The tests that a change concerns: prints their paths, for ``make test-fast``.

A changed file of a package concerns the tests in the folder that mirrors its own, and each test module
that imports it. A changed test concerns itself. A changed page concerns the tests of the documents.
Changes are those since the branch left its upstream; without one, since the commit before the last.
"""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
OF_DOCUMENTS = ("tests/test_documentation.py", "tests/test_prose.py", "tests/test_reference.py")


def main() -> None:
    print(*concerned(changed_files(), imports_of_tests()))


def concerned(changed: Iterable[str], imports: Mapping[str, frozenset[str]]) -> Sequence[str]:
    """Paths of tests, in order; no path lies in another one.

    Args:
        changed: paths of files, relative to the root.
        imports: the modules that each test module imports.
    """
    found: set[str] = set()
    for name in changed:
        found.update(_concerned(PurePosixPath(name), imports))
    return [path for path in sorted(found) if not any(_lies_in(path, other) for other in found)]


def _concerned(path: PurePosixPath, imports: Mapping[str, frozenset[str]]) -> Iterator[str]:
    top, *inner = path.parts
    if path.suffix == ".md":
        yield from OF_DOCUMENTS
    elif top == "tests" and inner[:1] != ["integration"]:
        if path.match("test_*.py") and (ROOT / path).exists():
            yield str(path)
    elif (ROOT / top / "__init__.py").exists():
        folder = PurePosixPath("tests", path.parent)
        while not (ROOT / folder).is_dir():
            folder = folder.parent
        if folder.name != "tests":
            yield str(folder)
    module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    yield from (test for test, imported in imports.items() if module in imported)


def _lies_in(path: str, folder: str) -> bool:
    return path != folder and PurePosixPath(path).is_relative_to(folder)


def changed_files() -> Sequence[str]:
    base = _git("merge-base", "HEAD", "@{upstream}") or _git("rev-parse", "HEAD~1")
    if not base:
        return []
    new = _git("ls-files", "--others", "--exclude-standard")
    return [*_git("diff", "--name-only", base).splitlines(), *new.splitlines()]


def _git(*arguments: str) -> str:
    """What git prints; nothing where it fails."""
    done = subprocess.run(
        ("git", *arguments), cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else ""


def imports_of_tests() -> Mapping[str, frozenset[str]]:
    tests = (t for t in (ROOT / "tests").rglob("test_*.py") if "integration" not in t.parts)
    return {test.relative_to(ROOT).as_posix(): frozenset(_imports(test)) for test in tests}


def _imports(test: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(test.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


if __name__ == "__main__":
    main()
