"""A newcomer keeps records of each relation of a lake in files, and reads those of others."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fastavro
import pytest

from tests.integration.consumer.installed import Installed
from tests.integration.consumer.lake_installed import columns_of


@pytest.fixture
def records(module: Any) -> list[Any]:
    return [module.RECORD.example(seed) for seed in range(30)]


class SourceFailed(Exception):
    """What a consumer's own source of records raises."""


def failing(records: list[Any]) -> Iterator[Any]:
    yield from records
    raise SourceFailed


def test_a_file_by_its_path_comes_back(module: Any, records: list[Any], tmp_path: Path) -> None:
    module.write_file(tmp_path / "x.avro", records)
    module.write_file(str(tmp_path / "y.avro"), iter(records))

    assert list(module.read_file(tmp_path / "x.avro")) == records
    assert list(module.read_file(str(tmp_path / "y.avro"))) == records


def test_an_open_file_comes_back(module: Any, records: list[Any], tmp_path: Path) -> None:
    with (tmp_path / "x.avro").open("wb") as file:
        module.write_file(file, records)
    with (tmp_path / "x.avro").open("rb") as file:
        assert list(module.read_file(file)) == records


def test_a_file_without_records_comes_back(module: Any, tmp_path: Path) -> None:
    module.write_file(tmp_path / "x.avro", [])

    assert list(module.read_file(tmp_path / "x.avro")) == []


@pytest.mark.parametrize("codec", ["deflate", "snappy", "zstandard"])
def test_a_compressed_file_is_read_by_fastavro(module: Any, records: list[Any], codec: str) -> None:
    file = io.BytesIO()
    module.write_file(file, records, codec=codec)
    file.seek(0)

    rows: Any = fastavro.reader(file, return_record_name=True)
    assert [module.RECORD.from_dict(row) for row in rows] == records


def test_a_file_of_fastavro_comes_back(module: Any, records: list[Any]) -> None:
    file = io.BytesIO()
    schema = json.loads(module.SCHEMA)
    rows: Any = [
        fastavro.schemaless_reader(
            io.BytesIO(record.to_avro()), schema, None, return_record_name=True
        )
        for record in records
    ]
    fastavro.writer(file, schema, rows)
    file.seek(0)

    assert list(module.read_file(file)) == records


def test_a_file_names_the_schema_of_its_writer(
    module: Any, records: list[Any], tmp_path: Path
) -> None:
    module.write_file(tmp_path / "x.avro", records)

    with (tmp_path / "x.avro").open("rb") as file:
        schema = fastavro.reader(file).writer_schema

    assert isinstance(schema, dict)
    names = [field["name"] for field in schema["fields"]]
    assert names == list(columns_of(module).values())


def test_a_cut_file_is_refused(module: Any, records: list[Any], tmp_path: Path) -> None:
    path = tmp_path / "x.avro"
    module.write_file(path, records)
    path.write_bytes(path.read_bytes()[:-20])

    with pytest.raises(module.InvalidAvro):
        list(module.read_file(path))


def test_a_file_that_is_none_of_avro_is_refused(module: Any, tmp_path: Path) -> None:
    for number, content in enumerate((b"", b"PAR1", b'{"a": 1}\n', b"Obj\x01")):
        path = tmp_path / str(number)
        path.write_bytes(content)
        with pytest.raises(module.InvalidAvro):
            list(module.read_file(path))


def test_json_lines_come_back(module: Any, records: list[Any], tmp_path: Path) -> None:
    module.write_jsonl(tmp_path / "x.jsonl", records)

    assert list(module.read_jsonl(tmp_path / "x.jsonl")) == records
    lines = (tmp_path / "x.jsonl").read_text().splitlines()
    assert [module.RECORD.from_json(line) for line in lines] == records


def test_compressed_json_lines_come_back(module: Any, records: list[Any], tmp_path: Path) -> None:
    with gzip.open(tmp_path / "x.jsonl.gz", "wb") as file:
        module.write_jsonl(file, records)
    with gzip.open(tmp_path / "x.jsonl.gz", "rb") as file:
        assert list(module.read_jsonl(file)) == records


