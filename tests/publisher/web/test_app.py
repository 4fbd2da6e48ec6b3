"""The daemon's answers over HTTP: the simple API, and the headers and rules of every answer."""

from __future__ import annotations

import gzip
import hashlib
import re
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from publisher.index.simple_page import HTML_TYPE, JSON_TYPE
from publisher.index.static import StaticIndex
from publisher.web.app import create_app
from publisher.web.status import RelationStatus, ServiceStatus
from tests.publisher.index.wheels import sample_wheel
from tests.publisher.web.asgi_client import AsgiClient
from tests.publisher.web.daemon_double import IdleDaemon
from tests.publisher.web.html_outline import Outline
from tests.publisher.web.packages import HOSTILE

PROJECT = "acme-schema-shop-orders"
SIMPLE = f"/simple/{PROJECT}/"


@pytest.fixture
def index(tmp_path: Path) -> StaticIndex:
    index = StaticIndex(tmp_path / "index")
    for number in range(5):
        index.upload(sample_wheel(version=f"1.{number}.0"))
    index.upload(sample_wheel("acme-schema-other"))
    return index


@pytest.fixture
def client(index: StaticIndex) -> AsgiClient:
    return client_of(index, ServiceStatus(figures={"versions": 6}))


def client_of(index: StaticIndex | None, status: ServiceStatus) -> AsgiClient:
    app = create_app(index, IdleDaemon(status), registry=CollectorRegistry())
    return AsgiClient(app)


PAGES = [
    "/simple/",
    SIMPLE,
    "/constraints.txt",
    "/requirements.txt",
    "/",
    "/packages/acme-schema-other",
]


@pytest.mark.parametrize("address", PAGES)
def test_a_page_that_a_client_has_is_not_sent_again(client: AsgiClient, address: str) -> None:
    first = client.get(address)
    etag = first.headers["etag"]

    again = client.get(address, headers={"If-None-Match": f'"x", W/{etag}'})

    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
    assert again.headers["etag"] == etag
    assert client.get(address, headers={"If-None-Match": '"x"'}).status_code == 200


@pytest.mark.parametrize("address", [SIMPLE, "/packages/acme-schema-other"])
def test_a_page_is_compressed_for_whoever_takes_it(client: AsgiClient, address: str) -> None:
    plain = client.get(address)
    headers, raw = client.raw(address, {"Accept-Encoding": "br, gzip"})

    assert "content-encoding" not in plain.headers
    assert headers["content-encoding"] == "gzip"
    assert gzip.decompress(raw) == plain.content
    assert len(raw) < len(plain.content)
    assert headers["etag"] != plain.headers["etag"]
    assert {headers["vary"], plain.headers["vary"]} == {
        "Accept, Accept-Encoding, Authorization, Host, X-Forwarded-Proto"
    }


def test_a_small_page_is_not_worth_compressing(client: AsgiClient) -> None:
    answer = client.get("/simple/", headers={"Accept-Encoding": "gzip"})

    assert "content-encoding" not in answer.headers


def test_each_form_of_a_page_has_its_own_etag(client: AsgiClient) -> None:
    forms = [client.get(SIMPLE, headers={"Accept": kind}) for kind in (JSON_TYPE, HTML_TYPE)]

    assert [form.headers["content-type"].partition(";")[0] for form in forms] == [
        JSON_TYPE,
        HTML_TYPE,
    ]
    assert forms[0].headers["etag"] != forms[1].headers["etag"]
    assert forms[1].headers["etag"] != client.get(SIMPLE).headers["etag"]


def test_the_format_may_stand_in_the_address(client: AsgiClient) -> None:
    answer = client.get(SIMPLE, params={"format": JSON_TYPE})

    assert answer.headers["content-type"] == JSON_TYPE
    assert answer.json()["meta"] == {"api-version": "1.1"}


def test_a_form_that_is_not_served_is_refused(client: AsgiClient) -> None:
    assert client.get(SIMPLE, headers={"Accept": "image/png"}).status_code == 406


