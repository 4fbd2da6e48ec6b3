import base64
import hashlib
import xml.etree.ElementTree as ET
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deploy.cache import cache_directory, discard_unused, ensure_entry, fingerprint, locked
from deploy.errors import MissingPrerequisite
from deploy.jdk import find_jdk
from deploy.kafka import server_properties
from deploy.local_stack import MetastoreOptions, main
from deploy.metastore import hive_site, to_xml
from deploy.package_server import htpasswd_line

HOME = Path("/srv/a b")
printable = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1)


@given(st.dictionaries(printable, printable))
def test_a_settings_file_says_what_it_was_given(properties: dict[str, str]) -> None:
    root = ET.fromstring(to_xml(properties))

    assert {each.findtext("name"): each.findtext("value") for each in root} == properties


def test_a_catalog_on_disk_is_kept_in_the_directory() -> None:
    site = hive_site(HOME, MetastoreOptions(storage="disk"))

    assert (
        site["javax.jdo.option.ConnectionURL"] == "jdbc:derby:directory:/srv/a b/derby;create=true"
    )


def test_a_metastore_without_kafka_has_no_listener_to_load() -> None:
    assert "hive.metastore.event.listeners" not in hive_site(HOME, MetastoreOptions())


def test_a_setting_of_the_caller_wins() -> None:
    settings = {"hive.metastore.event.db.listener.timetolive": "1s", "fs.defaultFS": "x:///"}

    site = hive_site(HOME, MetastoreOptions(settings=settings))

    assert {key: site[key] for key in settings} == settings


def test_the_broker_listens_on_the_loopback_address_only() -> None:
    properties = server_properties(HOME, 1001, 1002)

    assert properties["listeners"] == "PLAINTEXT://127.0.0.1:1001,CONTROLLER://127.0.0.1:1002"


def test_a_password_line_is_of_apaches_sha_scheme() -> None:
    name, _, scheme = htpasswd_line("ann", "secret").strip().partition(":")

    assert name == "ann"
    assert scheme == "{SHA}" + base64.b64encode(hashlib.sha1(b"secret").digest()).decode()


def test_without_java_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    with pytest.raises(MissingPrerequisite) as missing:
        find_jdk()

    assert "JDK, version 17" in missing.value.hint


def test_a_java_that_is_too_old_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    java = tmp_path / "bin" / "java"
    java.write_text("")
    java.chmod(0o755)
    (tmp_path / "release").write_text('JAVA_VERSION="11.0.2"\n')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    with pytest.raises(MissingPrerequisite, match=r"11\.0\.2"):
        find_jdk()


def test_the_cache_is_where_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    monkeypatch.delenv("SCHEMA_PUBLISHER_CACHE", raising=False)
    assert cache_directory() == tmp_path / "user" / "schema-publisher"

    monkeypatch.setenv("SCHEMA_PUBLISHER_CACHE", str(tmp_path / "own"))
    assert cache_directory() == tmp_path / "own"


@pytest.fixture
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("SCHEMA_PUBLISHER_CACHE", str(tmp_path))
    return tmp_path


def writes(text: str) -> Callable[[Path], None]:
    def prepare(directory: Path) -> None:
        (directory / "text").write_text(text)

    return prepare


def test_an_entry_is_prepared_once(own_cache: Path) -> None:
    ensure_entry("entry", writes("first"))

    entry = ensure_entry("entry", writes("second"))

    assert (entry / "text").read_text() == "first"


def test_a_failed_preparation_leaves_no_entry(own_cache: Path) -> None:
    def fail(directory: Path) -> None:
        (directory / "half").write_text("")
        raise OSError

    with pytest.raises(OSError):  # noqa: PT011 - the very error that was raised
        ensure_entry("entry", fail)

    assert [each for each in own_cache.iterdir() if each.is_dir()] == []


def test_entries_in_use_are_kept(own_cache: Path) -> None:
    entry = ensure_entry("archive-1", writes(""))

    discard_unused("archive-*", days=1)
    assert entry.exists()

    discard_unused("archive-*", days=-1)
    assert not entry.exists()


@given(st.lists(st.text()), st.lists(st.text()))
def test_different_parts_have_different_fingerprints(one: list[str], other: list[str]) -> None:
    assert (fingerprint(*one) == fingerprint(*other)) == (one == other)


def test_an_unknown_server_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["up", "--only", "metastore,oracle"])

    assert ended.value.code == 2
    assert (
        "expected one of kafka, metastore, pypiserver, iceberg-rest, got 'oracle'"
        in capsys.readouterr().err
    )


def test_nothing_runs_where_nothing_was_started(
    own_cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["status", "--directory", str(own_cache / "none")]) == 1
    assert main(["down", "--directory", str(own_cache / "none")]) == 0
    assert not (own_cache / "none").exists()


def test_a_directory_with_unknown_files_is_an_error_with_a_hint(
    own_cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (own_cache / "stack" / "kafka").mkdir(parents=True)

    assert main(["up", "--only", "kafka", "--directory", str(own_cache / "stack")]) == 3
    assert "hint: choose another directory" in capsys.readouterr().err


def test_a_lock_is_held_by_one_at_a_time_and_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    inside: list[int] = []
    most = 0

    def hold(_: int) -> None:
        nonlocal most
        with locked(path):
            inside.append(1)
            most = max(most, len(inside))
            inside.pop()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(hold, range(200)))

    assert most == 1
    assert not path.exists()
