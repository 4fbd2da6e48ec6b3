"""The engine's counters and gauges in Prometheus's format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from types import MappingProxyType
from typing import Final

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from publisher.daemon.check_counts import CheckCounts
from publisher.latency import BUCKET_SECONDS, Distribution
from publisher.runtime import Runtime
from publisher.state.protocol import StateUnavailable

COUNTER_HELP: Final[Mapping[str, str]] = {
    "adopted": "versions found on the index that the state did not know, and recorded",
    "changed_before_publication": "publications postponed because the facts changed since derivation",
    "columns_omitted": "columns that derived schemas left out, since Avro has no type for them",
    "conflicts": "uploads refused because the index holds other bytes under the same version",
    "failures": "times that processing failed for a reason that concerns one relation only",
    "dead_letters": "events that could not be decoded",
    "dead_letters_not_kept": "events that could not be decoded and were not stored: too many in a minute",
    "derivations_died": "derivations whose process crashed or exceeded its time limit",
    "derived": "schema derivations computed, failed ones included",
    "events_seen": "events read from all event sources, irrelevant ones included",
    "hints": "events that named a relation to read again",
    "index_differences": "packages found to differ between the index and the ledger",
    "index_failures": "operations that failed at the package index and are retried",
    "memo_hits": "derivations answered from a stored result for the same inputs",
    "notifications_sent": "messages that receivers of notifications accepted",
    "notification_failures": "attempts to send a message that a receiver did not accept",
    "notifications_dropped": "messages that no receiver accepted in time, or that it refused again and again",
    "published": "versions published",
    "put_off": "work items deferred because the catalog could not be read or its answer was stale",
    "quarantined": "relations quarantined after their derivation crashed repeatedly",
    "snapshots": "comparisons of the whole catalog by this process; those on Spark run in another",
    "stale_readings": "catalog answers older than the event that caused the reading",
    "unproven_readings": "catalog answers that no event id proves to be new enough; each is read again",
    "unfit": "versions that were not published: not packageable, or a second opinion failed",
    "versions_delayed": "versions that waited because their relation had too many within an hour",
    "versions_offered_again": "files whose yank was reverted by the retention rules",
    "uploaded_again": "versions that were lost from the index, or damaged there, and written again",
    "versions_retired": "files yanked by the retention rules",
    "yanks_declined": "yanks that the package index does not support",
}


REQUEST_HELP: Final[Mapping[str, str]] = {
    "checks": "requests for a check of statements, by verdict; only if [check] is enabled",
    "check_violations": "requests for a check whose statements broke a rule, by rule",
    "translations": "requests for a translation, by result; only if [translate] is enabled",
}

GAUGE_HELP: Final[Mapping[str, str]] = {
    "relations": "relations by status",
    "work": "relations with outstanding work",
    "oldest_work_age_seconds": "how long the oldest outstanding work is due, without relations that keep failing alone",
    "oldest_notification_age_seconds": "how long the oldest notification waits to be accepted, 0 if none does",
    "versions": "published versions, yanked ones included",
    "versions_in_conflict": "version numbers that the index has with other bytes",
    "dead_letters_kept": "stored events that could not be decoded",
    "ready": "1 if the service is ready, as /health/ready says, else 0",
    "up": "1 if the other service answered when it was last needed, 0 if it failed",
    "last_snapshot_timestamp_seconds": "when the last whole snapshot of the catalog ended, since the epoch",
    "last_snapshot_duration_seconds": "how long the last whole snapshot took",
    "event_source_lag_seconds": "age of the newest event at its reading, or 0 if no event was left, plus the time since then",
    "event_source_events_behind": "events that the service has not read yet, for sources that tell",
    "build_info": "always 1; labels name the running release and its packages' generator",
}

HISTOGRAM_HELP: Final[Mapping[str, str]] = {
    "event_to_installable_seconds": "time from an event for a relation until the index "
    "offers its version, debounce included; from the event's receipt, or from its own time if known",
}


@dataclass(frozen=True, slots=True)
class LastSnapshot:
    """The last snapshot of any process; None before the first."""

    seconds_since: Callable[[], float | None] = lambda: None
    seconds_taken: Callable[[], float | None] = lambda: None


class EngineMetrics(Collector):
    """The metrics. A scrape reads stored figures and counts no rows."""

    def __init__(
        self,
        runtime: Runtime,
        up: Callable[[], Mapping[str, bool]] = dict,
        troubles: Callable[[], Mapping[str, str]] = dict,
        last_snapshot: LastSnapshot = LastSnapshot(),
        build: Mapping[str, str] = MappingProxyType({}),
        checks: CheckCounts | None = None,
        translations: Callable[[], Mapping[str, int]] | None = None,
    ) -> None:
        """Keeps the functions that a scrape calls.

        Args:
            runtime: has the counters and the state.
            up: returns whether each service works.
            troubles: returns why the service is not ready.
            last_snapshot: gives the age and duration of the last snapshot.
            build: labels of the running release.
            checks: None if statements are not checked.
            translations: returns how many requests had each result; None without translation.
        """
        self._translations = translations
        self._checks = checks
        self._runtime = runtime
        self._up = up
        self._troubles = troubles
        self._last_snapshot = last_snapshot
        self._build = build

    def collect(self) -> Iterator[Metric]:
        counted = self._runtime.counters.values()
        for name, help_text in COUNTER_HELP.items():
            # Also zeros: without them a rate would miss the first event.
            value = counted.get(name, 0)
            yield CounterMetricFamily(f"schema_publisher_{name}", help_text, value=value)
        if self._checks is not None:
            yield _counter("checks", self._checks.verdicts(), "verdict")
            yield _counter("check_violations", self._checks.rules(), "rule")
        if self._translations is not None:
            yield _counter("translations", self._translations(), "ending")
        # Without the state, its figures are absent, and the other metrics show why.
        with suppress(StateUnavailable):
            yield from self._stored()
        yield _gauge("ready", not self._troubles())
        yield _gauge("up", self._up(), "service")
        lag, now = self._runtime.source_lag, self._runtime.clock.now()
        yield _gauge("event_source_lag_seconds", lag.seconds(now), "source")
        yield _gauge("event_source_events_behind", lag.behind(), "source")
        yield _histogram("event_to_installable_seconds", self._runtime.latency.measured(), "since")
        build = GaugeMetricFamily(
            "schema_publisher_build_info", GAUGE_HELP["build_info"], labels=list(self._build)
        )
        build.add_metric(list(self._build.values()), 1)
        yield build

    def _stored(self) -> Iterator[Metric]:
        found, oldest_at, told_since = self._runtime.state.read(
            lambda tx: (tx.tallies.figures(), tx.work.oldest_at(), tx.outbox.oldest_at())
        )
        now = self._runtime.clock.now()
        yield _gauge("oldest_work_age_seconds", _age(oldest_at, now))
        yield _gauge("oldest_notification_age_seconds", _age(told_since, now))
        yield _gauge("relations", found.relations, "status")
        yield _gauge("work", found.work)
        yield _gauge("versions", found.versions)
        yield _gauge("versions_in_conflict", found.conflicts)
        yield _gauge("dead_letters_kept", found.dead_letters)
        since = self._last_snapshot.seconds_since()
        if since is not None:
            ended_at = self._runtime.clock.wall() - since
            yield _gauge("last_snapshot_timestamp_seconds", ended_at)
        taken = self._last_snapshot.seconds_taken()
        if taken is not None:
            yield _gauge("last_snapshot_duration_seconds", taken)


def _age(since: float | None, now: float) -> float:
    return 0.0 if since is None else max(0.0, now - since)


def _counter(name: str, values: Mapping[str, int], label: str) -> Metric:
    family = CounterMetricFamily(f"schema_publisher_{name}", REQUEST_HELP[name], labels=[label])
    for each, count in values.items():
        family.add_metric([each], count)
    return family


def _gauge(name: str, value: float | Mapping[str, float], label: str = "") -> Metric:
    title, text = f"schema_publisher_{name}", GAUGE_HELP[name]
    if not isinstance(value, Mapping):
        return GaugeMetricFamily(title, text, value=value)
    family = GaugeMetricFamily(title, text, labels=[label])
    for each, count in value.items():
        family.add_metric([each], count)
    return family


def _histogram(name: str, measured: Mapping[str, Distribution], label: str) -> Metric:
    title, text = f"schema_publisher_{name}", HISTOGRAM_HELP[name]
    family = HistogramMetricFamily(title, text, labels=[label])
    bounds = [*map(str, map(float, BUCKET_SECONDS)), "+Inf"]
    for each, found in measured.items():
        buckets = [*zip(bounds, accumulate(found.counts), strict=True)]
        family.add_metric([each], buckets, found.total_seconds)
    return family
