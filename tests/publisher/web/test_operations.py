"""Who may read the pages about the daemon: everybody, owners of the token, or users of another port."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry
from starlette.requests import Request

from publisher.index.static import StaticIndex
from publisher.web.access import UNPROTECTED, Access
from publisher.web.app import create_app, create_operations_app, create_public_app
from publisher.web.status import RelationStatus, ServiceStatus
from tests.publisher.index.wheels import sample_wheel
from tests.publisher.web.asgi_client import AsgiClient
from tests.publisher.web.daemon_double import IdleDaemon

TOKEN = "a token of the operators"
PROJECT = "acme-schema-shop-orders"
DAEMON = IdleDaemon(
    ServiceStatus(
        ready=False,
        reason="index: https://10.0.0.7/ is silent",
        relations=(RelationStatus("shop.secret_plans", "BROKEN"),),
    ),
    {"index": "https://10.0.0.7/ is silent"},
)


@pytest.fixture
def index(tmp_path: Path) -> StaticIndex:
    index = StaticIndex(tmp_path)
    index.upload(sample_wheel())
    return index


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def basic(password: str) -> dict[str, str]:
    return {"Authorization": f"Basic {base64.b64encode(f'me:{password}'.encode()).decode()}"}


def test_without_a_token_the_pages_are_everybodys(index: StaticIndex) -> None:
    client = AsgiClient(create_app(index, DAEMON, registry=CollectorRegistry()))

    assert "shop.secret_plans" in client.get("/").text
    assert client.get("/metrics").status_code == 200


class TestWithAToken:
    @pytest.fixture
    def client(self, index: StaticIndex) -> AsgiClient:
        app = create_app(index, DAEMON, registry=CollectorRegistry(), access=Access(TOKEN))
        return AsgiClient(app)

    @pytest.mark.parametrize("headers", [bearer(TOKEN), basic(TOKEN)])
    def test_whoever_has_it_sees_all(self, client: AsgiClient, headers: dict[str, str]) -> None:
        pages = [client.get(address, headers=headers) for address in ("/", "/operations")]

        assert all("shop.secret_plans" in page.text for page in pages)
        assert client.get("/metrics", headers=headers).status_code == 200
        assert "10.0.0.7" in client.get("/health/ready", headers=headers).text

    @pytest.mark.parametrize(
        "headers",
        [
            {},
            bearer(""),
            bearer(TOKEN[:-1]),
            basic("x"),
            {"Authorization": "Basic %"},
            {"Authorization": f"Digest {TOKEN}"},
            {"Authorization": TOKEN},
        ],
        ids=str,
    )
    def test_others_see_packages_and_whether_it_is_ready(
        self, client: AsgiClient, headers: dict[str, str]
    ) -> None:
        start = client.get("/", headers=headers)

        assert PROJECT in start.text
        assert "shop.secret_plans" not in start.text
        assert "10.0.0.7" not in start.text
        for address in ("/operations", "/metrics"):
            refused = client.get(address, headers=headers)
            assert refused.status_code == 401
            assert refused.headers["www-authenticate"].startswith("Basic ")
        assert client.get("/health/ready", headers=headers).json() == {
            "ready": False,
            "reason": "index",
        }
        assert client.get(f"/simple/{PROJECT}/", headers=headers).status_code == 200

    def test_without_packages_the_start_page_asks_for_it(self) -> None:
        app = create_app(None, DAEMON, registry=CollectorRegistry(), access=Access(TOKEN))

        assert AsgiClient(app).get("/").status_code == 401

    @pytest.mark.parametrize("stated", [f"Bearer {TOKEN}\xe4", "Basic \xff", "Basic /w=="])
    def test_bytes_that_are_no_text_are_no_token(self, stated: str) -> None:
        headers = [(b"authorization", stated.encode("latin-1"))]

        assert not Access(TOKEN).permits(Request({"type": "http", "headers": headers}))

    def test_it_is_not_shown(self) -> None:
        assert TOKEN not in repr(Access(TOKEN))


class TestOnAPortOfTheirOwn:
    def test_the_public_port_has_packages_alone(self, index: StaticIndex) -> None:
        client = AsgiClient(create_public_app(index, DAEMON))

        start = client.get("/")

        assert PROJECT in start.text
        assert "shop.secret_plans" not in start.text
        assert client.get("/metrics").status_code == 404
        assert client.get("/operations").status_code == 404
        assert client.get("/health/ready").json()["reason"] == "index"
        assert client.get(f"/packages/{PROJECT}").status_code == 200

    def test_the_other_port_tells_all(self) -> None:
        access = Access(has_own_port=True)
        app = create_operations_app(DAEMON, registry=CollectorRegistry(), access=access)
        client = AsgiClient(app)

        assert "shop.secret_plans" in client.get("/").text
        assert client.get("/metrics").status_code == 200
        assert "10.0.0.7" in client.get("/health/ready").text
        assert client.get("/simple/").status_code == 404

    def test_the_other_port_may_ask_for_a_token_too(self) -> None:
        access = Access(TOKEN, has_own_port=True)
        app = create_operations_app(DAEMON, registry=CollectorRegistry(), access=access)
        client = AsgiClient(app)

        assert client.get("/").status_code == 401
        assert client.get("/health/ready").json()["reason"] == "index"
        assert client.get("/", headers=bearer(TOKEN)).status_code == 200


def test_nothing_is_revealed_where_nothing_is_protected(index: StaticIndex) -> None:
    app = create_app(index, DAEMON, registry=CollectorRegistry(), access=UNPROTECTED)

    assert "10.0.0.7" not in AsgiClient(app).get("/health/ready").text