def test_a_yank_changes_the_page_at_once(client: AsgiClient, index: StaticIndex) -> None:
    etag = client.get(SIMPLE).headers["etag"]

    index.yank(index.files(PROJECT)[0], "dropped <b>")

    answer = client.get(SIMPLE, headers={"If-None-Match": etag, "Accept": JSON_TYPE})
    assert answer.json()["files"][0]["yanked"] == "dropped <b>"
    assert 'data-yanked="dropped &lt;b&gt;"' in client.get(SIMPLE).text


def wheel_address(index: StaticIndex) -> str:
    return SIMPLE + index.files(PROJECT)[0].filename


def test_a_wheel_is_kept_for_ever_under_its_hash(client: AsgiClient, index: StaticIndex) -> None:
    wheel = sample_wheel()

    answer = client.get(wheel_address(index))

    assert answer.content == wheel.data
    assert answer.headers["etag"] == f'"{wheel.sha256}"'
    assert "immutable" in answer.headers["cache-control"]
    assert "content-encoding" not in answer.headers
    known = client.get(wheel_address(index), headers={"If-None-Match": answer.headers["etag"]})
    assert known.status_code == 304


@pytest.mark.parametrize(
    ("asked", "start", "stop"),
    [("bytes=0-9", 0, 10), ("bytes=100-", 100, None), ("bytes=-22", -22, None)],
)
def test_a_part_of_a_wheel_is_served_alone(
    client: AsgiClient, index: StaticIndex, asked: str, start: int, stop: int | None
) -> None:
    data = sample_wheel().data

    answer = client.get(wheel_address(index), headers={"Range": asked})

    part = data[start:stop]
    first = start % len(data)
    assert answer.status_code == 206
    assert answer.content == part
    assert answer.headers["content-range"] == f"bytes {first}-{first + len(part) - 1}/{len(data)}"
    assert answer.headers["accept-ranges"] == "bytes"


def test_a_part_beyond_the_end_is_refused_with_the_size(
    client: AsgiClient, index: StaticIndex
) -> None:
    size = len(sample_wheel().data)

    answer = client.get(wheel_address(index), headers={"Range": f"bytes={size}-"})

    assert answer.status_code == 416
    assert answer.headers["content-range"] in {f"bytes */{size}", f"*/{size}"}


def test_a_part_of_other_bytes_is_sent_whole(client: AsgiClient, index: StaticIndex) -> None:
    headers = {"Range": "bytes=0-9", "If-Range": '"of other bytes"'}

    answer = client.get(wheel_address(index), headers=headers)

    assert (answer.status_code, answer.content) == (200, sample_wheel().data)


def test_metadata_stands_beside_each_wheel_with_the_hash_that_the_page_states(
    client: AsgiClient, index: StaticIndex
) -> None:
    page = client.get(SIMPLE, headers={"Accept": JSON_TYPE}).json()
    file = page["files"][0]

    answer = client.get(wheel_address(index) + ".metadata")

    assert hashlib.sha256(answer.content).hexdigest() == file["core-metadata"]["sha256"]
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert f'data-core-metadata="sha256={file["core-metadata"]["sha256"]}"' in (
        client.get(SIMPLE).text
    )


def test_a_removed_wheel_is_not_there_whatever_the_page_says(
    client: AsgiClient, index: StaticIndex
) -> None:
    address = wheel_address(index)
    index.file_path(address.rpartition("/")[2]).unlink()

    assert client.get(address).status_code == 404


@pytest.mark.parametrize(
    ("asked", "leads_to"),
    [
        ("/simple", "/simple/"),
        (SIMPLE.rstrip("/"), SIMPLE),
        ("/simple/Acme_Schema.Shop-Orders/", SIMPLE),
        ("/packages", "/packages/"),
        ("/relations", "/"),
        ("/relations/", "/"),
        ("/packages/Acme.Schema_Other", "/packages/acme-schema-other"),
        ("/packages/acme-schema-other/", "/packages/acme-schema-other"),
    ],
)
def test_other_spellings_lead_to_the_one_address(
    client: AsgiClient, asked: str, leads_to: str
) -> None:
    assert client.get(asked).headers["location"].removeprefix("http://testserver") == leads_to


