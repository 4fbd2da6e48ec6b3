"""A consumer upgrades from 1.0 to 1.1 to 2.0, while files and messages of each version exist."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import fastavro
import pytest

from tests.integration.consumer.installed import Shop, ran
from tests.integration.consumer.kinds import VERSIONS

PROGRAM = """
import sys, decimal
import {package} as package
order = package.RECORD.example().replace(customer="Ada", total=decimal.Decimal("1.50"))
package.write_file(sys.argv[1], [order])
print([(o.customer, o.total) for o in package.read_file(sys.argv[1])] == [("Ada", order.total)])
"""


def written(shop: Shop, version: str, file: Path) -> str:
    """Writes a file with that version; the schema it has."""
    with shop.version(version) as package:
        package.write_file(file, [shop.order(package, customer=version)])
        return str(package.SCHEMA)


@pytest.mark.parametrize("writer", VERSIONS)
@pytest.mark.parametrize("reader", VERSIONS)
def test_files_of_each_version_are_read_with_each(
    shop: Shop, writer: str, reader: str, tmp_path: Path
) -> None:
    written(shop, writer, tmp_path / "orders.avro")

    with shop.version(reader) as package:
        (found,) = package.read_file(tmp_path / "orders.avro")

        assert (found.customer, found.ship.city) == (writer, "Acton")


def test_a_column_that_is_new_has_its_default_in_old_data(shop: Shop, tmp_path: Path) -> None:
    written(shop, "1.0.0", tmp_path / "orders.avro")

    with shop.version("1.1.0") as package:
        (found,) = package.read_file(tmp_path / "orders.avro")

        assert found.unit is None


def test_a_column_that_was_dropped_is_passed_over(shop: Shop, tmp_path: Path) -> None:
    written(shop, "1.1.0", tmp_path / "orders.avro")

    with shop.version("2.0.0") as package:
        (found,) = package.read_file(tmp_path / "orders.avro")

        assert not hasattr(found, "weight")


def test_a_program_written_for_1_0_runs_with_1_1(shop: Shop, tmp_path: Path) -> None:
    program = PROGRAM.format(package=shop.import_name)
    for version in ("1.0.0", "1.1.0"):
        command = (sys.executable, "-c", program, tmp_path / f"{version}.avro")

        assert ran(*command, path=shop.sites[version]) == "True\n"


def test_json_of_an_old_version_is_read(shop: Shop) -> None:
    with shop.version("1.0.0") as old:
        text = shop.order(old).to_json()
    with shop.version("1.1.0") as new:
        assert new.RECORD.from_json(text).unit is None
    with shop.version("2.0.0") as newest:
        with pytest.raises(newest.InvalidValue, match="unknown field 'weight'"):
            newest.RECORD.from_json(text)
        assert newest.RECORD.from_json(text, unknown="ignore").customer == "Ada"


def test_a_table_of_an_old_version_is_read(shop: Shop) -> None:
    with shop.version("1.0.0") as old:
        table = old.to_arrow([shop.order(old)]).read_all()
    with shop.version("2.0.0") as new:
        (found,) = new.from_arrow(table)

        assert (found.customer, found.unit) == ("Ada", None)


def test_a_dropped_column_fails_where_it_is_named(shop: Shop) -> None:
    with shop.version("2.0.0") as package:
        with pytest.raises(TypeError, match="weight"):
            shop.order(package, weight=1.5)
        with pytest.raises(AttributeError, match="weight"):
            _ = shop.order(package).weight


def test_an_incompatible_writer_is_refused_with_the_path(package: Any, order: Any) -> None:
    schema = json.loads(package.SCHEMA)
    (day,) = (field for field in schema["fields"] if field["name"] == "day")
    day["type"] = "string"
    del day["default"]
    message = io.BytesIO()
    fastavro.schemaless_writer(message, schema, {**order.to_dict(), "day": "Monday"})

    with pytest.raises(package.UnresolvableSchema, match=r"day: no branch .* accepts string"):
        package.RECORD.from_avro(message.getvalue(), json.dumps(schema))


def test_the_changelog_says_what_changed(shop: Shop) -> None:
    text = next(shop.sites["2.0.0"].rglob("CHANGELOG.md")).read_text().replace("\\", "")

    assert "## 2.0.0 (major)\n\n- field `weight` removed" in text
    assert "## 1.1.0 (minor)\n\n- field `unit` added" in text
