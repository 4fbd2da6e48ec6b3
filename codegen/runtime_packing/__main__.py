"""Writes the files of ``codegen/packed_runtime``: ``make runtime``, after a change of the runtime."""

from __future__ import annotations

from pathlib import Path

import python_minifier

import codegen
from codegen.runtime_packing.groups import INIT
from codegen.runtime_packing.joining import join_modules
from codegen.runtime_packing.sources import runtime_sources

# Comments, so that they are no part of the program: what type checkers obey where a package is
# checked as its user's own code.
_HEADS = {
    INIT: """\
# What every package contains a copy of, so that it depends on nothing; generated, do not edit.
# pyright: basic
# mypy: disable-error-code=override
""",
}
_HEAD = "# pyright: basic\n# mypy: ignore-errors\n"

_TARGET = Path(next(iter(codegen.__path__))) / "packed_runtime"


def main() -> None:
    for group, joined in join_modules(runtime_sources()).items():
        text = python_minifier.unparse(joined.tree())
        _TARGET.joinpath(f"{group}.txt").write_text(f"{_HEADS.get(group, _HEAD)}{text}\n", "utf-8")


if __name__ == "__main__":
    main()
