"""Packages of a lake in one program share named types and errors."""

from __future__ import annotations

import copy
import pickle

import pytest

from tests.integration.consumer.lake import (
    CUSTOMER,
    CUSTOMER_RANK,
    GOLD_CUSTOMER,
    INTERACTION,
    LAST_INTERACTION,
    ORDERS,
    RELATIONS,
)
from tests.integration.consumer.lake_installed import Lake


def test_a_symbol_equals_that_of_another_package(lake: Lake) -> None:
    with lake.imported(CUSTOMER, GOLD_CUSTOMER, CUSTOMER_RANK) as modules:
        for symbol in ("BRONZE", "SILVER", "GOLD", "PLATINUM"):
            found = [module.Tier[symbol] for module in modules]

            assert found == [found[0]] * 3
            assert len(set(found)) == 1
            assert {found[0]: "known"}[found[2]] == "known"
        assert modules[0].Tier.GOLD != modules[1].Tier.SILVER


def test_a_record_equals_that_of_another_package(lake: Lake) -> None:
    with lake.imported(CUSTOMER, GOLD_CUSTOMER) as (customer, gold):
        for seed in range(20):
            address = customer.Address.example(seed)

            assert gold.Address.from_dict(address.to_dict()) == address
            assert gold.Address.example(seed + 1) != address


def test_a_value_of_another_package_is_taken(lake: Lake) -> None:
    with lake.imported(CUSTOMER, GOLD_CUSTOMER) as (customer, gold):
        record = customer.RECORD.example(3).replace(homeAddress=customer.Address.example(5))
        made = gold.RECORD(
            customerId=record.customerId,
            fullName=record.fullName,
            tier=record.tier,
            homeAddress=record.homeAddress,
            signupAt=record.signupAt,
            strict=True,
        )

        assert made.validate() is made
        assert gold.RECORD.from_avro(made.to_avro()) == made
        assert gold.RECORD.from_json(made.to_json()) == made
        assert gold.RECORD.from_dict(made.to_dict()) == made
        assert next(gold.from_arrow(gold.to_arrow([made]))) == made
        assert copy.deepcopy(made) == pickle.loads(pickle.dumps(made)) == made


def test_a_record_of_another_package_is_converted(lake: Lake) -> None:
    with lake.imported(CUSTOMER, GOLD_CUSTOMER) as (customer, gold):
        other = customer.Address.example(5)

        made = gold.Address.of(other)

        assert type(made) is gold.Address
        assert made == other


def test_a_record_of_another_type_is_not_converted(lake: Lake) -> None:
    with lake.imported(CUSTOMER, ORDERS) as (customer, orders):
        with pytest.raises(customer.InvalidValue):
            customer.Address.of(orders.RECORD.example(3))
        with pytest.raises(customer.AvroError):
            customer.RECORD.example(3).replace(homeAddress=orders.Shipping.example(3)).validate()


def test_an_error_of_one_package_is_caught_by_another(lake: Lake) -> None:
    with lake.imported(*RELATIONS) as modules:
        first = modules[0]
        for module in modules:
            with pytest.raises(first.InvalidAvro):
                module.RECORD.from_avro(b"")
            with pytest.raises(first.InvalidValue):
                module.RECORD.from_json("{")
            with pytest.raises(first.UnknownSchema):
                module.RECORD.from_confluent(b"\0\0\0\0\1", {}.__getitem__)


def test_errors_keep_their_attributes_between_packages(lake: Lake) -> None:
    with lake.imported(CUSTOMER, ORDERS) as (customer, orders):
        wrong = orders.RECORD.example(3).replace(order_id="x")

        with pytest.raises(customer.InvalidValue) as caught:
            wrong.validate()

        assert (caught.value.path, caught.value.reason) == ("order_id", "expected int, got 'x'")


def test_a_union_keeps_its_branch_between_packages(lake: Lake) -> None:
    with lake.imported(INTERACTION, LAST_INTERACTION) as (table, view):
        for seed in range(30):
            record = table.RECORD.example(seed)
            made = view.RECORD.example(1).replace(payload=record.payload)

            assert (
                type(view.RECORD.from_avro(made.to_avro()).payload).__name__
                == type(record.payload).__name__
            )


def test_star_imports_of_two_packages_do_not_break_errors(lake: Lake) -> None:
    program = """\
from acme_schemas.crm.customer import *
from acme_schemas.shop.orders import *
import acme_schemas.crm.customer as customer
try:
    customer.RECORD.from_avro(b"")
except InvalidAvro:
    print("caught")
"""
    assert lake.ran(program) == "caught\n"
