"""Every built-in function of an engine, held against the engine: ``make probe-functions``.

Each is called over columns and values of many types. The engine says what types the calls have; it
computes those of which we say that something in them is never null, each over all rows, and row by
row where one fails.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

from benchmarks.function_calls import calls
from benchmarks.function_judges import (
    Columns,
    FunctionJudge,
    HiveFunctions,
    Refusal,
    SparkFunctions,
    claims,
)
from benchmarks.probe_values import table_ddl
from deploy.hive import HiveQueries
from lakeschema.catalog.column_types import (
    ArrayType,
    ColumnType,
    MapType,
    StructField,
    StructType,
    print_type,
)
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.derivation import derive
from lakeschema.translation.errors import TranslationError
from lakeschema.translation.functions.builtin_names import builtin_names
from lakeschema.translation.interface import Interface, Options
from tests.lakeschema.translation.asked_types import RECORDED, Engine

_VIEW = RelationName.of("default", "v")
_NOT_KNOWN = "not supported yet"


_COORDINATES = re.compile(r"(?:SRID:)?(\w+)(?:, SPHERICAL)?(?=\))")


class Verdict(Enum):
    """Of several the first holds."""

    WRONG_TYPE = "wrong type"
    FALSE_REQUIRED = "false required"
    MISSING = "missing in the table"
    REFUSED = "refused by us"
    NEVER_ACCEPTED = "never accepted by the engine"
    COVERED = "covered"


@dataclass(slots=True)
class Finding:
    """What became of one function's calls; ``examples`` show what is not as it should be."""

    name: str
    calls: int = 0
    accepted: int = 0
    looser: int = 0
    missing: bool = False
    examples: dict[Verdict, list[str]] = field(default_factory=dict)

    def add(self, verdict: Verdict, example: str) -> None:
        self.examples.setdefault(verdict, []).append(example)

    @property
    def verdict(self) -> Verdict:
        if self.examples.get(Verdict.WRONG_TYPE):
            return Verdict.WRONG_TYPE
        if self.examples.get(Verdict.FALSE_REQUIRED):
            return Verdict.FALSE_REQUIRED
        if self.missing:
            return Verdict.MISSING
        if self.examples.get(Verdict.REFUSED):
            return Verdict.REFUSED
        return Verdict.COVERED if self.accepted else Verdict.NEVER_ACCEPTED


