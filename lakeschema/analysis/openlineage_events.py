"""Makes OpenLineage's events and facets as JSON values, for runs, datasets and jobs not run yet.

They follow OpenLineage 2-0-2 (https://openlineage.io/spec/2-0-2/OpenLineage.json) and its facets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.clauses import Clause
from lakeschema.translation.model.interface import Transformation

PRODUCER: Final = "https://pypi.org/project/schema-publisher/"
_SPEC: Final = "https://openlineage.io/spec"
_EVENTS: Final = f"{_SPEC}/2-0-2/OpenLineage.json#/$defs"

_SUBTYPES: Final[Mapping[Clause, str]] = MappingProxyType(
    {
        Clause.JOIN: "JOIN",
        # A row for each element of an array is a join with the elements.
        Clause.LATERAL_VIEW: "JOIN",
        Clause.GROUP_BY: "GROUP_BY",
        Clause.DISTINCT: "GROUP_BY",
        Clause.ORDER_BY: "SORT",
        Clause.PARTITION_BY: "WINDOW",
        Clause.CONDITION: "CONDITIONAL",
    }
)
"""OpenLineage's subtypes of indirect transformations, by clause; other clauses are a FILTER."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset with OpenLineage's names, such as ``hive://host:port`` and ``database.table``."""

    namespace: str
    name: str


def dataset_of(relation: RelationName, namespace: str) -> Dataset:
    parts = (relation.catalog, *relation.parts) if relation.catalog else relation.parts
    return Dataset(namespace, ".".join(parts))


@dataclass(frozen=True, slots=True)
class InputColumn:
    """An input column and its role, with a ``subtype`` if known."""

    dataset: Dataset
    column: str
    is_direct: bool
    subtype: str | None
    description: str = ""


@dataclass(frozen=True, slots=True)
class DescribedColumn:
    name: str
    type: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class DescribedDataset:
    """A dataset with its known facts.

    Attributes:
        columns: the names of the columns; None if unknown.
        inputs: the sources of each output column.
        rows: the inputs that affect which rows there are, and so all columns.
    """

    dataset: Dataset
    columns: Sequence[DescribedColumn] | None = None
    inputs: Mapping[str, Sequence[InputColumn]] | None = None
    rows: Sequence[InputColumn] = ()


def direct_input(
    dataset: Dataset, column: str, transformation: Transformation | None, description: str = ""
) -> InputColumn:
    subtype = None if transformation is None else transformation.name
    return InputColumn(dataset, column, True, subtype, description)


def indirect_input(
    dataset: Dataset, column: str, clause: Clause, *, of_one_column: bool
) -> InputColumn:
    """An input that affects values without being their source.

    With ``of_one_column``, ORDER BY belongs to a window; otherwise it sorts the rows.
    """
    subtype = _SUBTYPES.get(clause, "FILTER")
    if of_one_column and subtype == "SORT":
        subtype = "WINDOW"
    return InputColumn(dataset, column, False, subtype)


def job_event(
    job: tuple[str, str],
    inputs: Iterable[DescribedDataset],
    outputs: Iterable[DescribedDataset],
    event_time: str,
    *,
    sql: str | None = None,
    run_id: str | None = None,
) -> dict[str, Any]:
    """The event of a job, by namespace and name; with ``run_id``, of its completed run."""
    facets = {} if sql is None else {"sql": _facet("1-1-0", "SQLJobFacet", query=sql)}
    run = {} if run_id is None else {"eventType": "COMPLETE", "run": {"runId": run_id}}
    return {
        **_head(event_time, "JobEvent" if run_id is None else "RunEvent"),
        **run,
        "job": {"namespace": job[0], "name": job[1], "facets": facets},
        "inputs": [_dataset(each) for each in inputs],
        "outputs": [_dataset(each) for each in outputs],
    }


def dataset_event(described: DescribedDataset, event_time: str) -> dict[str, Any]:
    """The event of a dataset that no known job writes."""
    return {**_head(event_time, "DatasetEvent"), "dataset": _dataset(described)}


def _head(event_time: str, kind: str) -> dict[str, Any]:
    return {"eventTime": event_time, "producer": PRODUCER, "schemaURL": f"{_EVENTS}/{kind}"}


def _facet(version: str, kind: str, **values: Any) -> dict[str, Any]:
    url = f"{_SPEC}/facets/{version}/{kind}.json#/$defs/{kind}"
    return {"_producer": PRODUCER, "_schemaURL": url, **values}


def _dataset(described: DescribedDataset) -> dict[str, Any]:
    facets: dict[str, Any] = {}
    if described.columns is not None:
        columns = [_column(column) for column in described.columns]
        facets["schema"] = _facet("1-2-0", "SchemaDatasetFacet", fields=columns)
    if described.inputs is not None:
        inputs = {name: {"inputFields": _fields(found)} for name, found in described.inputs.items()}
        facets["columnLineage"] = _facet(
            "1-2-0", "ColumnLineageDatasetFacet", fields=inputs, dataset=_fields(described.rows)
        )
    dataset = described.dataset
    return {"namespace": dataset.namespace, "name": dataset.name, "facets": facets}


def _column(column: DescribedColumn) -> dict[str, Any]:
    stated = {"name": column.name, "type": column.type, "description": column.description}
    return {key: value for key, value in stated.items() if value is not None}


def _fields(inputs: Iterable[InputColumn]) -> list[dict[str, Any]]:
    """The inputs as JSON; each column occurs once, with all its roles."""
    found: dict[tuple[Dataset, str], dict[str, Any]] = {}
    for each in inputs:
        field = found.setdefault(
            (each.dataset, each.column),
            {
                "namespace": each.dataset.namespace,
                "name": each.dataset.name,
                "field": each.column,
                "transformations": [],
            },
        )
        transformation = _transformation(each)
        if transformation not in field["transformations"]:
            field["transformations"].append(transformation)
    return list(found.values())


def _transformation(each: InputColumn) -> dict[str, Any]:
    found = {"type": "DIRECT" if each.is_direct else "INDIRECT"}
    if each.subtype is not None:
        found["subtype"] = each.subtype
    if each.description:
        found["description"] = each.description
    return found
