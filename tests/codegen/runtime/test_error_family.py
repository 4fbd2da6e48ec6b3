"""Errors that packages share, whichever package's runtime a process imports first."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from codegen.standalone import generate
from tests.codegen.generated import record, record_of

_ERRORS = Path("_avro", "__init__.py")

PROGRAM = """
import sys, pickle
first, second = map(__import__, sys.argv[1:])
for thrower in (first, second):
    try:
        thrower.R(f="x", strict=True)
    except first.InvalidValue as error:
        assert isinstance(error, second.InvalidValue) and isinstance(error, first.AvroError)
        again = pickle.loads(pickle.dumps(error))
        print(type(again) is type(error), error, error.path, error.reason, len(error.faults))
    try:
        thrower.R.from_single_object(bytes.fromhex("c301") + bytes(8))
    except first.UnknownSchema as error:
        print(error.reason, error.identity == "fingerprint 0x0000000000000000")
"""
SAID = """\
True f: expected int, got 'x' f expected int, got 'x' 1
schema not found True
"""


def _packages(folder: Path) -> None:
    for name in ("new", "old"):
        generate(record_of(record({"f": "int"})), name, folder)
    runtime = folder / "old" / _ERRORS
    text = runtime.read_text()
    # An earlier revision, whose errors had no faults and another text.
    assert "_REVISION=1" in text
    text = text.replace("_REVISION=1", "_REVISION=0").replace("{self.path}: {self.reason}", "?")
    runtime.write_text(text.replace("def faults(self)", "def formerly(self)"))


@pytest.mark.parametrize("order", [("new", "old"), ("old", "new")], ids=str)
def test_the_newest_runtime_says_what_shared_errors_do(
    tmp_path: Path, order: Sequence[str]
) -> None:
    _packages(tmp_path)

    said = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM, *order],
        capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip

    assert (said.stdout, said.stderr) == (SAID * 2, "")
