"""Writes the files of ``codegen/packed_runtime``: run ``make runtime`` after changing the runtime.

Each text comes with its bytes deflated by Zopfli: 4 % smaller than zlib's, in a hundred times the
time.
"""

from __future__ import annotations

from pathlib import Path

import python_minifier
import zopfli.zlib

import codegen
from codegen.runtime_packing.groups import INIT
from codegen.runtime_packing.joining import join_modules
from codegen.runtime_packing.sources import runtime_sources

# Comments, so that they are not part of the program: settings of type checkers for packages that
# are checked as their user's own code.
_HEADS = {
    INIT: """\
# What every package contains a copy of, so that it depends on nothing; generated, do not edit.
# pyright: basic
# mypy: disable-error-code=override
""",
}
# Without annotations, the class first assigned becomes the attribute's type.
_HEAD = """\
# pyright: basic, reportAttributeAccessIssue=false, reportArgumentType=false
# pyright: reportOperatorIssue=false, reportOptionalMemberAccess=false, reportOptionalSubscript=false
# mypy: ignore-errors
"""

_TARGET = Path(next(iter(codegen.__path__))) / "packed_runtime"


def main() -> None:
    for group, joined in join_modules(runtime_sources()).items():
        text = python_minifier.unparse(joined.tree())
        data = f"{_HEADS.get(group, _HEAD)}{text}\n".encode()
        (_TARGET / f"{group}.txt").write_bytes(data)
        # Without zlib's header and checksum, which archives do not have.
        (_TARGET / f"{group}.deflated").write_bytes(zopfli.zlib.compress(data)[2:-4])


if __name__ == "__main__":
    main()
