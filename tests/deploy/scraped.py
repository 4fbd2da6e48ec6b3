"""A running service and a real Prometheus that scrapes it and judges our alerts."""

from __future__ import annotations

import json
import re
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from deploy.ports import free_ports
from publisher.daemon.service import Service
from publisher.settings import load_settings
from tests.deploy.judges import DEPLOY, program
from tests.publisher.commands.folder import Folder
from tests.waiting import eventually


@dataclass(frozen=True)
class Scraped:
    service_url: str
    prometheus_url: str
    folder: Folder

    def query(self, promql: str) -> list[dict[str, Any]]:
        asked = urllib.parse.urlencode({"query": promql})
        found: list[dict[str, Any]] = self._api(f"query?{asked}")["result"]
        return found

    def firing(self) -> set[str]:
        return {
            alert["labels"]["alertname"]
            for alert in self._api("alerts")["alerts"]
            if alert["state"] == "firing"
        }

    def metrics(self) -> str:
        with urllib.request.urlopen(f"{self.service_url}/metrics") as response:
            return str(response.read().decode())

    def _api(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.prometheus_url}/api/v1/{path}") as response:
            return json.load(response)["data"]


def quick_alerts() -> dict[str, Any]:
    """Our alerts, each as soon as it is pending: nobody waits five minutes in a test."""
    rules: dict[str, Any] = yaml.safe_load((DEPLOY / "alerts.yml").read_text(encoding="utf-8"))
    for rule in rules["groups"][0]["rules"]:
        rule.pop("for", None)
    return rules


@contextmanager
def scraped_service(path: Path) -> Iterator[Scraped]:
    prometheus = program("prometheus", "on Debian it is in the package prometheus")
    lake = Folder(path)
    lake.write_settings(rest='[http]\nport = 0\n[[events]]\nkind = "ddl-folder"\n')
    [port] = free_ports(1)
    with Service(load_settings(lake.config), lake.config) as service:
        assert service.url is not None
        target = service.url.removeprefix("http://")
        (path / "alerts.yml").write_text(yaml.safe_dump(quick_alerts()))
        sample = (DEPLOY / "compose" / "prometheus.yml").read_text(encoding="utf-8")
        sample = re.sub(r"(?m)^ +authorization:.*\n", "", sample)
        sample = sample.replace("schema-publisher:8766", target).replace("15s", "1s")
        assert target in sample
        (path / "prometheus.yml").write_text(sample)
        command = [
            prometheus,
            f"--config.file={path}/prometheus.yml",
            f"--storage.tsdb.path={path}/tsdb",
            f"--web.listen-address=127.0.0.1:{port}",
            "--log.level=error",
        ]
        with subprocess.Popen(command) as process:
            try:
                found = Scraped(service.url, f"http://127.0.0.1:{port}", lake)
                # Rates need two scrapes.
                eventually(lambda: _has_scraped_twice(found))
                yield found
            finally:
                process.terminate()


def _has_scraped_twice(found: Scraped) -> bool:
    try:
        counted = found.query(
            "count_over_time(schema_publisher_last_snapshot_duration_seconds[1m])"
        )
    except urllib.error.URLError:
        return False
    return bool(counted) and int(counted[0]["value"][1]) >= 2
