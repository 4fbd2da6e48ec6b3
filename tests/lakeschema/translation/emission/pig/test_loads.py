"""How Pig loads tables of several catalogs."""

from __future__ import annotations

import pytest

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.emission.pig.loads import HCAT_LOADER, loads_of
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.model.interface import PigLoad

ORDERS = RelationName(("sales",), "orders")
IN_B = RelationName(("sales",), "orders", "b")


def test_hcatalog_loads_tables_of_the_default_catalog_only() -> None:
    assert loads_of()(ORDERS) == ("sales.orders", HCAT_LOADER)
    with pytest.raises(UnsupportedConstruct, match=r"b:sales\.orders for Pig is not supported"):
        loads_of()(IN_B)


def test_a_rule_may_name_the_catalog() -> None:
    load = loads_of([PigLoad("b:sales.*", "/b/{1}", "Load()"), PigLoad("sales.*", "/a/{1}", "L()")])

    assert load(IN_B) == ("/b/orders", "Load()")
    assert load(ORDERS) == ("/a/orders", "L()")
