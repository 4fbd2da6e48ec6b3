"""The dashboard: it is what the module makes, and a real Prometheus answers each of its queries."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from deploy.dashboard import FILE, ROWS, dashboard, text
from publisher.daemon.metrics import COUNTER_HELP, GAUGE_HELP, HISTOGRAM_HELP
from tests.deploy.judges import ended, program, said
from tests.deploy.scraped import Scraped, scraped_service
from tests.publisher.commands.folder import TABLES
from tests.waiting import eventually

QUERIES = [
    (panel.title, name, query)
    for row in ROWS
    for panel in row.panels
    for name, query in panel.queries.items()
]
_OF_THE_PROCESS = {"process_cpu_seconds_total", "process_resident_memory_bytes"}


def known_metrics() -> set[str]:
    prefix = "schema_publisher_"
    return {
        *(f"{prefix}{name}_total" for name in COUNTER_HELP),
        *(f"{prefix}{name}" for name in GAUGE_HELP),
        *(f"{prefix}{name}_bucket" for name in HISTOGRAM_HELP),
        *_OF_THE_PROCESS,
    }


def filled(query: str) -> str:
    """With the values that Grafana fills in."""
    return query.replace("$__rate_interval", "2m").replace("$instance", ".*")


def test_the_stored_dashboard_is_the_modules() -> None:
    assert FILE.read_text(encoding="utf-8") == text(), "run python -m deploy.dashboard"


@pytest.mark.parametrize(
    ("title", "name", "query"), QUERIES, ids=[f"{t}-{n}" for t, n, _ in QUERIES]
)
def test_a_query_asks_for_metrics_that_there_are(title: str, name: str, query: str) -> None:
    named = set(re.findall(r"\b(?:schema_publisher|process)_\w+", query))

    assert named, (title, name)
    assert named <= known_metrics()


def test_panels_do_not_overlap_and_stay_within_the_width() -> None:
    taken: set[tuple[int, int]] = set()
    ids = []
    for panel in dashboard()["panels"]:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not cells & taken, panel["title"]
        assert max(x for x, _ in cells) < 24
        taken |= cells
        ids.append(panel["id"])
    assert len(ids) == len(set(ids)) > 20


def test_promtool_parses_every_query() -> None:
    promtool = program("promtool", "on Debian it is in the package prometheus")
    rules = [
        {"record": f"panel:{at}", "expr": filled(query)} for at, (*_, query) in enumerate(QUERIES)
    ]
    document = {"groups": [{"name": "panels", "rules": rules}]}

    shown = said(promtool, "check", "rules", "/dev/stdin", text=yaml.safe_dump(document))

    assert f"{len(QUERIES)} rules found" in shown


def test_promtool_refuses_a_broken_query() -> None:
    promtool = program("promtool", "on Debian it is in the package prometheus")
    document = {"groups": [{"name": "panels", "rules": [{"record": "a", "expr": "sum by (x ("}]}]}

    assert ended(promtool, "check", "rules", "/dev/stdin", text=yaml.safe_dump(document)).returncode


@pytest.fixture(scope="module")
def scraped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scraped]:
    with scraped_service(tmp_path_factory.mktemp("scraped")) as found:
        yield found


@pytest.mark.thorough
def test_prometheus_answers_every_query_of_a_running_service(scraped: Scraped) -> None:
    scraped.folder.write_ddl(TABLES + "ALTER TABLE shop.orders ADD COLUMNS (placed_at timestamp);")

    assert eventually(lambda: not unanswered(scraped)), unanswered(scraped)


def unanswered(scraped: Scraped) -> list[str]:
    return [title for title, _, query in QUERIES if not scraped.query(filled(query))]


@pytest.mark.thorough
def test_the_metrics_of_a_running_service_are_those_that_the_dashboard_may_use(
    scraped: Scraped,
) -> None:
    families = text_string_to_metric_families(scraped.metrics())
    exposed = {sample.name for family in families for sample in family.samples}

    # A histogram is empty until its first event.
    assert {name for name in known_metrics() if not name.endswith("_bucket")} <= exposed


def test_the_file_is_json_that_grafana_imports() -> None:
    loaded: Any = json.loads(FILE.read_text(encoding="utf-8"))

    assert loaded["schemaVersion"] == 39
    assert {variable["name"] for variable in loaded["templating"]["list"]} == {
        "datasource",
        "instance",
    }
