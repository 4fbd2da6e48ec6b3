"""Programs of a newcomer exchange data while some have the old version and some the new one."""

from __future__ import annotations

import io
import json
import pickle
import sys
from pathlib import Path
from typing import Any

import fastavro
import pytest

from tests.integration.consumer.installed import Installed, ran
from tests.integration.consumer.lake import CUSTOMER, ORDERS
from tests.integration.consumer.lake_installed import Lake, columns_of, values_of


def of_another_process(relation: Installed, version: str, program: str, *arguments: Any) -> str:
    """What a program printed that has the package of that version as ``p``."""
    prelude = f"import pickle, sys, {relation.import_name} as p; R = p.RECORD\n"
    command = (sys.executable, "-W", "error", "-c", prelude + program, *arguments)
    return ran(*command, path=relation.sites[version])


def test_a_pickle_of_the_old_version_has_defaults_in_the_new_one(
    relation: Installed, tmp_path: Path
) -> None:
    path = tmp_path / "record.pickle"
    of_another_process(
        relation, "1.0.0", "pickle.dump([R.example(3)] * 2, open(sys.argv[1], 'wb'))", path
    )
    with relation.version("1.0.0") as old:
        text = old.RECORD.example(3).to_json()

    with relation.version("1.1.0") as new:
        found = pickle.loads(path.read_bytes())

        assert found == [new.RECORD.from_json(text)] * 2
        assert new.RECORD.from_avro(found[0].validate().to_avro()) == found[0]


def test_a_pickle_of_the_new_version_is_read_by_the_old_one(
    relation: Installed, tmp_path: Path
) -> None:
    path = tmp_path / "record.pickle"
    with relation.version("1.0.0") as old:
        text = old.RECORD.example(3).to_json()
    with relation.version("1.1.0") as new:
        path.write_bytes(pickle.dumps(new.RECORD.from_json(text)))

    said = of_another_process(
        relation, "1.0.0", "print(pickle.load(open(sys.argv[1], 'rb')).to_json())", path
    )

    assert said == f"{text}\n"


def test_json_of_the_old_version_has_defaults_in_the_new_one(relation: Installed) -> None:
    with relation.version("1.0.0") as old:
        text, written = old.RECORD.example(3).to_json(), {*columns_of(old).values()}
    with relation.version("1.1.0") as new:
        found = new.RECORD.from_json(text)

        added = {column: name for name, column in columns_of(new).items() if column not in written}
        assert len(added) == 1
        assert [getattr(found, name) for name in added.values()] == [None]


def test_json_of_the_new_version_is_read_by_the_old_one(relation: Installed) -> None:
    with relation.version("1.0.0") as old:
        first = old.RECORD.example(3).to_json()
    with relation.version("1.1.0") as new:
        text = new.RECORD.from_json(first).to_json()
    with relation.version("1.0.0") as old:
        with pytest.raises(old.InvalidValue, match="unknown field"):
            old.RECORD.from_json(text)
        assert old.RECORD.from_json(text, unknown="ignore") == old.RECORD.example(3)


def test_a_single_object_of_the_old_version_needs_no_registry(relation: Installed) -> None:
    with relation.version("1.0.0") as old:
        message, text = old.RECORD.example(3).to_single_object(), old.RECORD.example(3).to_json()
    with relation.version("1.1.0") as new:
        assert new.RECORD.from_single_object(message) == new.RECORD.from_json(text)


def test_a_single_object_of_the_new_version_says_what_it_lacks(relation: Installed) -> None:
    with relation.version("1.1.0") as new:
        message, fingerprint, schema = (
            new.RECORD.example(3).to_single_object(),
            new.CRC_64_AVRO,
            new.SCHEMA,
        )
    with relation.version("1.0.0") as old:
        with pytest.raises(old.UnknownSchema):
            old.RECORD.from_single_object(message)
        assert old.RECORD.from_single_object(message, {fingerprint: schema}).validate()


def test_a_program_of_the_old_version_runs_with_the_new_one(relation: Installed) -> None:
    program = (
        "r = R.example(3)\n"
        "assert R.from_avro(r.to_avro()) == R.from_json(r.to_json()) == R.from_dict(r.to_dict()) == r\n"
        "print(all(hasattr(r, name) for name in sys.argv[1].split(',')))"
    )
    with relation.version("1.0.0") as old:
        names = ",".join(values_of(old.RECORD.example()))

    assert of_another_process(relation, "1.1.0", program, names) == "True\n"


def test_a_symbol_that_is_new_is_read_as_the_default(lake: Lake) -> None:
    customer = lake.installed(CUSTOMER)
    with customer.version("1.1.0") as new:
        record = new.RECORD.example(3).replace(tier=new.Tier.PLATINUM)
        data, schema, text = record.to_avro(), new.SCHEMA, record.to_json()
    with customer.version("1.0.0") as old:
        assert old.RECORD.from_avro(data, schema).tier is old.Tier.BRONZE
        with pytest.raises(old.InvalidValue, match="tier: expected one of BRONZE, SILVER, GOLD"):
            old.RECORD.from_json(text)
        assert old.RECORD.from_json(text, unknown="ignore").tier is old.Tier.BRONZE


def test_a_dropped_column_breaks_only_those_who_name_it(lake: Lake) -> None:
    customer = lake.installed(CUSTOMER)
    with customer.version("1.1.0") as old:
        data, schema = old.RECORD.example(3).to_avro(), old.SCHEMA
    with customer.version("2.0.0") as new:
        found = new.RECORD.from_avro(data, schema)

        with pytest.raises(AttributeError, match="birthDate"):
            _ = found.birthDate
        with pytest.raises(TypeError, match="birthDate"):
            found.replace(birthDate=None)


def test_a_column_that_was_renamed_is_read_from_old_files(lake: Lake, tmp_path: Path) -> None:
    orders = lake.installed(ORDERS)
    with orders.version("1.1.0") as old:
        records = [old.RECORD.example(seed).replace(gift=bool(seed % 2)) for seed in range(6)]
        old.write_file(tmp_path / "orders.avro", records)
        message = records[1].to_single_object()
    with orders.version("2.0.0") as new:
        found = [record.is_gift for record in new.read_file(tmp_path / "orders.avro")]

        assert found == [False, True] * 3
        assert new.RECORD.from_single_object(message).is_gift is True


def test_a_renamed_column_is_told_once(lake: Lake) -> None:
    folder = lake.sites["2.0.0"] / "acme_schemas" / "shop" / "orders"
    text = (folder / "CHANGELOG.md").read_text().replace("\\", "")
    newest = text.partition("## 2.0.0")[2].partition("## 1.1.0")[0]

    lines = [line for line in newest.splitlines() if "gift" in line]
    assert lines == ["- field `gift` renamed to `is_gift`"]


def test_java_and_fastavro_would_read_an_old_file_alike(lake: Lake, tmp_path: Path) -> None:
    customer = lake.installed(CUSTOMER)
    with customer.version("1.0.0") as old:
        old.write_file(tmp_path / "x.avro", [old.RECORD.example(seed) for seed in range(5)])
    with customer.version("1.1.0") as new:
        data = io.BytesIO((tmp_path / "x.avro").read_bytes())
        reader: Any = fastavro.reader(data, json.loads(new.SCHEMA))

        assert [new.RECORD.from_dict(row) for row in reader] == list(
            new.read_file(tmp_path / "x.avro")
        )
