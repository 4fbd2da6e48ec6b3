"""A consumer uses records as values: makes, checks, compares, copies, matches and prints them."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import io
import json
import pickle
import pprint
import sys
from decimal import Decimal
from typing import Any

import fastavro
import pydantic
import pytest
from rich.pretty import pretty_repr

from tests.codegen.generated import imported, record
from tests.integration.consumer.installed import Shop


def test_a_record_is_made_by_keyword(package: Any) -> None:
    made = package.RECORD.example().replace(customer="Ada", id=1)

    assert (made.customer, made.id) == ("Ada", 1)
    with pytest.raises(TypeError, match="positional"):
        package.RECORD(1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'custmer'"):
        package.RECORD(custmer="Ada")


def test_missing_columns_have_their_defaults(package: Any, order: Any) -> None:
    required = {
        name: getattr(order, name)
        for name, parameter in inspect.signature(package.RECORD).parameters.items()
        if parameter.default is parameter.empty
    }

    made = package.RECORD(**required)

    assert (made.id, made.customer, made.unit) == (None, None, None)


def test_strict_construction_names_the_invalid_value(shop: Shop, package: Any) -> None:
    ship = getattr(package, shop.kind.ship)

    with pytest.raises(package.InvalidValue) as caught:
        ship(city="Acton", zip="1720", strict=True)

    assert (caught.value.path, caught.value.reason) == ("zip", "expected int, got '1720'")


def test_validation_names_the_path_of_a_nested_value(shop: Shop, package: Any, order: Any) -> None:
    assert order.validate() is order
    line = getattr(package, shop.kind.line)

    wrong = order.replace(lines=[line(sku="a"), line(price=1.5)])

    with pytest.raises(
        package.InvalidValue, match=r"^lines\[1\]\.price: expected Decimal, got 1\.5$"
    ):
        wrong.validate()


def test_records_of_equal_values_are_equal(shop: Shop, package: Any, order: Any) -> None:
    assert order == shop.order(package)
    assert order != shop.order(package, id=8)
    assert order != "order"


def test_a_record_shows_its_values(order: Any) -> None:
    assert repr(order).startswith(f"{type(order).__name__}(id=7, customer='Ada', ")
    assert "total=Decimal('12.50')" in repr(order)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_record_is_pickled(order: Any, protocol: int) -> None:
    assert pickle.loads(pickle.dumps(order, protocol)) == order


def test_a_copy_shares_and_a_deep_copy_does_not(order: Any) -> None:
    shallow, deep = copy.copy(order), copy.deepcopy(order)

    order.tags.append("later")

    assert shallow == order
    assert deep.tags == ["new", None]


def test_a_record_is_replaced_in_parts(order: Any) -> None:
    later = order.replace(paid=False)

    assert (later.paid, order.paid) == (False, True)
    assert dataclasses.replace(order, paid=False) == later
    if sys.version_info >= (3, 13):
        assert copy.replace(order, paid=False) == later
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        order.replace(payed=False)


def test_a_record_matches_by_attribute(shop: Shop, package: Any, order: Any) -> None:
    ship, record_class = getattr(package, shop.kind.ship), package.RECORD
    match order:
        case record_class(customer="Bob"):
            pytest.fail("another customer")
        case record_class(ship=ship(city=city), total=Decimal() as total):
            assert (city, total) == ("Acton", Decimal("12.50"))
        case _:
            pytest.fail("no match")


def test_the_fields_are_iterated(order: Any) -> None:
    found = {field.name: getattr(order, field.name) for field in dataclasses.fields(order)}

    assert list(found)[:3] == ["id", "customer", "total"]
    assert found["total"] == order.total


def test_a_record_is_taken_apart(order: Any) -> None:
    plain = dataclasses.asdict(order)

    assert plain["ship"] == {"city": "Acton", "zip": 1720}
    assert plain["lines"] == [{"sku": "s-1", "price": Decimal("6.25")}]


def test_plain_values_make_an_equal_record(package: Any, order: Any) -> None:
    assert package.RECORD.from_dict(order.to_dict()) == order


def test_records_are_sorted_by_a_column(shop: Shop, package: Any) -> None:
    orders = [shop.order(package, id=number) for number in (3, 1, 2)]

    assert [order.id for order in sorted(orders, key=lambda order: order.id)] == [1, 2, 3]


def test_a_mutable_record_is_no_key(order: Any) -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(order)


def test_a_misspelt_attribute_is_refused(order: Any) -> None:
    with pytest.raises(AttributeError):
        order.custmer = "Bob"
    with pytest.raises(AttributeError):
        _ = order.custmer


def test_two_records_are_compared_path_by_path(package: Any, order: Any) -> None:
    later = order.replace(customer="Bob", counts={"a": 1, "b": 2})

    assert package.diff(order, later) == [
        ("customer", "Ada", "Bob"),
        ("counts['b']", package.ABSENT, 2),
    ]


def test_a_record_is_printed_over_lines(order: Any) -> None:
    assert pprint.pformat(order) == repr(order)
    assert "    customer='Ada',\n" in pretty_repr(order, max_width=40)


def test_pydantic_checks_a_record_in_a_model(package: Any, order: Any) -> None:
    model: Any = pydantic.create_model("Event", order=(package.RECORD, ...))

    event = model(order=order)

    assert model.model_validate_json(event.model_dump_json()).order == order
    with pytest.raises(pydantic.ValidationError, match="expected int, got 'x'") as caught:
        model(order=order.replace(id="x"))
    assert [fault["loc"] for fault in caught.value.errors()] == [("order", "id")]


def test_each_class_has_its_schema(shop: Shop, package: Any, order: Any) -> None:
    ship = getattr(package, shop.kind.ship)
    read = fastavro.schemaless_reader(
        io.BytesIO(order.ship.to_avro()), json.loads(ship.SCHEMA), None
    )

    assert read == {"city": "Acton", "zip": 1720}
    assert package.RECORD.SCHEMA == package.SCHEMA


def test_one_error_is_caught_across_packages(package: Any) -> None:
    with imported(record({"f": "int"})) as other:
        for broken in (package.RECORD.from_avro, other.R.from_avro):
            with pytest.raises(package.AvroError):
                broken(b"\xff")


def test_a_decimal_is_exact(package: Any, order: Any) -> None:
    assert package.RECORD.from_avro(order.to_avro()).total == Decimal("12.50")
    with pytest.raises(
        package.InvalidValue, match=r"total: expected decimal\(10,2\), got .*12\.345"
    ):
        order.replace(total=Decimal("12.345")).to_avro()
