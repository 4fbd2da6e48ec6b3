"""Derives relations from facts on executors, a wave of independent relations at a time.

Each Python worker derives in its own limited process. A relation whose derivation kills that
process has no result: a worker of the service tries it again and counts its crashes.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from lakeschema.catalog.facts_json import facts_from_json
from lakeschema.catalog.identifiers import RelationName
from lakeschema.isolation.limits import Limits
from lakeschema.spark.processes import deriver_of_worker
from lakeschema.spark.spark_rows import collect, text_frame
from lakeschema.spark.values import Facts, PartitionTask, Result
from lakeschema.translation.deriving.deriver import DerivationCrashed
from lakeschema.translation.deriving.limited_deriver import LimitedDeriver
from lakeschema.translation.model.interface import Options
from lakeschema.translation.model.outcome import Failed, Status

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

log = logging.getLogger(__name__)

_COLUMNS = (
    "name string, inputs_hash string, status string, interface_hash string, "
    "derivation string, reason string"
)
Upstreams = Mapping[RelationName, tuple[str, str]]
"""Interface hashes and derivation texts by name."""


def derive_wave(
    session: SparkSession,
    wave: Sequence[Facts],
    upstreams: Upstreams,
    options: Options,
    limits: Limits,
    *,
    tasks: int,
    decorate: Callable[[PartitionTask], PartitionTask],
) -> Sequence[Result]:
    """The results of relations whose upstreams are all in ``upstreams``, ordered by name."""
    shared = session.sparkContext.broadcast({str(n): pair for n, pair in upstreams.items()})

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        deriver = deriver_of_worker(options, limits)
        for batch in batches:
            pairs = zip(
                batch.column("json").to_pylist(), batch.column("upstreams").to_pylist(), strict=True
            )
            derived = [_derive_one(text, names, shared.value, deriver) for text, names in pairs]
            results = [result for result in derived if result is not None]
            if results:
                yield _batch(results)

    frame = text_frame(
        session,
        {
            "json": [facts.json for facts in wave],
            "upstreams": [json.dumps([str(u) for u in facts.upstreams or ()]) for facts in wave],
        },
        partitions=tasks,
    )
    rows = collect(frame.mapInArrow(decorate(run), _COLUMNS))
    shared.unpersist()
    return sorted((_from_row(row) for row in rows), key=lambda result: result.name)


def _derive_one(
    facts: str, upstreams: str, shared: Mapping[str, tuple[str, str]], deriver: LimitedDeriver
) -> Result | None:
    relation = facts_from_json(json.loads(facts))
    names = [RelationName.from_key(text) for text in json.loads(upstreams)]
    inputs = deriver.inputs_hash(relation, {n: shared[str(n)][0] for n in names})
    interfaces = [json.loads(shared[str(n)][1])["interface"] for n in names]
    try:
        derived = deriver.derive_text(relation, interfaces)
    except DerivationCrashed as error:
        log.warning("derivation crashed", extra={"why": str(error)})
        return None
    if isinstance(derived, Failed):
        return Result(relation.name, inputs, derived.status, None, None, derived.reason)
    return Result(relation.name, inputs, Status.OK, derived.interface_hash, derived.text)


def _batch(results: Sequence[Result]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict(
        {
            "name": [str(r.name) for r in results],
            "inputs_hash": [r.inputs_hash for r in results],
            "status": [r.status.value for r in results],
            "interface_hash": [r.interface_hash for r in results],
            "derivation": [r.derivation for r in results],
            "reason": [r.reason for r in results],
        },
        schema=pa.schema([(c.split()[0], pa.string()) for c in _COLUMNS.split(", ")]),
    )


def _from_row(row: Mapping[str, str | None]) -> Result:
    return Result(
        RelationName.from_key(row["name"] or ""),
        row["inputs_hash"] or "",
        Status(row["status"]),
        row["interface_hash"],
        row["derivation"],
        row["reason"] or "",
    )
