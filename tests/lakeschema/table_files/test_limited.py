import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from lakeschema.catalog.own_schemas import OwnSchema, UnreadSchema
from lakeschema.catalog.relations import SchemaPointer, TableFormat
from lakeschema.table_files.access import FileAccess, ReadingLimits
from lakeschema.table_files.errors import UnreadableFile
from lakeschema.table_files.limited import LimitedOwnSchemas

RECORDED = Path(__file__).parent / "recorded"


@pytest.fixture(scope="module")
def schemas() -> Iterator[LimitedOwnSchemas]:
    with LimitedOwnSchemas(ReadingLimits(timeout_seconds=60, at_once=2)) as schemas:
        yield schemas


def pointer(location: object) -> SchemaPointer:
    return SchemaPointer(TableFormat.DELTA, str(location))


def test_several_tables_are_answered_in_order(schemas: LimitedOwnSchemas) -> None:
    tables = ("widened", "checkpoint", "by_id")

    answers = schemas.read([pointer(RECORDED / table) for table in tables])

    assert [
        [column.name for column in answer.columns] if isinstance(answer, OwnSchema) else answer
        for answer in answers
    ] == [["id", "f"], ["id", "Name"], ["id", "V"]]


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("/etc", "file:/etc/_delta_log does not exist"),
        ("file:/etc/passwd", "file:/etc/passwd/_delta_log cannot be read (ENOTDIR)"),
        ("file:/lake/../etc", "is not a plain path"),
        ("file:/lake\n/t", "is not a plain path"),
        ("file://otherhost/lake", "file://otherhost/lake has an unknown scheme"),
        ("ftp://host/t", "ftp://host/t is outside catalog.table_files.locations"),
        ("hdfs://namenode/t", "hdfs://namenode/t is outside catalog.table_files.locations"),
        ("abfss://container@elsewhere.example/t", "names no Azure container"),
        ("s3://key:secret@bucket/t", "contains a password"),
        ("", "does not name the place of its files"),
        ("t", "does not name the place of its files"),
    ],
)
def test_a_place_that_is_not_read_is_named_with_what_to_do(
    schemas: LimitedOwnSchemas, location: str, reason: str
) -> None:
    (answer,) = schemas.read([pointer(location)])

    assert isinstance(answer, UnreadSchema)
    assert reason in answer.reason
    assert "secret" not in answer.reason
    assert "; " in answer.reason


@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_only_a_plain_file_is_opened(schemas: LimitedOwnSchemas, tmp_path: Path, kind: str) -> None:
    (tmp_path / "_delta_log").mkdir()
    commit = tmp_path / "_delta_log" / f"{0:020}.json"
    if kind == "pipe":
        os.mkfifo(commit)
    elif kind == "link":
        commit.symlink_to(RECORDED / "by_id/_delta_log" / commit.name)
    else:
        commit.mkdir()

    (answer,) = schemas.read([pointer(tmp_path)])

    assert isinstance(answer, UnreadSchema)
    assert "cannot be read" in answer.reason


@pytest.mark.parametrize(
    ("allowed", "is_read"),
    [
        (("file:",), True),
        (("file:{root}",), True),
        (("s3:", "file:{root}/by_id/"), True),
        (("file:{root}/by",), False),
        (("s3:",), False),
        ((), False),
    ],
)
def test_only_allowed_places_are_read(allowed: tuple[str, ...], is_read: bool) -> None:
    access = FileAccess(tuple(place.format(root=RECORDED) for place in allowed))

    if is_read:
        assert access.location(f"file://{RECORDED}/by_id").path == f"{RECORDED}/by_id"
    else:
        with pytest.raises(UnreadableFile, match=r"outside catalog\.table_files\.locations"):
            access.location(f"file://{RECORDED}/by_id")


def test_a_table_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    shutil.copytree(RECORDED / "by_id", tmp_path / "t")
    with LimitedOwnSchemas(ReadingLimits(timeout_seconds=1e-9, at_once=1)) as schemas:
        (answer,) = schemas.read([pointer(tmp_path / "t")])

    assert isinstance(answer, UnreadSchema)
    assert "were not read in time" in answer.reason