@pytest.mark.parametrize(
    "address",
    [
        "/simple/never-seen/",
        "/simple/..%2f..%2fetc/",
        SIMPLE + "index.json",
        SIMPLE + "index.html",
        SIMPLE + "%2e%2e%2f%2e%2e%2fstate.db",
        SIMPLE + "acme_schema_shop_orders-9.9.9-py3-none-any.whl",
        "/packages/..%2f..%2fetc",
    ],
)
def test_what_no_page_lists_is_not_there(client: AsgiClient, address: str) -> None:
    assert client.get(address).status_code == 404


@pytest.mark.parametrize("address", [*PAGES, "/packages/unknown", "/nowhere"])
def test_every_answer_forbids_scripts_frames_and_guesses(client: AsgiClient, address: str) -> None:
    headers = client.get(address).headers

    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "script-src" not in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
@pytest.mark.parametrize("address", ["/", SIMPLE, "/packages/acme-schema-other", "/nowhere"])
def test_nothing_can_be_changed(client: AsgiClient, method: str, address: str) -> None:
    answer = client.request(method, address)

    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")


def test_a_damaged_index_is_a_passing_error_that_tells_no_paths(
    client: AsgiClient, tmp_path: Path
) -> None:
    (tmp_path / "index" / "simple" / PROJECT / "index.json").write_text("{")

    for address in (SIMPLE, f"/packages/{PROJECT}"):
        answer = client.get(address)
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "5"
        assert str(tmp_path) not in answer.text


def test_the_newest_version_that_is_not_yanked_is_pinned(
    client: AsgiClient, index: StaticIndex
) -> None:
    index.yank(index.files(PROJECT)[-1], "dropped")

    constraints = client.get("/constraints.txt").text.splitlines()
    requirements = client.get("/requirements.txt").text.splitlines()
    own = client.get(f"/requirements/{PROJECT.upper()}.txt").text

    pinned = f"{PROJECT}==1.3.0 --hash=sha256:{sample_wheel(version='1.3.0').sha256}"
    assert constraints == ["acme-schema-other==1.0.0", f"{PROJECT}==1.3.0"]
    assert requirements[1] == pinned
    assert own == f"{pinned}\n"


def test_a_package_without_versions_to_install_has_no_requirements(
    client: AsgiClient, index: StaticIndex
) -> None:
    for file in index.files("acme-schema-other"):
        index.yank(file, "dropped")

    assert client.get("/requirements/acme-schema-other.txt").status_code == 404
    assert client.get("/requirements/nothing.txt").status_code == 404
    assert "acme-schema-other" not in client.get("/requirements.txt").text


def test_one_damaged_page_costs_the_pins_its_project_only(
    client: AsgiClient, tmp_path: Path
) -> None:
    (page,) = tmp_path.glob(f"index/**/{PROJECT}/index.json")
    page.write_text("{")

    constraints = client.get("/constraints.txt").text.splitlines()
    requirements = client.get("/requirements.txt").text.splitlines()

    sha256 = sample_wheel("acme-schema-other").sha256
    damaged = f"# {PROJECT}: its page cannot be read"
    assert constraints == [damaged, "acme-schema-other==1.0.0"]
    assert requirements == [damaged, f"acme-schema-other==1.0.0 --hash=sha256:{sha256}"]


def test_the_dashboard_leads_to_packages_and_these_are_found(client: AsgiClient) -> None:
    assert '<a href="/packages/">' in client.get("/").text

    page = client.get("/packages/", params={"q": "OTHER"}).text

    assert "Packages (1 of 2)" in page
    assert '<a href="/packages/acme-schema-other">acme-schema-other</a>' in page
    assert PROJECT not in page


def test_the_list_says_what_each_package_is_and_since_when(
    client: AsgiClient, index: StaticIndex, tmp_path: Path
) -> None:
    for file in index.files("acme-schema-other"):
        index.yank(file, "dropped")
    index.yank(index.files(PROJECT)[-1], "superseded")
    (damaged,) = tmp_path.glob(f"index/**/{PROJECT}/*1.3.0*.metadata")
    damaged.unlink()

    text = Outline(client.get("/packages/").text).text

    assert re.search(r"acme-schema-other 1\.0\.0 \(yanked\) .* UTC ?A sample", text), text
    assert re.search(rf"{PROJECT} 1\.3\.0 .* UTC", text), text


