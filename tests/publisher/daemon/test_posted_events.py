"""The whole daemon hears of a change by a posted event, also one that it had not read when it ended."""

from __future__ import annotations

import hashlib
import json
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from publisher.daemon.probes import probes
from publisher.daemon.service import Service
from publisher.events.signed_messages import sign
from publisher.settings import load_settings
from tests.waiting import eventually

# Random: every piece of a secret is redacted in all that this process logs.
SECRET = "k7Jq2vX9bT4wLm8RzY3h"
TABLE = "CREATE DATABASE shop; USE shop; CREATE TABLE orders (id BIGINT);"
HTTP = (
    '[[events]]\nkind = "http"\nname = "lake"\nsecret_file = "secret"\n'
    'mapping = { full_name = "$.data.table" }\n'
)


def configured(folder: Path, more: str = HTTP) -> Path:
    (folder / "ddl").mkdir(exist_ok=True)
    (folder / "ddl" / "all.sql").write_text(TABLE)
    (folder / "secret").write_text(SECRET)
    config = folder / "schema-publisher.toml"
    config.write_text(
        '[artifacts]\nprefix = "acme-schema"\nsecond_opinion = "off"\n'
        '[catalog]\nkind = "ddl"\npath = "ddl"\n'
        '[snapshot]\nrunner = "local"\non_start = false\n'
        "[engine]\ndebounce_seconds = 0\nstaleness_seconds = 0\n"
        f"[http]\nport = 0\n{more}"
    )
    return config


def add_column(folder: Path) -> None:
    file = folder / "ddl" / "all.sql"
    file.write_text(TABLE.replace("BIGINT", "BIGINT, note STRING"))


def post(service: Service, table: str) -> int:
    event = {"specversion": "1.0", "id": "e", "type": "changed", "data": {"table": table}}
    body, now = json.dumps(event).encode(), int(time.time())
    id_ = hashlib.sha256(body).hexdigest()
    request = urllib.request.Request(
        f"{service.url}/events/lake",
        body,
        {
            "webhook-id": id_,
            "webhook-timestamp": str(now),
            "webhook-signature": f"v1,{sign(SECRET.encode(), id_, now, body).decode()}",
        },
    )
    try:
        with urllib.request.urlopen(request) as response:
            status: int = response.status
            return status
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code


@pytest.mark.thorough
def test_a_posted_event_publishes_the_change(tmp_path: Path) -> None:
    config = configured(tmp_path)
    with Service(load_settings(config), config) as service:
        assert eventually(lambda: service.status().figures["versions"] == 1)
        add_column(tmp_path)

        assert post(service, "Shop.Orders") == 202
        assert post(service, "Shop.Orders") == 409

        assert eventually(lambda: service.status().figures["versions"] == 2)
        assert service.status().figures["dead letters"] == 0


@pytest.mark.thorough
def test_an_event_that_was_accepted_just_before_the_end_is_not_lost(tmp_path: Path) -> None:
    config = configured(tmp_path)
    settings = load_settings(config)
    with Service(settings, config) as service:
        assert eventually(lambda: service.status().figures["versions"] == 1)
    # Its daemon does not run, so that nothing reads the event.
    silent = Service(settings, config)
    assert post(silent, "shop.orders") == 202
    silent.close()
    add_column(tmp_path)

    with Service(settings, config) as service:
        assert eventually(lambda: service.status().figures["versions"] == 2)


def test_the_check_of_the_settings_names_the_address_and_makes_no_spool(tmp_path: Path) -> None:
    settings = load_settings(configured(tmp_path))

    found = {probe.part: probe.found for probe in probes(settings)}

    assert found["events.0"] == "takes POST /events/lake"
    assert not (tmp_path / "events-lake.db").exists()
