"""A column that DDL renames: an alias in each later version, and one line in the changelog."""

from __future__ import annotations

import io
import json
from typing import Any
from zipfile import ZipFile

import fastavro

from publisher.index.static import StaticIndex
from tests.publisher.commands.folder import Folder

CREATE = """\
CREATE TABLE shop.orders (id bigint, gift boolean COMMENT 'Wrapped?');
CREATE VIEW shop.gifts AS SELECT id, gift AS wrapped FROM shop.orders;
"""
RENAME = """\
ALTER TABLE shop.orders CHANGE COLUMN gift is_gift boolean COMMENT 'Wrapped?';
DROP VIEW shop.gifts;
CREATE VIEW shop.gifts AS SELECT id, is_gift AS wrapped FROM shop.orders;
"""
UNRELATED = "ALTER TABLE shop.orders ADD COLUMNS (note string);\n"


def reasons(folder: Folder, relation: str) -> list[list[str]]:
    """Of each version, the oldest first."""
    (line,) = folder.run("explain", relation, "--json").lines
    return [version["reasons"] for version in line["versions"]]


def schema(folder: Folder, name: str, number: str) -> dict[str, Any]:
    index = StaticIndex(folder.path / "index")
    (file,) = [f for f in index.files(f"acme-schema-shop-{name}") if f.version == number]
    with ZipFile(io.BytesIO(index.fetch(file))) as wheel:
        (path,) = [path for path in wheel.namelist() if path.endswith("schema.avsc")]
        found: dict[str, Any] = json.loads(wheel.read(path))
        return found


def test_a_renamed_column_is_read_from_what_was_written_before(folder: Folder) -> None:
    for ddl in (CREATE, CREATE + RENAME, CREATE + RENAME + UNRELATED):
        folder.write_ddl(ddl)
        assert folder.run("snapshot").status == 0
    before, after = schema(folder, "orders", "1.0.0"), schema(folder, "orders", "2.1.0")
    written = io.BytesIO()
    fastavro.writer(written, before, [{"id": 1, "gift": True}])

    written.seek(0)
    read = list(fastavro.reader(written, after))

    assert read == [{"id": 1, "is_gift": True, "note": None}]
    assert reasons(folder, "shop.orders")[1:] == [
        ["field `gift` renamed to `is_gift`"],
        ["field `note` added: optional string, default null"],
    ]
    # The view's column has kept its name, and knows both of the table's.
    fields = schema(folder, "gifts", "1.1.0")["fields"]
    assert [field.get("aliases") for field in fields] == [None, ["is_gift", "gift"]]


def test_a_plan_tells_the_rename_as_the_changelog_will(folder: Folder) -> None:
    folder.write_ddl(CREATE)
    assert folder.run("snapshot").status == 0

    ended = folder.run("plan", RENAME, "--format", "text")

    assert "field `gift` renamed to `is_gift`" in ended.out
    assert "field `is_gift` added" not in ended.out
