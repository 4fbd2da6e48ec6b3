"""Record batches of a log's statements → record batches of their answers, as an executor makes them.

Each different answer is told once, under a number; every statement then costs one narrow row, which
says the number of its answer. Joined by it they are the tables of the log.
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
"""What every row of every table begins with, as it is in a log whose columns were chosen."""
VALUES: Final = tuple(f"v{number}" for number in range(max(map(len, TABLES.values()))))
"""The columns of whichever table a row is of: ``TABLES`` says what each means."""
READ: Final = (
    *STATEMENT,
    *("sql", "dialect", "current_catalog", "current_namespace", "succeeded"),
)
_TYPES: Final[Mapping[str, str]] = {"answer": "BIGINT", "position": "BIGINT", "day": "DATE"}
_COLUMNS: Final = ("answer", *STATEMENT, "kind", *VALUES)
SCHEMA: Final = ", ".join(f"{name} {_TYPES.get(name, 'STRING')}" for name in _COLUMNS)
ASKED: Final = "asked"
"""Kind of a row that says which answer a statement has; a row of an answer has its table's name."""
FOLD: Final = "fold"
"""Kind of a partition's last row."""
_PARTITION_SHIFT: Final = 33
"""Bits of an answer's number in its partition."""
_FOLDED: Final = 1_000
"""Dataflows that are kept before they are composed."""


@dataclass(slots=True)
class Fold:
    """What the statements of a partition, or of several in their order, come to.

    Attributes:
        rows: of answers, by table; an answer of many statements counts once.
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
    """The folds of partitions, in the order of their statements."""
    found = Fold()
    for text in texts:
        statements, rows, shown = json.loads(text)
        found.statements += statements
        found.rows.update(rows)
        # Names as text serve here as well as names: nothing is looked up by them any more.
        found.flows.append({Files(target): tuple(map(Files, each)) for target, each in shown})
    return found


def answered(
    batches: Iterable[pa.RecordBatch],
    timeline: Timeline,
    conventions: Conventions,
    default_dialect: str,
    partition: int,
) -> Iterator[pa.RecordBatch]:
    """Rows of ``SCHEMA``; behind the last statement one of kind ``FOLD``, at the first's position.

    Args:
        batches: of the columns ``READ``, in the order of positions.
        timeline: of the whole log.
        conventions: see there.
        default_dialect: of statements that say none.
        partition: answers of different partitions have different numbers.
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
    """The rows of a log whose columns are ``READ``."""
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
            # A line that cannot be read has neither.
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
