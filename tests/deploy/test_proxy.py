"""The sample for nginx, run by nginx in front of a running service."""

from __future__ import annotations

import datetime as dt
import re
import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from deploy.ports import free_ports
from publisher.daemon.service import Service
from publisher.settings import load_settings
from tests.deploy.judges import DEPLOY, ended, program
from tests.publisher.commands.folder import Folder
from tests.waiting import eventually

pytestmark = pytest.mark.thorough

SAMPLE = DEPLOY / "nginx" / "schema-publisher.conf"
HOST = "packages.example"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Message
    body: bytes


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


@dataclass(frozen=True)
class Proxy:
    plain: int
    secure: int
    authority: Path

    def get(
        self,
        path: str,
        *,
        secure: bool = True,
        data: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        port, scheme = (self.secure, "https") if secure else (self.plain, "http")
        context = ssl.create_default_context(cafile=str(self.authority))
        opener = urllib.request.build_opener(
            _Stay, urllib.request.HTTPSHandler(context=context), urllib.request.ProxyHandler({})
        )
        request = urllib.request.Request(
            f"{scheme}://localhost:{port}{path}", data, {"Host": HOST, **(headers or {})}
        )
        try:
            with opener.open(request, timeout=30) as response:
                return Answer(response.status, response.headers, response.read())
        except urllib.error.HTTPError as refusal:
            with refusal:
                return Answer(refusal.code, refusal.headers, refusal.read())


def certificate(folder: Path) -> None:
    """Signed by itself, for localhost, as a test reaches it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "fullchain.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "privkey.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )


def configuration(folder: Path, upstream: str, plain: int, secure: int) -> Path:
    """The sample with this machine's ports and folders, within what Debian's nginx.conf puts around it."""
    sample = SAMPLE.read_text(encoding="utf-8")
    for written, instead in (
        ("listen 80;", f"listen 127.0.0.1:{plain};"),
        ("listen 443 ssl http2;", f"listen 127.0.0.1:{secure} ssl http2;"),
        ("server 127.0.0.1:8765;", f"server {upstream};"),
        (f"/etc/ssl/{HOST}/", f"{folder}/"),
        ("/var/cache/nginx/", f"{folder}/cache/"),
    ):
        assert written in sample
        sample = sample.replace(written, instead)
    (folder / "cache").mkdir()
    temporary = "".join(
        f"{each}_temp_path {folder}/{each};\n"
        for each in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    file = folder / "nginx.conf"
    file.write_text(
        f"daemon off;\nmaster_process off;\npid {folder}/nginx.pid;\nerror_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{\naccess_log off;\n{temporary}{sample}}}\n"
    )
    return file


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    nginx = program("nginx", "on Debian it is in the package nginx-light")
    folder = tmp_path_factory.mktemp("proxy")
    certificate(folder)
    lake = Folder(tmp_path_factory.mktemp("lake"))
    lake.write_settings(
        rest=f'[http]\nport = 0\noperations_port = 0\npublic_url = "https://{HOST}"\n'
    )
    plain, secure = free_ports(2)
    with Service(load_settings(lake.config), lake.config) as service:
        assert service.url is not None
        file = configuration(folder, service.url.removeprefix("http://"), plain, secure)
        checked = ended(nginx, "-t", "-p", folder, "-c", file)
        assert checked.returncode == 0, checked.stderr
        with subprocess.Popen([nginx, "-p", str(folder), "-c", str(file)]) as process:
            try:
                found = Proxy(plain, secure, folder / "fullchain.pem")
                eventually(lambda: _has_package(found))
                yield found
            finally:
                process.terminate()


def _has_package(proxy: Proxy) -> bool:
    try:
        return b".whl" in proxy.get("/simple/acme-schema-shop-orders/").body
    except urllib.error.URLError:
        return False


def wheel(proxy: Proxy) -> str:
    page = proxy.get("/simple/acme-schema-shop-orders/").body.decode()
    [name] = re.findall(r'href="([^"#]+\.whl)', page)
    return f"/simple/acme-schema-shop-orders/{name.rsplit('/', 1)[-1]}"


def test_an_installer_gets_a_wheel_over_tls_and_the_second_from_the_cache(proxy: Proxy) -> None:
    path = wheel(proxy)

    first, second = proxy.get(path), proxy.get(path)

    assert first.status == second.status == 200
    assert first.body[:2] == b"PK"
    assert first.body == second.body
    assert "immutable" in second.headers["Cache-Control"]
    assert second.headers["X-Cache-Status"] == "HIT"
    assert second.headers["Strict-Transport-Security"] == "max-age=31536000"


def test_html_and_json_at_one_address_are_not_confused(proxy: Proxy) -> None:
    json_type = "application/vnd.pypi.simple.v1+json"

    def type_for(accept: str) -> str:
        answer = proxy.get("/simple/acme-schema-shop-orders/", headers={"Accept": accept})
        return str(answer.headers.get_content_type())

    assert type_for("text/html") == "text/html"
    assert type_for(json_type) == json_type
    assert type_for("text/html") == "text/html"


def test_plain_http_leads_to_tls(proxy: Proxy) -> None:
    answer = proxy.get("/packages/?q=a", secure=False)

    assert answer.status == 308
    assert answer.headers["Location"] == f"https://{HOST}/packages/?q=a"


@pytest.mark.parametrize(
    "path", ["/metrics", "/operations", "/relations/shop.orders", "/lineage/shop.orders"]
)
def test_what_operators_see_is_not_behind_the_proxy(path: str, proxy: Proxy) -> None:
    assert proxy.get(path).status == 404


def test_nobody_posts_through_the_proxy(proxy: Proxy) -> None:
    assert proxy.get("/check", data=b"{}").status == 403


def test_the_service_sees_the_public_name(proxy: Proxy) -> None:
    page = proxy.get("/packages/acme-schema-shop-orders").body.decode()

    assert f"https://{HOST}/simple/" in page