class OurAnswers:
    """Columns that we derive for a SELECT over ``t``, whose columns are required, or ``n``."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        ddl = [table_ddl(engine.dialect, t, required=t == "t") for t in ("t", "n")]
        tables = relations_from_ddl(ddl, engine.dialect)
        self._interfaces: Mapping[RelationName, Interface] = {
            name: derive(table, {}, Options()).interface for name, table in tables.items()
        }

    def columns(self, select: str, table: str) -> Columns | Refusal:
        text = f"CREATE VIEW v AS {select.replace('{t}', table)}"
        try:
            view = relations_from_ddl([text], self._engine.dialect)[_VIEW]
            assert view.view is not None
            configured = replace(view.view, sql_configs=self._engine.settings)
            found = derive(replace(view, view=configured), self._interfaces, Options()).interface
        except TranslationError as error:
            at = error.position.column - 1 if error.position else None
            return Refusal(str(error), at)
        columns = (*found.columns, *(omitted.column for omitted in found.omitted))
        return tuple(StructField(c.name, c.type, c.nullable) for c in columns)


def probe(
    engine: Engine, judge: FunctionJudge, name: str, count: int, answers: dict[str, str]
) -> Finding:
    """The engine's word and ours on calls of one function; ``answers`` receives the engine's."""
    ours = OurAnswers(engine)
    documentation = judge.documentation(name)
    selects = list(_selects(name, calls(name, engine.dialect, documentation, count), documentation))
    finding = Finding(name, len(selects))
    for select, theirs in judge.columns(selects).items():
        if isinstance(theirs, Refusal):
            continue
        finding.accepted += 1
        answers[select] = shown(theirs)
        _compare(finding, judge, ours, select, theirs)
    return finding


def _selects(name: str, texts: Iterable[str], documentation: str) -> Iterator[str]:
    if f"from {name}(" in documentation.lower():
        yield from (f"SELECT * FROM {text}" for text in texts)
        return
    for text in texts:
        yield f"SELECT {text} AS x FROM {{t}}"
        if ".aggregate." in documentation or "_agg" in name:
            yield f"SELECT {text} AS x FROM {{t}} GROUP BY r"


def _compare(
    finding: Finding, judge: FunctionJudge, ours: OurAnswers, select: str, theirs: Columns
) -> None:
    for table in ("t", "n"):
        answer = ours.columns(select, table)
        if isinstance(answer, Refusal):
            if _NOT_KNOWN in answer.reason and f" {finding.name}" in answer.reason:
                finding.missing = True
            else:
                example = f"{select}: {shown(theirs)}, but {answer.reason[:200]}"
                finding.add(Verdict.REFUSED, example)
            return
        if not same(_struct(answer), _struct(theirs)):
            example = f"{select}: {shown(theirs)}, not {shown(answer)}"
            finding.add(Verdict.WRONG_TYPE, example)
            return
        if table == "t" and _is_looser(_struct(answer), _struct(theirs)):
            finding.looser += 1
        if not claims(_struct(answer)):
            continue
        for null in judge.nulls_in(select, answer, table).found.values():
            finding.add(Verdict.FALSE_REQUIRED, f"{null}: {shown(answer)}")
            return


def _struct(columns: Columns) -> StructType:
    return StructType(columns)


def same(one: ColumnType, other: ColumnType) -> bool:
    """Equal but for names and nullability."""
    match one, other:
        case ArrayType(a), ArrayType(b):
            return same(a, b)
        case MapType(ak, av), MapType(bk, bv):
            return same(ak, bk) and same(av, bv)
        case StructType(a_fields), StructType(b_fields):
            return len(a_fields) == len(b_fields) and all(
                same(a.type, b.type) for a, b in zip(a_fields, b_fields, strict=True)
            )
        case _:
            return _in_sparks_words(one) == _in_sparks_words(other)


def _in_sparks_words(type_: ColumnType) -> str:
    text = print_type(type_).replace("interval_day_time", "interval day to second")
    if text.startswith(("geometry", "geography")):
        # Spark spells out the system of coordinates; ours says its number.
        text = _COORDINATES.sub(lambda found: found[1].lower(), text.replace("OGC:CRS84", "4326"))
    if text.startswith("string collate "):
        # The order of texts is none of the column's types.
        return "string"
    return text.replace("interval_year_month", "interval year to month").replace("time(6)", "time")


def _is_looser(one: ColumnType, other: ColumnType) -> bool:
    """Whether a part may be null in ``one`` and never is in ``other``."""
    match one, other:
        case ArrayType(a, a_null), ArrayType(b, b_null):
            return (a_null and not b_null) or _is_looser(a, b)
        case MapType(_, a, a_null), MapType(_, b, b_null):
            return (a_null and not b_null) or _is_looser(a, b)
        case StructType(a_fields), StructType(b_fields):
            pairs = list(zip(a_fields, b_fields, strict=True))
            return any(
                (a.nullable and not b.nullable) or _is_looser(a.type, b.type) for a, b in pairs
            )
        case _:
            return False


def shown(columns: Columns) -> str:
    return ", ".join(_shown(column.type, column.nullable) for column in columns)


def _shown(type_: ColumnType, nullable: bool) -> str:
    match type_:
        case ArrayType(element, inner):
            text = f"array<{_shown(element, inner)}>"
        case MapType(key, value, inner):
            text = f"map<{_shown(key, True)},{_shown(value, inner)}>"
        case StructType(fields):
            text = f"struct<{','.join(f'{f.name}:{_shown(f.type, f.nullable)}' for f in fields)}>"
        case _:
            text = print_type(type_)
    return text if nullable else f"{text} not null"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    words = {engine.value.replace("_", "-"): engine for engine in Engine}
    parser.add_argument("--engine", choices=words, default="spark")
    parser.add_argument("--only", default="", help="names of functions, with commas between them")
    parser.add_argument("--calls", type=int, default=24, help="of each function, at most")
    parser.add_argument("--examples", type=int, default=3, help="of what is wrong, at most")
    parser.add_argument("--accept", action="store_true", help="record the engine's answers")
    chosen = parser.parse_args()
    engine = words[chosen.engine]
    names = chosen.only.split(",") if chosen.only else sorted(builtin_names(engine.dialect))
    began = time.monotonic()
    answers: dict[str, str] = {}
    findings: list[Finding] = []
    with opened_judge(engine) as judge:
        for name in names:
            findings.append(probe(engine, judge, name, chosen.calls, answers))
            _print(findings[-1], chosen.examples)
    _total(findings, time.monotonic() - began)
    moved = _moved(engine, answers, keep=bool(chosen.only), accept=chosen.accept)
    wrong = any(f.verdict in {Verdict.WRONG_TYPE, Verdict.FALSE_REQUIRED} for f in findings)
    sys.exit(1 if wrong or moved else 0)


@contextmanager
def opened_judge(engine: Engine) -> Iterator[FunctionJudge]:
    if engine is Engine.HIVE:
        with (
            tempfile.TemporaryDirectory() as folder,
            HiveQueries.start(Path(folder)) as hive,
        ):
            yield HiveFunctions(hive)
    else:
        yield SparkFunctions(ansi=engine is Engine.SPARK)


def _print(finding: Finding, examples: int) -> None:
    counts = f"{finding.accepted} of {finding.calls} calls accepted"
    looser = f", {finding.looser} looser than the engine" if finding.looser else ""
    print(f"{finding.name}: {finding.verdict.value}; {counts}{looser}", flush=True)
    for verdict, found in finding.examples.items():
        for example in found[:examples]:
            print(f"    {verdict.value}: {example}")
        if len(found) > examples:
            print(f"    {verdict.value}: {len(found) - examples} more")


def _total(findings: Sequence[Finding], seconds: float) -> None:
    total = Counter(finding.verdict for finding in findings)
    made, accepted = sum(f.calls for f in findings), sum(f.accepted for f in findings)
    print(f"\n{len(findings)} functions, {made} calls, {accepted} accepted, {seconds:.0f} s")
    for verdict in Verdict:
        share = 100 * total[verdict] / len(findings)
        print(f"{total[verdict]:>6}  {share:5.1f} %  {verdict.value}")


def _moved(engine: Engine, answers: Mapping[str, str], *, keep: bool, accept: bool) -> bool:
    """Prints which recorded answers the engine gives otherwise now; with ``accept`` records them.

    ``keep``: what was not asked stays recorded.
    """
    path = RECORDED / f"probed_{engine.value}.tsv"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    known = dict(line.split("\t") for line in lines)
    moved = {q: a for q, a in answers.items() if known.get(q, a) != a}
    for question, answer in moved.items():
        print(f"moved: {question}: {known[question]} was recorded, now {answer}")
    new = sum(question not in known for question in answers)
    print(f"{len(known)} answers recorded; {len(moved)} moved, {new} new")
    if accept:
        every = {**(known if keep else {}), **answers}
        # A line is one answer.
        text = "".join(f"{q}\t{a}\n" for q, a in sorted(every.items()) if q.isprintable())
        path.write_text(text, encoding="utf-8")
    return bool(moved)


if __name__ == "__main__":
    main()
