"""The demo's second catalog: ratings of companies, and a view that joins them with the metastore's table."""

from __future__ import annotations

from pathlib import Path

NAME = "reviews"
DDL = """\
CREATE TABLE example.company (id BIGINT, stars INT);
CREATE VIEW example.rated AS
  SELECT c.name, c.address, r.stars
  FROM hive.example.company c JOIN example.company r ON c.id = r.id;
"""
RELATIONS = (f"{NAME}:example.company", f"{NAME}:example.rated")


def write(folder: Path) -> None:
    (folder / "reviews.sql").write_text(f"-- dialect: spark\n{DDL}")
