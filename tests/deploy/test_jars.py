import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from deploy.errors import PreparationFailed, UnexpectedJars
from deploy.jars import (
    checksum_differences,
    downloaded_jars,
    hive_jars,
    jar_checksums,
    read_checksums,
    require_checksums,
)
from deploy.jdk import SOURCES, find_jdk

GROUPS = (
    "delta",
    "hive",
    "iceberg",
    "iceberg-rest",
    "kafka",
    "listener",
    "metastore",
    "nessie",
    "pig",
    "spark-avro",
    "spark-kafka",
)


def test_the_jars_of_hive_are_found_in_pyspark_without_those_of_spark() -> None:
    names = [jar.name for jar in hive_jars()]

    assert any(name.startswith("hive-metastore-") for name in names)
    assert not any(name.startswith("spark-") for name in names)


@pytest.mark.parametrize("group", GROUPS)
def test_every_version_that_is_asked_for_has_a_checksum(group: str) -> None:
    asked = ET.parse(SOURCES / f"{group}-ivy.xml").iter("dependency")

    checksums = read_checksums(SOURCES / f"{group}-checksums.txt")

    for dependency in asked:
        stem = f"{dependency.get('name')}-{dependency.get('rev')}"
        assert [
            name
            for name in checksums
            if name in (f"{stem}.jar", f"{stem}-all.jar", f"{stem}-runner.jar")
        ]


def test_checksums_are_in_the_format_of_sha256sum(tmp_path: Path) -> None:
    (tmp_path / "a-1.jar").write_bytes(b"content")
    listed = subprocess.run(
        ["sha256sum", "a-1.jar"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    (tmp_path / "checksums.txt").write_text(listed.stdout)

    assert read_checksums(tmp_path / "checksums.txt") == jar_checksums(tmp_path)


def test_missing_unlisted_and_changed_jars_are_distinguished() -> None:
    expected = {"changed.jar": "1", "missing.jar": "2", "same.jar": "3"}

    found = {"changed.jar": "4", "same.jar": "3", "unasked.jar": "5"}

    assert checksum_differences(expected, found) == (
        "changed.jar: expected 1, got 4",
        "missing.jar: expected 2, got none",
        "unasked.jar: expected no such jar, got 5",
    )


def test_a_jar_with_other_bytes_than_those_pinned_is_refused(tmp_path: Path) -> None:
    jar = tmp_path / "a-1.jar"
    checksums = tmp_path / "checksums.txt"
    jar.write_bytes(b"content")
    checksums.write_text(f"{jar_checksums(tmp_path)['a-1.jar']}  a-1.jar\n")
    require_checksums(tmp_path, checksums)

    jar.write_bytes(b"contenT")

    with pytest.raises(UnexpectedJars, match=r"a-1\.jar: expected") as refused:
        require_checksums(tmp_path, checksums)
    assert "before you trust them" in refused.value.hint


@pytest.mark.thorough
def test_without_a_network_the_failure_says_what_to_check(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SCHEMA_PUBLISHER_CACHE", str(tmp_path))
    # Nothing listens on port 1: every connection is refused, as without a network.
    proxy = "-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=1"
    monkeypatch.setenv("JDK_JAVA_OPTIONS", proxy)

    with pytest.raises(PreparationFailed) as failure:
        downloaded_jars(find_jdk(), "metastore")

    assert "hive-hcatalog-server-extensions" in str(failure.value)
    assert "central repository" in failure.value.hint
    assert [each for each in tmp_path.iterdir() if each.is_dir()] == []