def test_a_package_whose_page_is_damaged_is_listed_by_its_name(
    client: AsgiClient, tmp_path: Path
) -> None:
    (page,) = tmp_path.glob(f"index/**/{PROJECT}/index.json")
    page.write_text("{")

    assert PROJECT in Outline(client.get("/packages/").text).text


def test_the_dashboard_shows_untrusted_text_as_text(index: StaticIndex) -> None:
    troubled = RelationStatus(HOSTILE, "BROKEN", HOSTILE, "acme-schema-other", "1.0.0")
    status = ServiceStatus(ready=False, reason=HOSTILE, relations=(troubled,))

    page = client_of(index, status).get("/", params={"q": HOSTILE}).text

    assert "<script" not in page
    assert "<b>" not in page
    assert "&lt;script&gt;" in page


def test_without_an_index_of_our_own_there_are_no_packages_to_show() -> None:
    client = client_of(
        None, ServiceStatus(relations=(RelationStatus("a.b", "OK", "", "acme-a-b", "1"),))
    )

    assert client.get("/simple/").status_code == 404
    assert client.get("/packages/acme-a-b").status_code == 404
    assert Outline(client.get("/").text).links == ["/relations/a.b", "/catalog"]


@pytest.mark.parametrize(
    ("daemon", "live", "ready"),
    [
        (IdleDaemon(), 200, 200),
        (IdleDaemon(failing={"catalog": "10.0.0.7 is silent"}), 200, 503),
        (IdleDaemon(ServiceStatus(live=False), {"threads": "one has ended"}), 503, 503),
    ],
)
def test_health_says_whether_it_lives_and_is_ready(
    daemon: IdleDaemon, live: int, ready: int
) -> None:
    client = AsgiClient(create_app(None, daemon, registry=CollectorRegistry()))

    answers = [client.get("/health/live"), client.get("/health/ready")]

    assert [answer.status_code for answer in answers] == [live, ready]


def test_health_names_to_everybody_what_fails_and_not_why() -> None:
    failing = {"receive kafka:orders": "10.0.0.7:9092 is silent", "catalog": "/srv/ddl: gone"}
    app = create_app(None, IdleDaemon(failing=failing), registry=CollectorRegistry())

    answer = AsgiClient(app).get("/health/ready")

    assert answer.json() == {"ready": False, "reason": "catalog; receive"}


@pytest.mark.parametrize(
    ("address", "headers", "status"),
    [
        ("/?q=" + "a" * 5_000, {}, 414),
        ("/simple/" + "a" * 5_000, {}, 414),
        ("/", {"X-Large": "a" * 20_000}, 431),
        ("/", {f"X-{i}": "a" for i in range(200)}, 431),
    ],
)
def test_a_request_larger_than_any_that_is_meant_is_refused(
    client: AsgiClient, address: str, headers: dict[str, str], status: int
) -> None:
    assert client.get(address, headers=headers).status_code == status


def test_the_provenance_of_a_signed_wheel_is_served(tmp_path: Path) -> None:
    index = StaticIndex(tmp_path, sign=lambda filename, sha256: f"{filename} {sha256}".encode())
    index.upload(sample_wheel())
    StaticIndex(tmp_path).upload(sample_wheel(version="1.1.0"))
    client = client_of(index, ServiceStatus())
    signed, unsigned = index.files(PROJECT)

    found = client.get(f"{SIMPLE}{signed.filename}.provenance")

    assert found.content == f"{signed.filename} {signed.sha256}".encode()
    assert found.headers["content-type"] == "application/vnd.pypi.integrity.v1+json"
    assert found.headers["cache-control"] == "no-cache"
    page = client.get(SIMPLE, headers={"Accept": JSON_TYPE}).json()
    assert page["files"][0]["provenance"] == f"{signed.filename}.provenance"
    for name in (unsigned.filename, "other.whl", "", "..%2f" + signed.filename):
        assert client.get(f"{SIMPLE}{name}.provenance").status_code == 404
