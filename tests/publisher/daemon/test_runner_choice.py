"""Where a snapshot runs: by the size of the catalog, and the installed packages."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import pytest

from lakeschema.catalog.ddl_files import DdlFilesCatalog
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Catalog
from lakeschema.spark.session import SparkMissing
from publisher.daemon.runner_choice import SPARK_FROM_RELATIONS, choose_runner
from publisher.settings import Settings, load_settings


class SizedCatalog(DdlFilesCatalog):
    def __init__(self, path: Path, size: int) -> None:
        super().__init__(path)
        self._names = [RelationName.of("lake", f"t{number}") for number in range(size)]

    def namespaces(self) -> Sequence[Namespace]:
        return [Namespace(("lake",))]

    def relations(self, namespace: Namespace) -> Sequence[RelationName]:
        return self._names if namespace == Namespace(("lake",)) else ()


def settings(path: Path, kind: str = "ddl") -> Settings:
    file = path / "s.toml"
    file.write_text(f'artifacts.prefix = "acme"\ncatalog.kind = "{kind}"\n')
    return load_settings(file)


@pytest.fixture
def small(tmp_path: Path) -> Catalog:
    return SizedCatalog(tmp_path, SPARK_FROM_RELATIONS - 1)


@pytest.fixture
def large(tmp_path: Path) -> Catalog:
    return SizedCatalog(tmp_path, SPARK_FROM_RELATIONS)


def test_a_small_catalog_is_compared_in_this_process(tmp_path: Path, small: Catalog) -> None:
    assert choose_runner("auto", settings(tmp_path), small, has_spark=True) == "local"


def test_a_large_catalog_is_compared_on_spark(tmp_path: Path, large: Catalog) -> None:
    assert choose_runner("auto", settings(tmp_path), large, has_spark=True) == "spark"


def test_without_spark_a_large_one_is_compared_here_and_the_remedy_is_logged(
    tmp_path: Path, large: Catalog, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        chosen = choose_runner("auto", settings(tmp_path), large, has_spark=False)

    assert chosen == "local"
    assert [vars(record)["remedy"] for record in caplog.records] == [SparkMissing.hint]


def test_a_catalog_of_spark_is_compared_there(tmp_path: Path, small: Catalog) -> None:
    assert choose_runner("auto", settings(tmp_path, "spark"), small, has_spark=True) == "spark"


def test_spark_that_is_asked_for_and_missing_is_an_error(tmp_path: Path, small: Catalog) -> None:
    with pytest.raises(SparkMissing):
        choose_runner("spark", settings(tmp_path), small, has_spark=False)


@pytest.mark.thorough
def test_what_is_asked_for_is_not_questioned(tmp_path: Path, large: Catalog) -> None:
    assert choose_runner("local", settings(tmp_path), large, has_spark=True) == "local"
    assert choose_runner("spark", settings(tmp_path), large, has_spark=True) == "spark"
