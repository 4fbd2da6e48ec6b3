"""Reads facts from catalogs on executors or on the driver; returns only changed relations."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING

import pyarrow as pa

from lakeschema.catalog.catalogs import NamedCatalog
from lakeschema.catalog.facts_json import facts_hash, facts_to_json
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Catalog, Relation
from lakeschema.isolation.limits import Limits
from lakeschema.spark.processes import deriver_of_worker
from lakeschema.spark.spark_rows import collect, names_frame
from lakeschema.spark.values import Facts, MetastoreAccess, PartitionTask
from lakeschema.translation.deriving.deriver import DerivationCrashed, Deriver
from lakeschema.translation.model.interface import Options
from lakeschema.translation.model.known import KnownRelation, differs
from lakeschema.translation.model.outcome import Failed, Status

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

READ_BATCH = 200
_COLUMNS = "name string, hash string, json string, upstreams string, status string, reason string"


def read_on_executors(
    session: SparkSession,
    access: MetastoreAccess,
    catalog_name: str,
    names: Sequence[RelationName],
    known: Mapping[RelationName, KnownRelation],
    options: Options,
    limits: Limits,
    *,
    tasks: int,
    decorate: Callable[[PartitionTask], PartitionTask],
) -> Sequence[Facts]:
    """Facts of the relations that differ from ``known``, read through at most ``tasks`` connections.

    ``access`` opens the catalog ``catalog_name``, which has all ``names``.
    """
    before = session.sparkContext.broadcast(dict(known))

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        deriver = deriver_of_worker(options, limits)
        with closing(access.open()) as adapter:
            catalog = NamedCatalog(catalog_name, adapter)
            for batch in batches:
                requested = [RelationName.from_key(key) for key in batch.column("name").to_pylist()]
                for start in range(0, len(requested), READ_BATCH):
                    found = catalog.read(requested[start : start + READ_BATCH])
                    differing = describe_differences(found, before.value, deriver)
                    if differing:
                        yield _batch(differing)

    frame = names_frame(session, names, partitions=tasks)
    rows = collect(frame.mapInArrow(decorate(read), _COLUMNS))
    before.unpersist()
    return sorted((_facts(row) for row in rows), key=lambda facts: facts.name)


def read_on_driver(
    catalog: Catalog,
    names: Sequence[RelationName],
    known: Mapping[RelationName, KnownRelation],
    deriver: Deriver,
    *,
    connections: int,
) -> Sequence[Facts]:
    """Like ``read_on_executors``, with threads, for catalogs that only this process can read."""
    chunks = [names[i : i + READ_BATCH] for i in range(0, len(names), READ_BATCH)]
    with ThreadPoolExecutor(max_workers=connections) as pool:
        found = list(pool.map(catalog.read, chunks))
    everything = dict(chain.from_iterable(part.items() for part in found))
    return describe_differences(everything, known, deriver)


def describe_differences(
    found: Mapping[RelationName, Relation],
    known: Mapping[RelationName, KnownRelation],
    deriver: Deriver,
) -> Sequence[Facts]:
    return [
        describe(relation, deriver)
        for name, relation in sorted(found.items())
        if differs(relation, known.get(name), deriver.inputs_hash)
    ]


def describe(relation: Relation, deriver: Deriver) -> Facts:
    """A relation's facts, with the upstreams that its text names."""
    text = json.dumps(facts_to_json(relation), separators=(",", ":"))
    hash_ = facts_hash(relation)
    try:
        upstreams = deriver.upstreams(relation)
    except DerivationCrashed as error:
        # The worker that reads the relation again records a crash, too.
        return Facts(relation.name, hash_, text, None, Status.QUARANTINED, str(error))
    if isinstance(upstreams, Failed):
        return Facts(relation.name, hash_, text, None, upstreams.status, upstreams.reason)
    return Facts(relation.name, hash_, text, upstreams)


def _batch(facts: Sequence[Facts]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict(
        {
            "name": [str(f.name) for f in facts],
            "hash": [f.hash for f in facts],
            "json": [f.json for f in facts],
            "upstreams": [
                None if f.upstreams is None else json.dumps([str(u) for u in f.upstreams])
                for f in facts
            ],
            "status": [f.status.value for f in facts],
            "reason": [f.reason for f in facts],
        },
        schema=pa.schema([(c.split()[0], pa.string()) for c in _COLUMNS.split(", ")]),
    )


def _facts(row: Mapping[str, str | None]) -> Facts:
    upstreams = row["upstreams"]
    return Facts(
        RelationName.from_key(row["name"] or ""),
        row["hash"] or "",
        row["json"] or "",
        None
        if upstreams is None
        else tuple(RelationName.from_key(text) for text in json.loads(upstreams)),
        Status(row["status"]),
        row["reason"] or "",
    )
