"""Grafana's dashboard of the service: ``python -m deploy.dashboard`` writes ``deploy/dashboard.json``.

Each panel states its question as its title, and its queries in PromQL. The metrics are those of
docs/operations.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

FILE: Final = Path(__file__).with_suffix(".json")

_WIDTH: Final = 24
_HEIGHT: Final = 7
_SOURCE: Final = {"type": "prometheus", "uid": "${datasource}"}
_OF: Final = '{instance=~"$instance"}'

Kind = Literal["stat", "timeseries"]


@dataclass(frozen=True, slots=True)
class Panel:
    """One question about the service.

    Attributes:
        queries: PromQL by the text of its legend.
        unit: Grafana's name of the unit.
        worse_from: the value from which the panel is red.
        meaning: the text shown for each value, if the number alone is not clear.
    """

    title: str
    queries: Mapping[str, str]
    why: str
    kind: Kind = "timeseries"
    unit: str = "short"
    width: int = 8
    worse_from: float | None = None
    worse_below: float | None = None
    meaning: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Row:
    title: str
    panels: Sequence[Panel]


def _metric(name: str, labels: str = "") -> str:
    chosen = f",{labels}" if labels else ""
    return f'schema_publisher_{name}{{instance=~"$instance"{chosen}}}'


def _rate(name: str, by: str = "instance") -> str:
    return f"sum by ({by}) (increase({_metric(f'{name}_total')}[$__rate_interval]))"


def _quantile(share: float) -> str:
    buckets = _metric("event_to_installable_seconds_bucket")
    return f"histogram_quantile({share}, sum by (le) (rate({buckets}[$__rate_interval])))"


ROWS: Final[Sequence[Row]] = (
    Row(
        "Does it work?",
        (
            Panel(
                "Ready",
                {"{{instance}}": _metric("ready")},
                "0 if /health/ready fails. The page / and the log say why.",
                kind="stat",
                width=4,
                worse_below=1,
                meaning={"0": "not ready", "1": "ready"},
            ),
            Panel(
                "Other services",
                {"{{service}}": _metric("up")},
                "0 if the catalog, an event source, the index or the state failed when last needed.",
                kind="stat",
                worse_below=1,
                meaning={"0": "fails", "1": "works"},
            ),
            Panel(
                "Last whole snapshot",
                {"{{instance}}": f"time() - {_metric('last_snapshot_timestamp_seconds')}"},
                "How long ago it ended. It finds changes without an event.",
                kind="stat",
                unit="s",
                width=4,
                worse_from=7200,
            ),
            Panel(
                "Oldest work",
                {"{{instance}}": _metric("oldest_work_age_seconds")},
                "How long the oldest changed relation waits, without relations that fail alone.",
                kind="stat",
                unit="s",
                width=4,
                worse_from=900,
            ),
            Panel(
                "Release",
                {"{{version}}": _metric("build_info")},
                "The running release.",
                kind="stat",
                width=4,
            ),
        ),
    ),
    Row(
        "How fast are changes published?",
        (
            Panel(
                "From event to installable",
                {"half within": _quantile(0.5), "99 % within": _quantile(0.99)},
                "From an event for a relation until the index offers its version.",
                unit="s",
            ),
            Panel(
                "Lag of event sources",
                {"{{source}}": _metric("event_source_lag_seconds")},
                "Age of the newest event that was read, plus the time since.",
                unit="s",
            ),
            Panel(
                "Events not read yet",
                {"{{source}}": _metric("event_source_events_behind")},
                "For sources that report the number.",
            ),
            Panel(
                "Relations with outstanding work",
                {"{{instance}}": _metric("work")},
                "A queue that only grows needs more engine.workers.",
            ),
            Panel(
                "Published versions",
                {"{{instance}}": _rate("published")},
                "In each interval.",
            ),
            Panel(
                "Duration of the last snapshot",
                {"{{instance}}": _metric("last_snapshot_duration_seconds")},
                "Near snapshot.interval_seconds, snapshots should run on Spark.",
                unit="s",
            ),
        ),
    ),
    Row(
        "What is in trouble?",
        (
            Panel(
                "Relations by status",
                {"{{status}}": f"sum by (status) ({_metric('relations')})"},
                "schema-publisher status lists those in trouble, explain says what to do.",
            ),
            Panel(
                "Failures",
                {
                    "failed alone": _rate("failures"),
                    "not packageable": _rate("unfit"),
                    "index": _rate("index_failures"),
                    "conflicts": _rate("conflicts"),
                },
                "Of one relation; of wheels; at the index.",
            ),
            Panel(
                "Events that could not be decoded",
                {"new": _rate("dead_letters"), "kept": _metric("dead_letters_kept")},
                "schema-publisher dead-letters shows them.",
            ),
            Panel(
                "Derivations that died",
                {
                    "died": _rate("derivations_died"),
                    "quarantined": _rate("quarantined"),
                },
                "Their process crashed or exceeded a limit.",
            ),
            Panel(
                "Readings repeated",
                {
                    "stale": _rate("stale_readings"),
                    "unproven": _rate("unproven_readings"),
                    "deferred": _rate("put_off"),
                },
                "The catalog answered from before the event, or not at all.",
            ),
            Panel(
                "Oldest notification",
                {"{{instance}}": _metric("oldest_notification_age_seconds")},
                "How long a receiver has not accepted it: schema-publisher notify-test says why.",
                unit="s",
            ),
            Panel(
                "Versions in conflict",
                {"{{instance}}": _metric("versions_in_conflict")},
                "The index has other bytes under their numbers: somebody else uploads here.",
                kind="stat",
                worse_from=1,
            ),
        ),
    ),
    Row(
        "What does it cost?",
        (
            Panel(
                "Processor",
                {
                    "{{instance}}": 'rate(process_cpu_seconds_total{instance=~"$instance"}[$__rate_interval])'
                },
                "Cores of the service itself, without the processes that derive.",
            ),
            Panel(
                "Memory",
                {"{{instance}}": f"process_resident_memory_bytes{_OF}"},
                "Of the service itself.",
                unit="bytes",
            ),
            Panel(
                "Derivations",
                {"derived": _rate("derived"), "from memory": _rate("memo_hits")},
                "A stored result for the same inputs is used again.",
            ),
        ),
    ),
)


def dashboard(rows: Sequence[Row] = ROWS) -> Mapping[str, Any]:
    """The dashboard as Grafana imports it: schema version 39, Grafana 10 and newer."""
    return {
        "uid": "schema-publisher",
        "title": "schema-publisher",
        "tags": ["schema-publisher"],
        "schemaVersion": 39,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": [_data_source(), _instances()]},
        "annotations": {"list": []},
        "panels": list(_placed(rows)),
    }


def text() -> str:
    return json.dumps(dashboard(), indent=1) + "\n"


def _placed(rows: Sequence[Row]) -> Sequence[Mapping[str, Any]]:
    """The panels from left to right, each row below a heading."""
    placed: list[Mapping[str, Any]] = []
    top = 0
    for row in rows:
        placed.append(
            {
                "id": len(placed) + 1,
                "type": "row",
                "title": row.title,
                "collapsed": False,
                "panels": [],
                "gridPos": {"x": 0, "y": top, "w": _WIDTH, "h": 1},
            }
        )
        top, left = top + 1, 0
        for panel in row.panels:
            if left + panel.width > _WIDTH:
                top, left = top + _HEIGHT, 0
            place = {"x": left, "y": top, "w": panel.width, "h": _HEIGHT}
            placed.append({"id": len(placed) + 1, **_shown(panel), "gridPos": place})
            left += panel.width
        top += _HEIGHT
    return placed


def _shown(panel: Panel) -> Mapping[str, Any]:
    return {
        "type": panel.kind,
        "title": panel.title,
        "description": panel.why,
        "datasource": _SOURCE,
        "targets": [
            {
                "refId": chr(ord("A") + at),
                "datasource": _SOURCE,
                "expr": query,
                "legendFormat": name,
            }
            for at, (name, query) in enumerate(panel.queries.items())
        ],
        "fieldConfig": {"defaults": _defaults(panel), "overrides": []},
        "options": {"textMode": "value_and_name"} if panel.kind == "stat" else {},
    }


def _defaults(panel: Panel) -> Mapping[str, Any]:
    steps: list[Mapping[str, Any]] = [{"color": "green", "value": None}]
    if panel.worse_below is not None:
        steps = [{"color": "red", "value": None}, {"color": "green", "value": panel.worse_below}]
    if panel.worse_from is not None:
        steps.append({"color": "red", "value": panel.worse_from})
    texts = {
        value: {"text": text, "index": at} for at, (value, text) in enumerate(panel.meaning.items())
    }
    return {
        "unit": panel.unit,
        "min": 0,
        "thresholds": {"mode": "absolute", "steps": steps},
        "mappings": [{"type": "value", "options": texts}] if texts else [],
    }


def _data_source() -> Mapping[str, Any]:
    return {
        "name": "datasource",
        "label": "Prometheus",
        "type": "datasource",
        "query": "prometheus",
    }


def _instances() -> Mapping[str, Any]:
    return {
        "name": "instance",
        "label": "Instance",
        "type": "query",
        "datasource": _SOURCE,
        "query": {"query": "label_values(schema_publisher_ready, instance)", "refId": "instances"},
        "includeAll": True,
        "multi": True,
        "allValue": ".*",
        "current": {"text": "All", "value": "$__all"},
        "refresh": 2,
    }


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
