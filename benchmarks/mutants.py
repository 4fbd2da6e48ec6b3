"""Seeded mutants of the translation core, each to be caught by the tests: ``make bench-mutants``.

A mutant is a copy of the code with one rule dropped, one null class flipped or one coercion changed.
For each, the quick tests of the core run in a copy of the checkout until one fails. If no test catches
a mutant, the tests have a gap, and the run ends with 1. The tests first run on the unchanged code,
since a test that fails there would count as a catch.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
COPIED = ("dependency_graph", "lakeschema", "tests", "pyproject.toml")
TESTS = (
    "tests/lakeschema/translation/functions",
    "tests/lakeschema/translation/test_gallery.py",
    "tests/lakeschema/translation",
)


@dataclass(frozen=True, slots=True)
class Mutant:
    """``old`` occurs once in the file."""

    name: str
    path: str
    old: str
    new: str


_SHARED = "lakeschema/translation/functions/shared.py"
_SPARK = "lakeschema/translation/functions/spark.py"
_HIVE = "lakeschema/translation/functions/hive.py"
_RELATIONS = "lakeschema/translation/plan/relations.py"
_EXPRESSIONS = "lakeschema/translation/plan/expressions.py"
_COERCION = "lakeschema/translation/functions/coercion.py"
_DECIMALS = "lakeschema/translation/functions/decimals.py"
_CASTS = "lakeschema/translation/functions/casts.py"
_EMITTED = "lakeschema/translation/emission/spark/functions.py"

MUTANTS = (
    # null classes
    Mutant("coalesce is null if any argument is", _SHARED, 'Row("coalesce", "T...", "T", ABSORBING', 'Row("coalesce", "T...", "T", TOTAL'),
    Mutant("count may be null", _SHARED, '"bigint", NEVER, _AGGREGATE', '"bigint", TOTAL, _AGGREGATE'),
    Mutant("a division is null only if an operand is", _SHARED, '"@divide", PARTIAL', '"@divide", TOTAL'),
    Mutant("text put together is never null", _SHARED, 'Row("concat", "any...", "@concat", TOTAL)', 'Row("concat", "any...", "@concat", NEVER)'),
    Mutant("nullif is null only if its argument is", _SHARED, '"@same", PARTIAL, keeps=0),\n\n    # text', '"@same", TOTAL, keeps=0),\n\n    # text'),
    Mutant("Hive's size may be null", _HIVE, 'Row("size cardinality", "collection", "int", NEVER)', 'Row("size cardinality", "collection", "int", TOTAL)'),
    Mutant("what looks back over a window always finds a row", _SHARED, 'Row("lag lead", "T, int?, T?", "T", PARTIAL', 'Row("lag lead", "T, int?, T?", "T", TOTAL'),
    Mutant("Hive reads every text as a date", _HIVE, 'Row("to_date", "any", "date", PARTIAL)', 'Row("to_date", "any", "date", TOTAL)'),
    # rules of nodes and expressions
    Mutant("an outer join pads nothing on its right", _RELATIONS, "if self.kind in {JoinKind.LEFT, JoinKind.FULL}:", "if self.kind in {JoinKind.FULL}:"),
    Mutant("a right join pads nothing on its left", _RELATIONS, "if self.kind in {JoinKind.RIGHT, JoinKind.FULL}:", "if self.kind in {JoinKind.FULL}:"),
    Mutant("a key that a grouping set lacks is not null", _RELATIONS, "key.nullable or self._absent_somewhere(index)", "key.nullable"),
    Mutant("one branch without null makes a union so", _RELATIONS, "                return any(each)", "                return all(each)"),
    Mutant("EXCEPT looks at the right side's nulls", _RELATIONS, "                return each[0]", "                return any(each)"),
    Mutant("a CASE without ELSE is never null", _EXPRESSIONS, "            self.otherwise is None\n            or self.otherwise.nullable", "            (self.otherwise is not None and self.otherwise.nullable)"),
    Mutant("an element is always there", _EXPRESSIONS, '        raise InvalidPlan("a subscript of a value that is neither array nor map")\n\n    @property\n    def nullable(self) -> bool:\n        return True', '        raise InvalidPlan("a subscript of a value that is neither array nor map")\n\n    @property\n    def nullable(self) -> bool:\n        return self.base.nullable'),
    Mutant("a scalar sub-query always finds a row", _EXPRESSIONS, "        return self.plan.columns[0].type\n\n    @property\n    def nullable(self) -> bool:\n        return True", "        return self.plan.columns[0].type\n\n    @property\n    def nullable(self) -> bool:\n        return self.plan.columns[0].nullable"),
    # coercions
    Mutant("Hive counts 20 digits of a bigint", "lakeschema/translation/functions/semantics.py", "return 20 if self.is_spark else 19", "return 20"),
    Mutant("sums of decimals carry no digit", _DECIMALS, "return adjusted(whole + scale + 1, scale)", "return adjusted(whole + scale, scale)"),
    Mutant("a cut decimal may lose its whole fraction", _DECIMALS, "MAX_PRECISION - whole, min(scale, MINIMUM_KEPT_SCALE)", "MAX_PRECISION - whole, 0"),
    Mutant("Spark keeps a fraction before whole digits", _COERCION, "return wider_keeping_whole(a, b) if semantics.is_spark else wider(a, b)", "return wider(a, b)"),
    Mutant("ANSI mode widens an integer beside a float to float", _COERCION, "if widest == FLOAT and semantics.is_spark and semantics.ansi:", "if False:"),
    Mutant("Hive compares text and numbers as text", _COERCION, "    if is_numeric(other):\n        return DOUBLE\n    return other", "    if is_numeric(other):\n        return STRING\n    return other"),
    Mutant("ANSI mode reads text beside integers as int", _COERCION, "        if is_integer(other):\n            return BIGINT", "        if is_integer(other):\n            return other"),
    Mutant("Hive unites text with anything", _COERCION, "    if use is Use.SET_OPERATION:\n        # Hive's UNION refuses to mix", "    if False:\n        # Hive's UNION refuses to mix"),
    Mutant("a text that is no number is not null", _CASTS, "    if is_text(source):\n        return True\n    if isinstance(target, DecimalType):", "    if isinstance(target, DecimalType):"),
    Mutant("a decimal that is too wide is not null", _CASTS, "return exact is None or not _holds(target, exact)", "return exact is None"),
    Mutant("zeros at a Hive decimal's end count", "lakeschema/translation/resolution/numbers.py", 'fraction = fraction.rstrip("0")', "pass"),
    # names, documentation, Avro
    Mutant("Hive counts unnamed columns from one", "lakeschema/translation/resolution/naming.py", 'return f"_c{position}"', 'return f"_c{position + 1}"'),
    Mutant("the second of two types takes the first one's name", "lakeschema/translation/avro/placement.py", 'name = f"{schema.name}_{number}"', "break"),
    Mutant("a set operation shows the last branch's fields", "lakeschema/translation/avro/derive.py", "        first = fields[0]\n", "        first = fields[-1]\n"),
    Mutant("a field that one branch lacks is required", "lakeschema/translation/avro/widening.py", "if target.nullable and not is_nullable(field.type):", "if False:"),
    Mutant("what Avro says of null does not count", "lakeschema/translation/deriving/derivation.py", "            is_nullable(field.type),\n", "            True,\n"),
    # Spark SQL
    Mutant("the greatest of nulls is what is not null", _EMITTED, '        "greatest": "if({*null}, NULL, greatest({*}))",\n', ""),
    Mutant("what is trimmed comes first", "lakeschema/translation/syntax/scalars.py", "[characters, node.this]", "[node.this, characters]"),
    Mutant("Hive's booleans are lower-case text", "lakeschema/translation/emission/spark/forms.py", "source == BOOLEAN and is_text(target)", "False"),
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="part of a name")
    parser.add_argument("--at-once", type=int, default=2)
    chosen = parser.parse_args()
    mutants = [m for m in MUTANTS if chosen.only is None or chosen.only in m.name]
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="unchanged-") as name,
        ThreadPoolExecutor(chosen.at_once) as pool,
    ):
        # Copied once, since the checkout may change during the run.
        code = Path(name)
        _copy(ROOT, code)
        unchanged, *caught = list(pool.map(lambda m: _catch(m, code), [None, *mutants]))
    if unchanged is not None:
        sys.exit(f"{unchanged} fails without a mutant: its failures would prove nothing")
    for mutant, test in zip(mutants, caught, strict=True):
        print(f"{'caught' if test else 'MISSED':<8}{mutant.name}{f'  ({test})' if test else ''}")
    missed = caught.count(None)
    print(f"{len(mutants) - missed} of {len(mutants)} caught, {time.monotonic() - began:.0f} s")
    sys.exit(1 if missed else 0)


def _catch(mutant: Mutant | None, code: Path) -> str | None:
    """The first test that fails on the mutant, or on the unchanged code."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as name:
        copy = Path(name)
        _copy(code, copy)
        if mutant is not None:
            _mutate(copy, mutant)
        return _first_failure(copy)


def _copy(code: Path, folder: Path) -> None:
    for part in COPIED:
        source = code / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / part)


def _mutate(folder: Path, mutant: Mutant) -> None:
    path = folder / mutant.path
    text = path.read_text(encoding="utf-8")
    if text.count(mutant.old) != 1:
        raise ValueError(
            f"{mutant.name}: expected its text once, found it {text.count(mutant.old)} times"
        )
    path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")


def _first_failure(folder: Path) -> str | None:
    for test in TESTS:
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", test]
        ran = subprocess.run(
            [*command, "-m", "not slow and not spark", "--hypothesis-profile", "quick"],
            cwd=folder,
            env={
                "PYTHONPATH": str(folder),
                "PATH": "/usr/bin:/bin",
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        found = re.search(r"^(?:FAILED|ERROR) (\S+)", ran.stdout, re.MULTILINE)
        if found:
            return found[1]
        if ran.returncode not in {0, 5}:
            raise RuntimeError(ran.stdout[-2000:] + ran.stderr[-2000:])
    return None


if __name__ == "__main__":
    main()
