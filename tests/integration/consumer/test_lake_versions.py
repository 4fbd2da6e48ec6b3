"""A newcomer's programs exchange data while some have the old version and some the new one."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import fastavro
import pytest

from tests.integration.consumer.installed import Installed, ran
from tests.integration.consumer.lake import CUSTOMER
from tests.integration.consumer.lake_installed import Lake, columns_of, values_of


def of_another_process(relation: Installed, version: str, program: str, *arguments: Any) -> str:
    """What a program printed that has the package of that version as ``p``."""
    prelude = f"import pickle, sys, {relation.import_name} as p; R = p.RECORD\n"
    command = (sys.executable, "-W", "error", "-c", prelude + program, *arguments)
    return ran(*command, path=relation.sites[version])


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
