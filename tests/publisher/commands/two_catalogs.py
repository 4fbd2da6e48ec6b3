"""A deployment of two folders of DDL; the default one and ``b`` both have ``sales.orders``."""

from __future__ import annotations

from pathlib import Path

from tests.publisher.commands.folder import Folder

MAIN = """\
CREATE TABLE sales.orders (id bigint, note string);
CREATE VIEW sales.both_ids AS
SELECT o.id, p.total FROM sales.orders o JOIN b.sales.orders p ON o.id = p.id;
"""
B = """\
CREATE TABLE sales.orders (id bigint, total decimal(9,2));
CREATE VIEW sales.totals AS SELECT total FROM sales.orders;
CREATE VIEW sales.far AS SELECT note FROM main.sales.orders;
CREATE VIEW sales.wrong AS SELECT nothing FROM sales.orders;
"""


def two_catalogs(path: Path) -> Folder:
    folder = Folder(path)
    folder.write_settings(rest='[trino.catalogs]\n"" = "hive"\nb = "b_in_trino"\n')
    text = folder.config.read_text()
    one = f'[catalog]\nkind = "ddl"\npath = "{path}/ddl"\n'
    assert one in text
    several = "".join(
        f'[[catalog]]\nkind = "ddl"\nname = "{name}"\npath = "{path}/{place}"\n'
        f'dialect = "spark"\ndefault = {str(name == "main").lower()}\n'
        for name, place in (("main", "ddl"), ("b", "b"))
    )
    folder.config.write_text(text.replace(one, several))
    folder.write_ddl(MAIN)
    (path / "b").mkdir()
    (path / "b" / "tables.sql").write_text(B)
    return folder
