"""Statements about tables of equal names in two catalogs."""

from __future__ import annotations

import json

import pytest

from lakeschema.analysis.catalog import KnownCatalog, KnownTable, catalogs_of
from lakeschema.analysis.checking import Checker, Choices, table_value
from lakeschema.analysis.checking import question as check_question
from lakeschema.analysis.fillings_logged import answer_fillings, learnt_from, question
from lakeschema.analysis.grants import Grants, Need, Privilege, read_grants
from lakeschema.analysis.scripts import analyse
from lakeschema.analysis.statements_logged import LoggedStatement
from lakeschema.analysis.syntax.dialects import grammar_of
from lakeschema.analysis.usage.running import Ran
from lakeschema.analysis.usage.tables import count_log_within_limits
from lakeschema.catalog.identifiers import RelationName
from lakeschema.isolation.frames import decode, encode

ORDERS = RelationName(("sales",), "orders")
IN_B = RelationName(("sales",), "orders", "b")
KEPT = RelationName(("Sales",), "Orders", "b")
TABLES = {
    ORDERS: KnownTable(("id", "note")),
    IN_B: KnownTable(("id", "total")),
    KEPT: KnownTable(("Id",)),
}
KNOWN = KnownCatalog(TABLES, catalogs=catalogs_of(TABLES))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sales.orders", ORDERS),
        ("b.sales.orders", IN_B),
        ("b.SALES.orders", IN_B),
        ("b.Sales.Orders", KEPT),
        ("b.sales.new", RelationName(("sales",), "new", "b")),
        ("b.new", RelationName(("b",), "new")),
        ("c.sales.orders", RelationName(("c", "sales"), "orders")),
    ],
)
def test_a_name_may_begin_with_a_catalog(text: str, expected: RelationName) -> None:
    assert KNOWN.named(text.split(".")) == expected


LISTED = {"hive": "", "lake": "b", "Ice": "b"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lake.sales.orders", IN_B),
        ("LAKE.Sales.Orders", KEPT),
        ("Ice.sales.new", RelationName(("sales",), "new", "b")),
        ("ice.sales.new", RelationName(("ice", "sales"), "new")),
        ("hive.sales.orders", ORDERS),
        ("Hive.Sales.New", RelationName(("sales",), "new")),
        ("hive.orders", RelationName(("hive",), "orders")),
        ("b.sales.orders", IN_B),
    ],
)
def test_a_catalog_may_have_another_name_in_statements(text: str, expected: RelationName) -> None:
    known = KnownCatalog(TABLES, catalogs=catalogs_of(TABLES, LISTED))

    assert known.named(text.split(".")) == expected


def test_every_reader_of_statements_knows_the_other_names() -> None:
    known = {str(name): table_value(table) for name, table in TABLES.items()}
    sql = "INSERT INTO lake.sales.orders SELECT id, note FROM hive.sales.orders"

    asked = question(known, (), json.dumps({"sql": sql}).encode(), 1e9, 0)
    learnt = learnt_from(decode(encode(answer_fillings(("spark", LISTED))(asked))))
    counted = count_log_within_limits(
        [Ran(LoggedStatement(1, sql, "spark"))], TABLES, catalogs=LISTED
    )
    checker = Checker(Choices("spark", 10_000, {}, {"grants": []}, catalogs=LISTED))
    checked = checker.answer(
        check_question(known, [], json.dumps({"sql": sql, "user": "ann"}).encode())
    )

    (stated,) = learnt.fillings
    assert (stated.filling.target, stated.filling.sources) == (IN_B, (ORDERS,))
    flows = {count.keys for count in counted.counts["flows"]}
    assert ("b:sales.orders", "sales.orders") in flows
    missing = {each["relation"] for each in checked["result"]["missing_privileges"]}
    assert missing == {"b:sales.orders", "sales.orders"}


def test_a_catalog_may_be_chosen_before() -> None:
    chosen = KnownCatalog(TABLES, ("b", "sales"), catalogs={"b": "b"})

    assert chosen.named(("orders",)) == IN_B


@pytest.mark.parametrize(
    ("statement", "renamed"),
    [
        ("ALTER TABLE b.sales.orders RENAME TO bought", "b:sales.bought"),
        ("ALTER TABLE b.sales.orders RENAME TO b.hr.bought", "b:hr.bought"),
        ("ALTER TABLE sales.orders RENAME TO bought", "sales.bought"),
    ],
)
def test_a_renamed_table_stays_in_its_catalog(statement: str, renamed: str) -> None:
    (analysed,) = analyse(statement, grammar_of("spark"), KNOWN)

    (update,) = analysed.updates
    assert str(update.new_name) == renamed
    other = ORDERS if renamed.startswith("b:") else IN_B
    assert analysed.catalog.known(other) == TABLES[other]


def _granted(on: str) -> Grants:
    return read_grants({"grants": [{"user": "ann", "privileges": ["SELECT"], "on": on}]})


@pytest.mark.parametrize(
    ("on", "lacking"),
    [
        ("sales.*", [IN_B]),
        ("sales.orders", [IN_B]),
        ("b:sales.*", [ORDERS]),
        ("b:sales.orders", [ORDERS]),
        ("*", []),
        (":*", [IN_B]),
        ("b:*", [ORDERS]),
        ("c:*", [ORDERS, IN_B]),
        ("b.c:*", [ORDERS, IN_B]),
    ],
)
def test_a_grant_is_of_one_catalog(on: str, lacking: list[RelationName]) -> None:
    needs = [Need(Privilege.SELECT, name, ("id",)) for name in (ORDERS, IN_B)]

    assert [need.relation for need in _granted(on).missing("ann", needs)] == lacking


def test_a_filling_names_the_catalogs_of_its_tables_and_columns() -> None:
    known = {str(name): table_value(table) for name, table in TABLES.items()}
    line = {"sql": "INSERT INTO b.sales.orders SELECT id, note FROM sales.orders"}
    asked = question(known, (), json.dumps(line).encode(), 1e9, 0)

    learnt = learnt_from(decode(encode(answer_fillings(("spark", {}))(asked))))

    (stated,) = learnt.fillings
    assert stated.filling.target == IN_B
    assert stated.filling.sources == (ORDERS,)
    assert {column.source for column in stated.filling.columns} == {ORDERS}
