"""The picture in the documentation is what the command prints."""

from __future__ import annotations

from pathlib import Path

from tests.publisher.commands.folder import Folder

DDL = """\
CREATE TABLE shop.orders (id bigint, customer string, total double, day date);
CREATE VIEW shop.revenue AS SELECT customer, sum(total) AS total FROM shop.orders
  WHERE day > '2020-01-01' GROUP BY customer;
"""
PICTURE = Path(__file__).parents[3] / "docs" / "images" / "lineage.svg"


def test_the_documented_picture_is_the_commands(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write_ddl(DDL)
    assert folder.run("snapshot").status == 0

    ended = folder.run("lineage", "shop.revenue.total", "--format", "svg")

    # After a change of the look, write the command's output to this file.
    assert ended.out == PICTURE.read_text(encoding="utf-8")
