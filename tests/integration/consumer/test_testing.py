"""A consumer writes tests with made-up records."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.integration.consumer.installed import Shop, ran

pytestmark = pytest.mark.alike("shop", keep=2)

TESTS = """
import dataclasses
import pytest
from hypothesis import given, settings, strategies as st, HealthCheck
from {package} import RECORD, strategy

@pytest.fixture
def make_order():
    def make(**changes):
        return RECORD.example().replace(**changes)
    return make

def test_a_factory_makes_what_a_test_needs(make_order):
    assert make_order(customer="Ada").customer == "Ada"

@pytest.mark.parametrize("order", [RECORD.example(seed) for seed in range(3)], ids=lambda o: o.customer)
def test_orders_are_parameters(order):
    assert order.validate() is order

@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(strategy(RECORD))
def test_any_order_survives(order):
    assert RECORD.from_avro(order.to_avro()) == order

@dataclasses.dataclass
class Parcel:
    order: RECORD
    weight: float

st.register_type_strategy(RECORD, strategy(RECORD))

@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.builds(Parcel))
def test_types_that_contain_orders_are_built(parcel):
    assert parcel.order.validate() is parcel.order
"""


def test_pytest_runs_with_factories_and_strategies(shop: Shop, tmp_path: Path) -> None:
    (tmp_path / "test_orders.py").write_text(TESTS.format(package=shop.import_name))

    command = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", tmp_path)
    said = ran(sys.executable, *command, path=shop.site, cwd=tmp_path)

    assert "6 passed" in said


IMPORTS = ("import {package} as package, hypothesis", "import hypothesis, {package} as package")
DRAWING = """
import sys
from hypothesis import HealthCheck, given, settings, strategies as st
assert "{package}._codec" not in sys.modules
record = package.RECORD
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.from_type(record), st.builds(record, placed_at=..., total=..., ship=...))
def survives(drawn, built):
    for each in (drawn, built):
        assert record.from_avro(each.to_avro()) == each
survives()
"""


@pytest.mark.parametrize("imports", IMPORTS)
def test_hypothesis_knows_the_records_of_installed_packages(shop: Shop, imports: str) -> None:
    shop.ran((imports + DRAWING).format(package=shop.import_name))


def test_importing_hypothesis_imports_no_package(shop: Shop) -> None:
    said = shop.ran(
        "import hypothesis.strategies, sys;"
        f"print([name for name in sys.modules if name.startswith({shop.import_name!r})])"
    )

    assert said == "[]\n"


def test_an_example_can_be_written_everywhere(package: Any) -> None:
    for seed in range(20):
        order = package.RECORD.example(seed).validate()

        assert package.RECORD.from_avro(order.to_avro()) == order
        assert package.RECORD.from_json(order.to_json(form="avro"), form="avro") == order
        assert next(package.from_arrow(package.to_arrow([order]))) == order


def test_an_example_is_the_same_in_another_process(shop: Shop, package: Any) -> None:
    said = shop.ran(f"import {shop.import_name} as p; print(p.RECORD.example(7))")

    assert said == f"{package.RECORD.example(7)}\n"
    assert package.RECORD.example(7) != package.RECORD.example(8)


def test_every_record_of_a_strategy_survives(package: Any) -> None:
    @settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
    @given(package.strategy(package.RECORD))
    def survives(order: Any) -> None:
        assert package.RECORD.from_avro(order.to_avro()) == order
        assert package.RECORD.from_json(order.to_json()) == order

    survives()


def test_a_struct_has_examples_and_a_strategy(shop: Shop, package: Any) -> None:
    ship = getattr(package, shop.kind.ship)

    @settings(max_examples=20, deadline=None)
    @given(st.lists(package.strategy(ship), max_size=3))
    def survives(ships: list[Any]) -> None:
        assert all(ship.from_avro(each.to_avro()) == each for each in ships)

    survives()
    assert ship.example().city.startswith("city ")


@pytest.mark.parametrize("wrong", [str, int])
def test_a_strategy_of_another_class_is_refused(package: Any, wrong: type) -> None:
    with pytest.raises(TypeError, match="expected a class of records"):
        package.strategy(wrong)
