"""The logs of ``recorded/README.md``, with Spark's answers about them."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lakeschema.catalog.own_schemas import OwnSchema
from lakeschema.catalog.relations import SchemaPointer, TableFormat
from lakeschema.catalog.spark_schema import columns_from_json
from lakeschema.table_files.access import FileAccess
from lakeschema.table_files.errors import UnreadableFile
from lakeschema.table_files.reading import read_schema

RECORDED = Path(__file__).parent / "recorded"
ANYWHERE = FileAccess()
TABLES = sorted(folder.parent.name for folder in RECORDED.glob("*/_delta_log"))
SCHEMA = '{"type":"struct","fields":[{"name":"Id","type":"long","nullable":false,"metadata":{}}]}'


def read(folder: Path, access: FileAccess = ANYWHERE) -> OwnSchema:
    return read_schema(
        SchemaPointer(TableFormat.DELTA, folder.as_uri().replace("///", "/")), access
    )


def metadata(schema: str = SCHEMA) -> Mapping[str, Any]:
    return {"metaData": {"id": "a", "schemaString": schema, "partitionColumns": []}}


def commit(folder: Path, name: str, *actions: Mapping[str, Any]) -> None:
    log = folder / "_delta_log"
    log.mkdir(exist_ok=True)
    (log / name).write_text("\n".join(map(json.dumps, actions)))


def version(number: int) -> str:
    return f"{number:020}.json"


@pytest.mark.parametrize("table", TABLES)
def test_a_table_has_the_columns_that_spark_says(table: str) -> None:
    expected = columns_from_json((RECORDED / table / "schema.json").read_text())

    assert read(RECORDED / table).columns == expected


def test_a_tables_comment_is_that_of_its_log() -> None:
    assert read(RECORDED / "basic").comment == "a delta table"


def test_a_feature_that_is_not_known_does_not_matter(tmp_path: Path) -> None:
    protocol = {"protocol": {"minReaderVersion": 9, "readerFeatures": ["somethingNew"]}}
    commit(tmp_path, version(0), protocol, metadata())

    assert [c.name for c in read(tmp_path).columns] == ["Id"]


def test_a_compacted_log_stands_for_the_commits_that_it_replaces(tmp_path: Path) -> None:
    commit(tmp_path, f"{0:020}.{2:020}.compacted.json", metadata())
    commit(tmp_path, version(3), {"add": {"path": 'has "metaData" in its name'}})

    assert [c.name for c in read(tmp_path).columns] == ["Id"]


def test_a_checkpoint_of_which_parts_are_missing_is_passed_over(tmp_path: Path) -> None:
    shutil.copytree(RECORDED / "multipart_checkpoint", tmp_path / "t")
    (first,) = (tmp_path / "t/_delta_log").glob("*.checkpoint.0000000001.*")
    first.unlink()

    with pytest.raises(UnreadableFile, match=r"_delta_log lacks its version 3"):
        read(tmp_path / "t")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        (version(0), '{"metaData": secret', f"{version(0)} is not a log of Delta"),
        (
            version(0),
            '{"metaData": {"schemaString": "secret"}}',
            "has a schema that cannot be read",
        ),
        (version(0), '{"add": {}}', "has no schema"),
        (version(1), '{"add": {}}', "lacks its version 0"),
        (f"{0:020}.checkpoint.parquet", "secret", "is not a checkpoint of Delta"),
        ("notes.json", "secret", "has no Delta log"),
        (version(0), json.dumps(metadata('{"type":"struct","fields":[]}')), "without columns"),
        (version(0), "secret" * 200_000, "is larger than 1048576 bytes"),
    ],
)
def test_what_is_no_log_is_refused_without_showing_it(
    tmp_path: Path, name: str, content: str, reason: str
) -> None:
    (tmp_path / "_delta_log").mkdir()
    (tmp_path / "_delta_log" / name).write_text(content)

    with pytest.raises(UnreadableFile, match=reason) as refused:
        read(tmp_path, FileAccess(max_bytes=1 << 20))
    assert "secret" not in str(refused.value)