def test_a_wrong_line_is_named(module: Any, records: list[Any]) -> None:
    column = next(iter(columns_of(module).values()))
    wrong = json.dumps({**json.loads(records[2].to_json()), column: [[{}]]})
    text = "\n".join((records[0].to_json(), records[1].to_json(), wrong))

    with pytest.raises(module.InvalidValue, match=f"line 3: {column}: expected"):
        list(module.read_jsonl(io.BytesIO(text.encode())))


def test_files_of_yesterday_and_of_today_are_read_with_each_version(
    relation: Installed, tmp_path: Path
) -> None:
    with relation.version("1.0.0") as module:
        text = module.RECORD.example(3).to_json()
    written = {}
    for writer in relation.sites:
        with relation.version(writer) as module:
            module.write_file(tmp_path / writer, [module.RECORD.from_json(text, unknown="ignore")])
            written[writer] = {*columns_of(module).values()}

    for reader in relation.sites:
        with relation.version(reader) as module:
            for writer in relation.sites:
                (found,) = module.read_file(tmp_path / writer)
                shown, first = json.loads(found.to_json()), json.loads(text)
                shared = shown.keys() & first.keys() & written[writer]
                assert len(shared) >= len(first) - 2
                assert {n: shown[n] for n in shared} == {n: first[n] for n in shared}


def test_a_source_that_fails_leaves_the_old_file(
    module: Any, records: list[Any], tmp_path: Path
) -> None:
    for name, write, read in (
        ("x.avro", module.write_file, module.read_file),
        ("x.jsonl", module.write_jsonl, module.read_jsonl),
    ):
        write(tmp_path / name, records)
        with pytest.raises(SourceFailed):
            write(tmp_path / name, failing(records[:20]))

        assert list(read(tmp_path / name)) == records
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.avro", "x.jsonl"]


def test_an_invalid_record_leaves_the_old_file(
    module: Any, records: list[Any], tmp_path: Path
) -> None:
    attribute, column = next(iter(columns_of(module).items()))
    wrong = [*records[:3], records[3].replace(**{attribute: object()})]
    for name, write, read in (
        ("x.avro", module.write_file, module.read_file),
        ("x.jsonl", module.write_jsonl, module.read_jsonl),
    ):
        write(tmp_path / name, records)
        with pytest.raises(module.InvalidValue, match=f"{column}: expected"):
            write(tmp_path / name, wrong)

        assert list(read(tmp_path / name)) == records


def test_a_file_is_rewritten_from_itself(module: Any, records: list[Any], tmp_path: Path) -> None:
    for name, write, read in (
        ("x.avro", module.write_file, module.read_file),
        ("x.jsonl", module.write_jsonl, module.read_jsonl),
    ):
        write(tmp_path / name, records)
        write(tmp_path / name, (record for record in read(tmp_path / name)))

        assert list(read(tmp_path / name)) == records


def test_a_second_file_within_one_stream_is_refused(module: Any, records: list[Any]) -> None:
    stream = io.BytesIO()
    module.write_file(stream, records)

    with pytest.raises((ValueError, OSError)):
        module.write_file(stream, records)
    assert list(module.read_file(io.BytesIO(stream.getvalue()))) == records


def test_a_folder_of_part_files_is_read(module: Any, records: list[Any], tmp_path: Path) -> None:
    for number in range(3):
        path = tmp_path / f"part-0000{number}-abc.snappy.avro"
        module.write_file(path, records[number * 10 : number * 10 + 10], codec="snappy")
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".part-00000-abc.snappy.avro.crc").write_bytes(b"crc")

    assert list(module.read_file(tmp_path)) == records


def test_an_error_of_reading_names_the_file_the_record_and_the_path(
    module: Any, records: list[Any], tmp_path: Path
) -> None:
    schema = json.loads(module.SCHEMA)
    name = schema["fields"][0]["name"]
    schema["fields"][0] = {
        "name": name,
        "type": ["null", "string", {"type": "map", "values": "int"}],
    }
    rows: Any = [
        fastavro.schemaless_reader(
            io.BytesIO(record.to_avro()), json.loads(module.SCHEMA), None, return_record_name=True
        )
        for record in records[:3]
    ]
    path = tmp_path / "wrong.avro"
    with path.open("wb") as file:
        fastavro.writer(file, schema, [row | {name: {"a": 1}} for row in rows])

    with pytest.raises(module.AvroError) as caught:
        list(module.read_file(path))

    assert "wrong.avro" in str(caught.value)
    assert name in str(caught.value)
