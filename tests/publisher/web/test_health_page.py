"""/health/ready in a browser: each check with its result and a remedy; programs get JSON as before."""

from __future__ import annotations

import pytest
from prometheus_client import CollectorRegistry

from publisher.web.access import UNPROTECTED, Access
from publisher.web.app import create_app, create_public_app
from tests.publisher.web.asgi_client import AsgiClient
from tests.publisher.web.daemon_double import IdleDaemon
from tests.publisher.web.html_outline import Outline
from tests.publisher.web.packages import HOSTILE

BROWSER = {"Accept": "text/html,*/*;q=0.8"}
FAILING = IdleDaemon(
    failing={
        "catalog archive": f"10.0.0.7 is silent {HOSTILE}",
        "receive kafka:orders": "10.0.0.8 is silent",
        "moon phase": "it wanes",
    }
)
OPERATORS = Access(has_own_port=True)


def client_of(daemon: IdleDaemon, access: Access = UNPROTECTED) -> AsgiClient:
    return AsgiClient(create_app(None, daemon, registry=CollectorRegistry(), access=access))


@pytest.mark.parametrize(("daemon", "status"), [(IdleDaemon(), 200), (FAILING, 503)])
def test_a_browser_gets_a_page_with_the_status_of_the_probe(
    daemon: IdleDaemon, status: int
) -> None:
    client = client_of(daemon)

    shown, probed = client.get("/health/ready", headers=BROWSER), client.get("/health/ready")

    assert (shown.status_code, probed.status_code) == (status, status)
    assert shown.headers["content-type"].startswith("text/html")
    assert probed.headers["content-type"] == "application/json"
    assert shown.headers["vary"] == probed.headers["vary"] == "Accept"
    assert Outline(shown.text).faults == []


def test_json_is_a_link_away() -> None:
    client = client_of(FAILING)

    answer = client.get("/health/ready?format=json", headers=BROWSER)

    assert (
        "/health/ready?format=json"
        in Outline(client.get("/health/ready", headers=BROWSER).text).links
    )
    assert answer.json() == client.get("/health/ready").json()


def test_operators_see_each_check_its_reason_and_its_remedy() -> None:
    page = client_of(FAILING, OPERATORS).get("/health/ready", headers=BROWSER).text

    text = Outline(page).text
    assert "State works" in text
    assert "Catalogs failscatalog archive: 10.0.0.7 is silent" in text
    assert "Event sources failsreceive kafka:orders: 10.0.0.8 is silent Repair the source." in text
    assert "Other parts failsmoon phase: it wanes" in text
    assert "<script" not in page


def test_others_see_which_check_fails_and_not_why() -> None:
    page = client_of(FAILING).get("/health/ready", headers=BROWSER).text

    text = Outline(page).text
    assert "Catalogs failscatalog archive" in text
    assert "silent" not in page
    assert "kafka:orders" not in page
    assert "Only operators see the reasons" in text


def test_the_metrics_are_a_link_where_they_are() -> None:
    public = AsgiClient(create_public_app(None, IdleDaemon()))
    closed = client_of(IdleDaemon(), Access("a token"))

    assert (
        "/metrics"
        in Outline(client_of(IdleDaemon()).get("/health/ready", headers=BROWSER).text).links
    )
    for client in (public, closed):
        assert "/metrics" not in Outline(client.get("/health/ready", headers=BROWSER).text).links
