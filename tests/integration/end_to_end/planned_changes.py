"""A catalog of 80 relations for Hive, and 40 changes of it, each on top of those before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_MARTS = 30

_TABLES = (
    "CREATE TABLE shop.customer (id bigint COMMENT 'never reused', name string, city string, credit decimal(10,2))",
    ("CREATE TABLE shop.orders (id bigint, customer_id bigint, total decimal(10,2), note string)"
    " PARTITIONED BY (day string) STORED AS PARQUET"),
    ("CREATE TABLE shop.product (id int, title string, price float, tags array<string>,"
    " size struct<w:int,h:int>) STORED AS ORC"),
    "CREATE TABLE shop.stock (product_id int, amount int)",
    "CREATE TABLE shop.visit (at timestamp, page string, customer_id bigint)",
    "CREATE TABLE shop.refund (order_id bigint, amount decimal(10,2))",
    "CREATE TABLE shop.supplier (id int, name string)",
    "CREATE TABLE shop.scratch (a int)",
)  # fmt: skip
_VIEWS = (
    "CREATE VIEW shop.big_orders AS SELECT id, customer_id, total FROM shop.orders WHERE total > 100",
    "CREATE VIEW shop.every_order AS SELECT * FROM shop.orders",
    ("CREATE VIEW shop.order_names AS SELECT o.id AS order_id, c.name AS Customer, o.total, c.city"
    " FROM shop.orders o JOIN shop.customer c ON o.customer_id = c.id"),
    ("CREATE VIEW shop.by_city AS SELECT city, SUM(total) AS total, COUNT(*) AS orders"
    " FROM shop.order_names GROUP BY city"),
    "CREATE VIEW shop.top_city AS SELECT city, total FROM shop.by_city WHERE total > 1000",
    "CREATE VIEW shop.product_size AS SELECT id, size.w AS width, size.h AS height FROM shop.product",
    ("CREATE VIEW shop.product_tag AS SELECT p.id, t.tag FROM shop.product p"
    " LATERAL VIEW explode(p.tags) t AS tag"),
    ("CREATE VIEW shop.available AS SELECT p.title, s.amount FROM shop.product p"
    " LEFT JOIN shop.stock s ON p.id = s.product_id"),
    "CREATE VIEW shop.pages AS SELECT page, COUNT(*) AS visits FROM shop.visit GROUP BY page",
    ("CREATE VIEW shop.loyal (who, visits) AS SELECT c.name, v.n FROM shop.customer c JOIN"
    " (SELECT customer_id, COUNT(*) AS n FROM shop.visit GROUP BY customer_id) v"
    " ON v.customer_id = c.id"),
    "CREATE VIEW shop.refunded AS SELECT order_id, amount FROM shop.refund",
    "CREATE VIEW shop.losses AS SELECT SUM(amount) AS lost FROM shop.refunded",
)  # fmt: skip
LAKE = (
    "CREATE DATABASE shop",
    "CREATE DATABASE mart",
    *_TABLES,
    *(f"CREATE TABLE mart.t{n:02} (id bigint, name string, at timestamp)" for n in range(_MARTS)),
    *_VIEWS,
    *(f"CREATE VIEW mart.v{n:02} AS SELECT id, name FROM mart.t{n:02}" for n in range(_MARTS)),
)
RELATIONS = sum(not statement.startswith("CREATE DATABASE") for statement in LAKE)


@dataclass(frozen=True, slots=True)
class Change:
    """Statements, and whether they break something."""

    statements: Sequence[str]
    breaks: bool = False

    def __str__(self) -> str:
        return "; ".join(self.statements)[:60]


def _passes(*statements: str) -> Change:
    return Change(statements)


def _breaks(*statements: str) -> Change:
    return Change(statements, breaks=True)


CHANGES = (
    # Columns of tables
    _passes("ALTER TABLE shop.customer ADD COLUMNS (email string COMMENT 'as given', vip boolean)"),
    _passes("ALTER TABLE shop.orders ADD COLUMNS (discount double)"),
    _passes("ALTER TABLE shop.customer CHANGE COLUMN vip vip boolean COMMENT 'pays more'"),
    _passes("ALTER TABLE shop.stock CHANGE COLUMN amount amount bigint"),
    _passes("ALTER TABLE shop.supplier CHANGE COLUMN name Name string AFTER id"),
    _passes("ALTER TABLE shop.customer CHANGE COLUMN email e_mail string"),
    _passes("ALTER TABLE shop.product CHANGE COLUMN price price double"),
    _passes("ALTER TABLE mart.t00 REPLACE COLUMNS (id bigint, name string)"),
    _passes("ALTER TABLE mart.t01 REPLACE COLUMNS (id bigint, name string, at timestamp, x int)"),
    _passes("ALTER TABLE mart.t02 REPLACE COLUMNS (id string, name string, at timestamp)"),
    _passes("ALTER TABLE shop.scratch CHANGE COLUMN a b int"),
    _passes("ALTER TABLE shop.customer ADD COLUMNS (homes array<struct<street:string,city:string>>)"),
    _breaks("ALTER TABLE shop.refund CHANGE COLUMN amount refunded decimal(10,2)"),
    _passes("ALTER TABLE shop.refund CHANGE COLUMN refunded amount decimal(10,2)"),
    _breaks("ALTER TABLE mart.t03 REPLACE COLUMNS (id bigint)"),
    # Properties
    _passes("ALTER TABLE shop.visit SET TBLPROPERTIES ('comment' = 'each page that is seen')"),
    _passes("ALTER TABLE shop.supplier SET TBLPROPERTIES ('owner.team' = 'buying')"),
    _passes("ALTER TABLE shop.supplier SET SERDEPROPERTIES ('field.delim' = ';')"),
    _passes("ALTER TABLE mart.t29 SET TBLPROPERTIES ('schema-publisher.publish' = 'false')"),
    _passes("ALTER TABLE mart.t29 SET TBLPROPERTIES ('schema-publisher.publish' = 'true')"),
    # Views
    _passes("CREATE OR REPLACE VIEW shop.big_orders AS SELECT id, customer_id, total, note"
            " FROM shop.orders WHERE total > 100"),
    _passes("CREATE OR REPLACE VIEW shop.every_order AS SELECT * FROM shop.orders"),
    _passes("CREATE OR REPLACE VIEW shop.pages AS SELECT page, COUNT(*) AS visits"
            " FROM shop.visit GROUP BY page"),
    _passes("CREATE OR REPLACE VIEW shop.pages AS SELECT page, COUNT(*) AS visits"
            " FROM shop.visit WHERE page IS NOT NULL GROUP BY page"),
    _passes("ALTER VIEW shop.top_city AS SELECT city FROM shop.by_city WHERE total > 1000"),
    _passes("ALTER VIEW shop.product_size AS SELECT id, size.w AS width, size.h AS height,"
            " size.w * size.h AS area FROM shop.product"),
    _breaks("ALTER VIEW shop.order_names AS SELECT o.id AS order_id, c.name AS Customer, o.total"
            " FROM shop.orders o JOIN shop.customer c ON o.customer_id = c.id"),
    _passes("ALTER VIEW shop.order_names AS SELECT o.id AS order_id, c.name AS Customer, o.total,"
            " c.city FROM shop.orders o JOIN shop.customer c ON o.customer_id = c.id"),
    _passes("CREATE VIEW shop.rich AS SELECT name, credit FROM shop.customer WHERE credit > 0"),
    _passes("DROP VIEW shop.rich"),
    _passes("CREATE VIEW shop.rich AS SELECT name, credit FROM shop.customer WHERE credit > 0"),
    # Tables that come, go and change their names
    _passes("CREATE TABLE shop.parcel (id bigint, weight decimal(6,3), sent date)"),
    _passes("ALTER TABLE shop.parcel RENAME TO shop.package"),
    _breaks("ALTER TABLE mart.t04 RENAME TO mart.t04_old"),
    _passes("ALTER TABLE mart.t04_old RENAME TO mart.t04"),
    _breaks("DROP TABLE mart.t05"),
    _passes("DROP VIEW mart.v06", "DROP TABLE mart.t06"),
    _passes("CREATE TABLE mart.t05 (id bigint, name string)"),
    # Scripts
    _breaks("CREATE VIEW shop.chain AS SELECT who FROM shop.loyal", "DROP TABLE shop.visit"),
    _passes("USE mart", "ALTER TABLE t07 ADD COLUMNS (y int)", "ALTER TABLE t07 RENAME TO s07",
            "CREATE OR REPLACE VIEW v07 AS SELECT id, y FROM s07"),
)  # fmt: skip
