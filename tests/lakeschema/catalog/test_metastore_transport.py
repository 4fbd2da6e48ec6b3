"""Connections through TLS and SASL, to a metastore in a thread that really speaks both."""

from __future__ import annotations

import pickle
import ssl
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lakeschema.catalog.errors import CatalogUnavailable
from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
from lakeschema.catalog.identifiers import Namespace
from lakeschema.catalog.metastore_security import Sasl, Security, Tls
from tests.lakeschema.catalog.certificates import Authority
from tests.lakeschema.catalog.thrift_metastore import Entry, Handler, serving

PLAIN = Sasl("PLAIN", "reader", "tell-nobody")
DATABASES = (Namespace(("default",)),)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def tls_context(authority: Authority) -> ssl.SSLContext:
    server = authority.certificate("server")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(server.cert_file, server.key_file)
    return context


@pytest.fixture
def secured(tls_context: ssl.SSLContext) -> Iterator[str]:
    with serving(Handler(), Entry(tls=tls_context)) as uri:
        yield uri


@pytest.fixture
def with_password() -> Iterator[str]:
    with serving(Handler(), Entry(credentials=(PLAIN.username, PLAIN.password))) as uri:
        yield uri


def databases(uri: str, security: Security) -> object:
    catalog = HiveMetastoreCatalog(uri, attempts=1, timeout_seconds=10.0, security=security)
    try:
        return catalog.namespaces()
    finally:
        catalog.close()


def test_a_metastore_of_a_trusted_authority_answers_within_tls(
    secured: str, authority: Authority
) -> None:
    assert databases(secured, Security(Tls(str(authority.ca_file)))) == DATABASES


def test_a_metastore_of_another_authority_is_not_spoken_to(secured: str, tmp_path: Path) -> None:
    other = Authority(tmp_path, "other")

    with pytest.raises(CatalogUnavailable, match="CERTIFICATE_VERIFY_FAILED"):
        databases(secured, Security(Tls(str(other.ca_file))))


def test_nor_is_one_that_the_machine_does_not_know(secured: str) -> None:
    with pytest.raises(CatalogUnavailable, match="CERTIFICATE_VERIFY_FAILED"):
        databases(secured, Security(Tls()))


def test_nor_is_one_whose_certificate_names_another_host(
    authority: Authority, tmp_path: Path
) -> None:
    server = authority.certificate("elsewhere", "10.0.0.7")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(server.cert_file, server.key_file)

    with (
        serving(Handler(), Entry(tls=context)) as uri,
        pytest.raises(CatalogUnavailable, match="not valid for"),
    ):
        databases(uri, Security(Tls(str(authority.ca_file))))


def test_a_metastore_that_asks_for_a_certificate_gets_ours(
    tls_context: ssl.SSLContext, authority: Authority
) -> None:
    tls_context.verify_mode = ssl.CERT_REQUIRED
    tls_context.load_verify_locations(authority.ca_file)
    client = authority.certificate("client")
    tls = Tls(str(authority.ca_file), str(client.cert_file), str(client.key_file))

    with serving(Handler(), Entry(tls=tls_context)) as uri:
        assert databases(uri, Security(tls)) == DATABASES
        with pytest.raises(CatalogUnavailable):
            databases(uri, Security(Tls(str(authority.ca_file))))


def test_a_metastore_with_passwords_answers_who_has_one(with_password: str) -> None:
    assert databases(with_password, Security(sasl=PLAIN)) == DATABASES


@pytest.mark.parametrize(
    "wrong", [replace(PLAIN, password="guess"), replace(PLAIN, username=""), Sasl("PLAIN")]
)
def test_wrong_credentials_are_told_as_such(with_password: str, wrong: Sasl) -> None:
    with pytest.raises(CatalogUnavailable, match=r"(?i)sasl"):
        databases(with_password, Security(sasl=wrong))


def test_a_password_is_sent_within_tls(tls_context: ssl.SSLContext, authority: Authority) -> None:
    entry = Entry(tls_context, (PLAIN.username, PLAIN.password))

    with serving(Handler(), entry) as uri:
        security = Security(Tls(str(authority.ca_file)), PLAIN)
        assert databases(uri, security) == DATABASES


def test_the_next_address_answers_when_the_first_is_not_trusted(
    secured: str, authority: Authority, tmp_path: Path
) -> None:
    other = Authority(tmp_path, "other").certificate("other-server")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(other.cert_file, other.key_file)
    security = Security(Tls(str(authority.ca_file)))

    with serving(Handler(), Entry(tls=context)) as untrusted:
        catalog = HiveMetastoreCatalog([untrusted, secured], security=security)
        assert catalog.namespaces() == DATABASES
        catalog.close()


@pytest.mark.parametrize(("mechanism", "extra"), [("PLAIN", "sasl"), ("GSSAPI", "kerberos")])
def test_what_must_be_installed_is_named(
    with_password: str, monkeypatch: pytest.MonkeyPatch, mechanism: str, extra: str
) -> None:
    for package in ("puresasl", "kerberos"):
        monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(CatalogUnavailable, match=rf"pip install '\.\[{extra}\]'"):
        databases(with_password, Security(sasl=Sasl(mechanism)))  # type: ignore[arg-type]  # the wrong one is the test


def test_it_travels_to_executors_and_shows_no_password() -> None:
    security = Security(Tls("ca.pem"), PLAIN)

    assert pickle.loads(pickle.dumps(security)) == security
    assert PLAIN.password not in repr(security)
