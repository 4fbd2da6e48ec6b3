"""Answers record batches of a log's statements on an executor.

Each distinct answer is written once, under a number. Every statement then costs one narrow row with
the number of its answer. Rows and answers, joined by this number, form the tables of the log.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lakeschema.analysis.catalog import Files, as_text
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.dataflow import Dataflow, cumulative
from lakeschema.analysis.log import TABLES, Found, LogAnalysis
from lakeschema.analysis.statements_logged import LoggedStatement
from lakeschema.analysis.timeline import Timeline

if TYPE_CHECKING:
    import pyarrow as pa

STATEMENT: Final = ("position", "day", "user", "session")
"""The first columns of every table's rows, as in the log."""
VALUES: Final = tuple(f"v{number}" for number in range(max(map(len, TABLES.values()))))
"""The further columns of rows of any table; ``TABLES`` has their meaning."""
READ: Final = (
    *STATEMENT,
    *("sql", "dialect", "current_catalog", "current_namespace", "succeeded"),
)
_TYPES: Final[Mapping[str, str]] = {"answer": "BIGINT", "position": "BIGINT", "day": "DATE"}
_COLUMNS: Final = ("answer", *STATEMENT, "kind", *VALUES)
SCHEMA: Final = ", ".join(f"{name} {_TYPES.get(name, 'STRING')}" for name in _COLUMNS)
ASKED: Final = "asked"
"""The kind of a row that links a statement to its answer's number.

The kind of an answer's row is the name of its table.
"""
FOLD: Final = "fold"
"""The kind of a partition's last row."""
_PARTITION_SHIFT: Final = 33
"""The bits for numbering answers within a partition."""
_FOLDED: Final = 1_000
"""The number of dataflows to collect before they are composed."""


@dataclass(slots=True)
class Fold:
    """The totals of one partition's statements, or of several partitions in order.

    Attributes:
        rows: the rows of the answers, by table; an answer that statements share counts once.
    """

    statements: int = 0
    rows: Counter[str] = field(default_factory=Counter)
    flows: list[Dataflow] = field(default_factory=list)

    def add(self, found: Found) -> None:
        self.statements += 1
        if found.dataflow:
            self.flows.append(found.dataflow)
            if len(self.flows) >= _FOLDED:
                self.flows = [cumulative(self.flows)]

    def dataflow(self) -> Dataflow:
        return cumulative(self.flows)

    def to_json(self) -> str:
        shown = [(as_text(t), list(map(as_text, s))) for t, s in self.dataflow().items()]
        return json.dumps([self.statements, self.rows, shown])


def joined(texts: Iterable[str]) -> Fold:
    """Combines the folds of partitions, in the order of their statements, into one."""
    found = Fold()
    for text in texts:
        statements, rows, shown = json.loads(text)
        found.statements += statements
        found.rows.update(rows)
        # Names stay texts here, since no code looks them up any more.
        found.flows.append({Files(target): tuple(map(Files, each)) for target, each in shown})
    return found


def answered(
    batches: Iterable[pa.RecordBatch],
    timeline: Timeline,
    conventions: Conventions,
    default_dialect: str,
    partition: int,
) -> Iterator[pa.RecordBatch]:
    """Rows of ``SCHEMA``; the last row has the kind ``FOLD`` and the first statement's position.

    Args:
        batches: batches with the columns ``READ``, ordered by position.
        timeline: the whole log's timeline.
        conventions: see ``Conventions``.
        default_dialect: the dialect of statements without a dialect.
        partition: the number of the partition, which makes answers' numbers unique.
    """
    analysis = LogAnalysis(timeline, conventions)
    first_answer = partition << _PARTITION_SHIFT
    fold, first, told = Fold(), 0, 0
    for batch in batches:
        answers: list[int] = []
        rows: list[tuple[Any, ...]] = []
        for statement in statements_of(batch, default_dialect):
            first = first or statement.position
            found = analysis.found(statement)
            fold.add(found)
            answer = first_answer + found.number
            answers.append(answer)
            if found.number > told:
                told = found.number
                fold.rows.update(name for name, _ in found.rows)
                rows += ((answer, name, *_padded(values)) for name, values in found.rows)
        if rows:
            yield _told(rows)
        yield _asked(batch, answers)
    if fold.statements:
        yield _folded(first, fold)


def statements_of(
    batch: pa.RecordBatch | pa.Table, default_dialect: str
) -> Iterator[LoggedStatement]:
    """The statements of a log with the columns ``READ``."""
    wanted = ("position", "sql", "dialect", "session", "current_catalog", "current_namespace")
    columns = [batch.column(name).to_pylist() for name in (*wanted, "user", "succeeded")]
    namespaces: dict[tuple[str | None, str | None], tuple[str, ...]] = {}
    for position, sql, dialect, session, catalog, name, user, succeeded in zip(
        *columns, strict=True
    ):
        namespace = namespaces.get((catalog, name))
        if namespace is None:
            parts = (catalog, *(name or "").split("."))
            namespace = tuple(part.lower() for part in parts if part)
            namespaces[catalog, name] = namespace
        yield LoggedStatement(
            # An unreadable line has neither a position nor a text.
            position or 0,
            sql or "",
            dialect or default_dialect,
            session or "",
            namespace,
            user or "",
            succeeded is not False,
        )


def _asked(batch: pa.RecordBatch, answers: list[int]) -> pa.RecordBatch:
    import pyarrow as pa
    import pyarrow.compute as pc

    count = len(answers)
    return pa.RecordBatch.from_arrays(
        [
            pa.array(answers, pa.int64()),
            batch.column("position"),
            batch.column("day"),
            pc.fill_null(batch.column("user"), ""),
            pc.fill_null(batch.column("session"), ""),
            pa.repeat(ASKED, count),
            *(pa.nulls(count, pa.string()) for _ in VALUES),
        ],
        names=list(_COLUMNS),
    )


def _told(rows: list[tuple[Any, ...]]) -> pa.RecordBatch:
    import pyarrow as pa

    answers, *texts = zip(*rows, strict=True)
    return pa.RecordBatch.from_arrays(
        [
            pa.array(answers, pa.int64()),
            *_no_statement(len(rows)),
            *(pa.array(column, pa.string()) for column in texts),
        ],
        names=list(_COLUMNS),
    )


def _folded(first: int, fold: Fold) -> pa.RecordBatch:
    import pyarrow as pa

    _, *others = _no_statement(1)
    return pa.RecordBatch.from_arrays(
        [
            pa.nulls(1, pa.int64()),
            pa.array([first], pa.int64()),
            *others,
            *(pa.array([value], pa.string()) for value in (FOLD, *_padded((fold.to_json(),)))),
        ],
        names=list(_COLUMNS),
    )


def _no_statement(count: int) -> list[pa.Array]:
    import pyarrow as pa

    types = {"position": pa.int64(), "day": pa.date32()}
    return [pa.nulls(count, types.get(name, pa.string())) for name in STATEMENT]


def _padded(values: tuple[str, ...]) -> tuple[str | None, ...]:
    return (*values, *[None] * (len(VALUES) - len(values)))
