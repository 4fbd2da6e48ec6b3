"""Makes the OpenLineage event for a statement, as a job that has not run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from lakeschema.analysis.catalog import Files, KnownCatalog, Source
from lakeschema.analysis.column_lineage import ColumnLineage, RelationLineage, column_lineage
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.influences import Influence
from lakeschema.analysis.openlineage_events import (
    Dataset,
    DescribedColumn,
    DescribedDataset,
    InputColumn,
    dataset_of,
    direct_input,
    indirect_input,
    job_event,
)
from lakeschema.analysis.scripts import Analysed
from lakeschema.analysis.table_access import tables_read
from lakeschema.analysis.tracing import EVERY_COLUMN


@dataclass(frozen=True, slots=True)
class EventOptions:
    """The parts of an event that do not come from the statement.

    Attributes:
        event_time: the time of the event in ISO 8601, with a zone.
        namespace: the datasets' namespace, such as ``hive://metastore:9083``.
        job: the namespace and the name of the job.
        run_id: the id of the job's run; None for a job that has not run.
    """

    event_time: str
    namespace: str
    job: tuple[str, str]
    run_id: str | None = None


def statement_event(
    analysed: Analysed, conventions: Conventions, options: EventOptions
) -> dict[str, Any] | None:
    """The event for a statement; None if it is unreadable, or neither reads nor writes rows."""
    resolved = analysed.resolved
    if resolved is None:
        return None
    # In OpenLineage a condition is always an indirect transformation.
    apart = replace(conventions, conditions_are_direct=False)
    outputs = [
        _output(lineage, lineage.target, options)
        for lineage in column_lineage(resolved, apart)
        if lineage.target is not None
    ]
    read = dict.fromkeys(tables_read(resolved, conventions))
    inputs = [_input(source, analysed.before, options) for source in read]
    if not inputs and not outputs:
        return None
    return job_event(
        options.job,
        inputs,
        outputs,
        options.event_time,
        sql=analysed.text,
        run_id=options.run_id,
    )


def _dataset(source: Source, options: EventOptions) -> Dataset:
    if not isinstance(source, Files):
        return dataset_of(source, options.namespace)
    split = urlsplit(source.uri)
    if split.scheme and split.netloc:
        return Dataset(f"{split.scheme}://{split.netloc}", split.path.lstrip("/") or "/")
    return Dataset("file", source.uri)


def _input(source: Source, catalog: KnownCatalog, options: EventOptions) -> DescribedDataset:
    known = None if isinstance(source, Files) else catalog.known(source)
    names = None if known is None else known.columns
    columns = None if names is None else [DescribedColumn(name) for name in names]
    return DescribedDataset(_dataset(source, options), columns)


def _output(lineage: RelationLineage, target: Source, options: EventOptions) -> DescribedDataset:
    named = [column for column in lineage.columns if column.column not in {"", EVERY_COLUMN}]
    is_whole = len(named) == len(lineage.columns)
    return DescribedDataset(
        _dataset(target, options),
        [DescribedColumn(column.column) for column in named] if is_whole else None,
        {column.column: list(_inputs(column, options)) for column in named},
        list(_influences(lineage.rows, options, of_one_column=False)),
    )


def _inputs(column: ColumnLineage, options: EventOptions) -> Iterator[InputColumn]:
    for source in column.direct:
        if source.source is not None:
            # Without types, the kind of transformation is unknown.
            yield direct_input(_dataset(source.source, options), source.column, None)
    yield from _influences(column.indirect, options, of_one_column=True)


def _influences(
    influences: Iterable[Influence], options: EventOptions, *, of_one_column: bool
) -> Iterator[InputColumn]:
    for clause, source in influences:
        if source.source is not None:
            dataset = _dataset(source.source, options)
            yield indirect_input(dataset, source.column, clause, of_one_column=of_one_column)
