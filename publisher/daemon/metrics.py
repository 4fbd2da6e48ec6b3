"""The engine's counters and gauges, in Prometheus's format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from publisher.runtime import Runtime
from publisher.state.records import Figures

COUNTER_HELP: Final[Mapping[str, str]] = {
    "adopted": "versions found on the index that the state did not know, and recorded",
    "changed_before_publication": "publications postponed because the facts changed since derivation",
    "columns_omitted": "columns that derived schemas left out, since Avro has no type for them",
    "conflicts": "uploads refused because the index holds other bytes under the same version",
    "failures": "times that processing one relation failed, for a reason of its own",
    "dead_letters": "events that could not be decoded",
    "dead_letters_not_kept": "events that could not be decoded and were not stored: too many in a minute",
    "derivations_died": "derivations whose process crashed or exceeded its time limit",
    "derived": "schema derivations computed, failed ones included",
    "events_seen": "events read from all event sources, irrelevant ones included",
    "hints": "events that named a relation to read again",
    "index_differences": "packages found to differ between the index and the ledger",
    "index_failures": "operations that failed at the package index and are retried",
    "memo_hits": "derivations answered from a stored result for the same inputs",
    "published": "versions published",
    "put_off": "work items deferred because the catalog could not be read or its answer was stale",
    "quarantined": "relations quarantined after their derivation crashed repeatedly",
    "snapshots": "comparisons of the whole catalog by this process; those on Spark run in another",
    "stale_readings": "catalog answers older than the event that caused the reading",
    "unproven_readings": "catalog answers that no event id proves to be new enough; each is read again",
    "unfit": "versions that were not published: not packageable, or a second opinion failed",
    "versions_delayed": "versions that waited because their relation had too many within an hour",
    "versions_offered_again": "files whose yank was reverted by the retention rules",
    "uploaded_again": "versions that were lost from the index and uploaded again",
    "versions_retired": "files yanked by the retention rules",
    "yanks_declined": "yanks that the package index does not support",
}


class EngineMetrics(Collector):
    """Figures that the state keeps: a scrape counts nothing."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def collect(self) -> Iterator[Metric]:
        found = self._runtime.state.read(lambda tx: tx.tallies.figures())
        for name, value in sorted(self._runtime.counters.values().items()):
            help_text = COUNTER_HELP.get(name, name)
            yield CounterMetricFamily(f"schema_publisher_{name}", help_text, value=value)
        relations = GaugeMetricFamily(
            "schema_publisher_relations", "relations by status", labels=["status"]
        )
        for status, count in found.relations.items():
            relations.add_metric([status], count)
        yield relations
        yield from (_gauge(name, text, value) for name, text, value in _figures(found))


def _figures(found: Figures) -> Sequence[tuple[str, str, float]]:
    return (
        ("work", "relations with outstanding work", found.work),
        ("versions", "published versions, yanked ones included", found.versions),
        (
            "conflicts",
            "version numbers that the index holds with other bytes",
            found.conflicts,
        ),
        ("dead_letters", "stored events that could not be decoded", found.dead_letters),
    )


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"schema_publisher_{name}", text, value=value)
