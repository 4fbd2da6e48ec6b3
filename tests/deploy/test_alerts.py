"""The alerts: each has a runbook, and one fires and clears at a real Prometheus."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
import yaml

from tests.deploy.judges import DEPLOY
from tests.deploy.scraped import Scraped, scraped_service
from tests.documents import section
from tests.waiting import eventually

RUNBOOK = (DEPLOY.parent / "docs" / "runbook.md").read_text(encoding="utf-8")
RULES: Sequence[Mapping[str, Any]] = yaml.safe_load(
    (DEPLOY / "alerts.yml").read_text(encoding="utf-8")
)["groups"][0]["rules"]
NAMES = [rule["alert"] for rule in RULES]


@pytest.mark.parametrize("rule", RULES, ids=NAMES)
def test_an_alert_has_a_runbook_with_its_meaning_and_commands(rule: Mapping[str, Any]) -> None:
    text = section(RUNBOOK, rule["alert"])

    for part in ("**Means.**", "**Look.**", "**Do.**", "**Clears.**"):
        assert part in text, part
    assert re.search(r"`[^`]+`", text)


@pytest.mark.parametrize("rule", RULES, ids=NAMES)
def test_an_alert_names_its_runbook(rule: Mapping[str, Any]) -> None:
    # An anchor as GitHub and the site make it.
    assert rule["annotations"]["runbook"] == f"docs/runbook.md#{rule['alert'].lower()}"


def test_each_runbook_is_about_an_alert_that_there_is() -> None:
    assert re.findall(r"(?m)^## (SchemaPublisher\w+)$", RUNBOOK) == NAMES


@pytest.fixture(scope="module")
def scraped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scraped]:
    with scraped_service(tmp_path_factory.mktemp("scraped")) as found:
        yield found


@pytest.mark.thorough
def test_an_alert_fires_while_the_catalog_is_away_and_clears_after(scraped: Scraped) -> None:
    expected = {"SchemaPublisherNotReady", "SchemaPublisherServiceFails"}
    ddl = scraped.folder.path / "ddl"
    assert eventually(lambda: not scraped.firing() & expected)

    ddl.rename(ddl.with_name("away"))

    assert eventually(lambda: expected <= scraped.firing()), scraped.firing()

    ddl.with_name("away").rename(ddl)

    assert eventually(lambda: not scraped.firing() & expected), scraped.firing()
