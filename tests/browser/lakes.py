"""Running services for browsers to visit: a small shop with a history, one with hostile texts in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from publisher.daemon.service import Service
from publisher.settings import load_settings
from tests.waiting import eventually

PREFIX = "acme-schema"

CUSTOMERS = """
CREATE TABLE customers (
  id BIGINT COMMENT 'given at the first order',
  email STRING COMMENT 'may change; never a key',
  country STRING COMMENT 'ISO 3166, two letters',
  joined DATE
) COMMENT 'Everybody who ever ordered.' TBLPROPERTIES ('owner' = 'crm@acme.example');
"""
ORDERS = (
    """
CREATE TABLE orders (
  id INT COMMENT 'given by the till',
  customer_id BIGINT,
  ordered_at TIMESTAMP COMMENT 'when the customer paid',
  status STRING COMMENT 'open, paid or returned',
  total DOUBLE COMMENT 'with tax'
) COMMENT 'One row for each order.' TBLPROPERTIES ('owner' = 'sales@acme.example');
""",
    # Version 1.1.0: a new column.
    """
CREATE TABLE orders (
  id INT COMMENT 'given by the till',
  customer_id BIGINT,
  ordered_at TIMESTAMP COMMENT 'when the customer paid',
  status STRING COMMENT 'open, paid or returned',
  total DOUBLE COMMENT 'with tax',
  channel STRING COMMENT 'web, shop or phone'
) COMMENT 'One row for each order.' TBLPROPERTIES ('owner' = 'sales@acme.example');
""",
    # Version 2.0.0: a wider type, another type, and a column is gone.
    """
CREATE TABLE orders (
  id BIGINT COMMENT 'given by the till',
  customer_id BIGINT,
  ordered_at TIMESTAMP COMMENT 'when the customer paid',
  total DECIMAL(12, 2) COMMENT 'with tax',
  channel STRING COMMENT 'web, shop or phone',
  address STRUCT<street: STRING, city: STRING, lines: ARRAY<STRING>> COMMENT 'where it went'
) COMMENT 'One row for each order.' TBLPROPERTIES ('owner' = 'sales@acme.example');
""",
)
LINES = """
CREATE TABLE order_lines (order_id BIGINT, sku STRING COMMENT 'stock keeping unit', quantity INT, price DOUBLE)
COMMENT 'One row for each item of an order.';
"""
VIEWS = """
CREATE VIEW order_totals COMMENT 'What each order is worth.' AS
SELECT o.id AS order_id, o.customer_id, SUM(l.quantity * l.price) AS total
FROM orders o JOIN order_lines l ON l.order_id = o.id GROUP BY o.id, o.customer_id;
CREATE VIEW customer_value COMMENT 'What each customer spent.' AS
SELECT c.id AS customer_id, c.email, c.country, SUM(t.total) AS spent
FROM customers c LEFT JOIN order_totals t ON t.customer_id = c.id GROUP BY c.id, c.email, c.country;
CREATE VIEW country_revenue AS
SELECT country, SUM(spent) AS revenue, COUNT(*) AS customers FROM customer_value GROUP BY country;
CREATE VIEW best_customers AS SELECT customer_id, email, spent FROM customer_value WHERE spent > 1000;
"""
DROPPED = "CREATE VIEW returns AS SELECT id, total FROM orders WHERE total < 0;"
BROKEN = """
CREATE VIEW open_orders AS SELECT id, total FROM orders WHERE state = 'open';
CREATE VIEW open_by_day AS SELECT COUNT(*) AS n FROM open_orders;
"""
SCRIPT = "<script>window.hacked=1;alert(1)</script>"
IMAGE = "\"'><img src=x onerror=window.hacked=1><svg onload=window.hacked=1>"
LINK = "[x](javascript:window.hacked=1) javascript:window.hacked=1 {{7*7}} {%raw%} \u202etxt.exe"
HOSTILE_DATABASE = "odd"
HOSTILE_COLUMN = "<img src=x onerror=window.hacked=1>"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


HOSTILE = f"""
CREATE DATABASE {HOSTILE_DATABASE}; USE {HOSTILE_DATABASE};
CREATE TABLE texts (
  id BIGINT COMMENT {_quoted(SCRIPT)},
  `{HOSTILE_COLUMN}` STRING COMMENT {_quoted(IMAGE)},
  `javascript:alert(1)` STRING COMMENT {_quoted(LINK)},
  nested STRUCT<`</td></table><script>alert(2)</script>`: INT>
) COMMENT {_quoted(SCRIPT + IMAGE)} TBLPROPERTIES ('owner' = {_quoted("javascript:alert(3)" + IMAGE)});
CREATE VIEW shown AS SELECT id AS `"onfocus="alert(4)" autofocus x="`, `{HOSTILE_COLUMN}`,
  {_quoted(SCRIPT)} AS `</style></svg><script>alert(5)</script>`, CONCAT(`javascript:alert(1)`, {_quoted(IMAGE)}) AS made
FROM texts WHERE `{HOSTILE_COLUMN}` <> {_quoted("</code></pre>" + SCRIPT)};
CREATE VIEW broken AS SELECT `{SCRIPT}` FROM texts;
"""


def _shop(orders: str, more: str = "") -> str:
    return f"CREATE DATABASE shop; USE shop; {CUSTOMERS}{orders}{LINES}{VIEWS}{BROKEN}{more}"


@contextmanager
def running_shop(folder: Path, *, hostile: bool) -> Iterator[Service]:
    """A shop with three versions of its orders, a broken view and one below it, and a dropped view.

    With ``hostile``, all that a metastore and an operator name tries to be markup.
    """
    ddl = folder / "ddl" / "all.sql"
    ddl.parent.mkdir()
    more = HOSTILE if hostile else ""
    ddl.write_text(_shop(ORDERS[0], DROPPED) + more)
    with running(folder, "staging <b>of Acme</b>" if hostile else "Acme, staging") as service:
        for orders in ORDERS[1:]:
            _await_quiet(service)
            before = _versions(service)
            ddl.write_text(_shop(orders) + more)
            assert eventually(lambda before=before: _versions(service) > before)  # type: ignore[misc]
        assert eventually(lambda: service.status().figures.get("relations MISSING") == 1)
        _await_quiet(service)
        yield service


@contextmanager
def running(folder: Path, name: str) -> Iterator[Service]:
    """A service over the folder ``ddl``, which may be empty."""
    (folder / "ddl").mkdir(exist_ok=True)
    config = folder / "schema-publisher.toml"
    config.write_text(
        f'[artifacts]\nprefix = "{PREFIX}"\n'
        f'[catalog]\nkind = "ddl"\npath = "{folder}/ddl"\n'
        '[[events]]\nkind = "ddl-folder"\n'
        f'[state]\nurl = "sqlite:///{folder}/state.db"\n'
        f'[index]\nkind = "static"\npath = "{folder}/index"\n'
        '[snapshot]\nrunner = "local"\n'
        "[engine]\ndebounce_seconds = 0\nstaleness_seconds = 0\ndrop_grace_seconds = 0\n"
        '[http]\nhost = "127.0.0.1"\nport = 0\n'
        "[translate]\nenabled = true\n"
        f'[deployment]\nname = "{name}"\ncolour = "orange"\n'
    )
    with Service(load_settings(config), config) as service:
        yield service


def _versions(service: Service) -> int:
    return int(service.status().figures["versions"])


def _await_quiet(service: Service) -> None:
    assert eventually(lambda: _versions(service) > 0)
    assert eventually(lambda: service.status().figures["outstanding work"] == 0)
