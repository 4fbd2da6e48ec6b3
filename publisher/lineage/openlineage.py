"""The lineage of published views as OpenLineage events: one job for each view, with the view's name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from lakeschema.analysis.openlineage_events import (
    DescribedColumn,
    DescribedDataset,
    InputColumn,
    dataset_event,
    dataset_of,
    direct_input,
    indirect_input,
    job_event,
)
from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.interface import Derivation, Influence
from publisher.lineage.values import Traced
from publisher.settling.deriving import derivation_from_text
from publisher.state.protocol import Transaction

JOBS = "schema-publisher"
"""The OpenLineage namespace of all jobs."""


def metastore_namespace(uri: str) -> str:
    """The namespace of a metastore's tables: ``hive://host:port``, with the first of several servers."""
    split = urlsplit(uri.partition(",")[0].strip())
    host = split.hostname or ""
    return f"hive://{f'[{host}]' if ':' in host else host}:{split.port or 9083}"


def traced_events(
    tx: Transaction, traced: Traced, namespace: str, event_time: str
) -> Sequence[dict[str, Any]]:
    """An event for each view in a traced lineage. If a table was traced, it has an event with its columns."""
    derived = {
        name: derivation_from_text(text)
        for name, text in tx.graph.derivations(traced.relations).items()
    }
    events = []
    for name in traced.relations:
        derivation = derived.get(name)
        if derivation is None:
            continue
        if not derivation.lineage:
            if name == traced.asked.relation:
                events.append(dataset_event(_described(name, derivation, namespace), event_time))
            continue
        _read_missing(tx, derivation, derived)
        inputs = [_described(each, derived.get(each), namespace) for each in derivation.upstreams]
        output = _output(name, derivation, namespace)
        job = (JOBS, dataset_of(name, namespace).name)
        events.append(job_event(job, inputs, [output], event_time))
    return events


def _read_missing(
    tx: Transaction, derivation: Derivation, derived: dict[RelationName, Derivation]
) -> None:
    """Adds upstreams that the answer left out: beyond its depth, or not on the traced path."""
    missing = [name for name in derivation.upstreams if name not in derived]
    for name, text in tx.graph.derivations(missing).items():
        derived[name] = derivation_from_text(text)


def _described(
    name: RelationName, derivation: Derivation | None, namespace: str
) -> DescribedDataset:
    columns = None if derivation is None else _columns(derivation)
    return DescribedDataset(dataset_of(name, namespace), columns)


def _columns(derivation: Derivation) -> Sequence[DescribedColumn]:
    return [
        DescribedColumn(column.name, print_type(column.type), column.comment)
        for column in derivation.interface.columns
    ]


def _output(name: RelationName, derivation: Derivation, namespace: str) -> DescribedDataset:
    inputs: dict[str, Sequence[InputColumn]] = {}
    # Lineage uses the names of fields, which may differ from the names of columns.
    both = zip(derivation.interface.columns, derivation.lineage, strict=True)
    for column, made in both:
        found = [
            direct_input(
                dataset_of(source.relation, namespace),
                source.column,
                made.transformation,
                made.expression,
            )
            for source in made.direct
        ]
        found += _influences(made.indirect, namespace, of_one_column=True)
        inputs[column.name] = found
    rows = list(_influences(derivation.rows or (), namespace, of_one_column=False))
    return DescribedDataset(dataset_of(name, namespace), _columns(derivation), inputs, rows)


def _influences(
    influences: Sequence[Influence], namespace: str, *, of_one_column: bool
) -> Iterator[InputColumn]:
    for influence in influences:
        dataset = dataset_of(influence.source.relation, namespace)
        yield indirect_input(
            dataset, influence.source.column, influence.clause, of_one_column=of_one_column
        )
