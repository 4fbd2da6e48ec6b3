"""A newcomer fills records with values of other libraries, and sees every fault at once."""

from __future__ import annotations

import datetime as dt
import enum
import json
import keyword
import math
import traceback
from decimal import Decimal
from typing import Any, Final

import pytest

from tests.integration.consumer.lake import CATEGORY, INTERACTION, ORDERS, PAYMENT, WEB_EVENTS
from tests.integration.consumer.lake_installed import Lake, columns_of, values_of

_EVERYWHERE: Final = """\
import datetime as dt, decimal, uuid, io
import acme_schemas.crm.customer as customer, acme_schemas.shop.orders as orders
import acme_schemas.shop.payment as payment, acme_schemas.crm.category as category
def everywhere(record):
    record.validate()
    R = type(record)
    ways = [R.from_avro(record.to_avro()), R.from_dict(record.to_dict())]
    ways += [R.from_json(record.to_json()), R.from_json(record.to_json(form="avro"), form="avro")]
    assert all(way == ways[0] for way in ways), ways
    return ways[0]
"""


def is_told(lake: Lake, program: str) -> None:
    """A program with libraries of consumers ends as it should."""
    assert lake.ran_beside_libraries(_EVERYWHERE + program + "\nprint('ok')") == "ok\n"


def test_times_of_pandas_are_taken_everywhere(lake: Lake) -> None:
    is_told(
        lake,
        """
import pandas as pd
o = orders.RECORD.example(3)
moment = pd.Timestamp("2024-01-31T23:59:59.123456Z")
found = everywhere(o.replace(placed_at=moment, shipped_at=moment.tz_localize(None)))
assert type(found.placed_at) is dt.datetime and found.placed_at == moment
p = payment.RECORD.example(3)
assert everywhere(p.replace(processing=pd.Timedelta(1, "us"))).processing == dt.timedelta(microseconds=1)
""",
    )


def test_nanoseconds_of_pandas_are_refused_everywhere(lake: Lake) -> None:
    is_told(
        lake,
        """
import pandas as pd
fine = pd.Timestamp("2024-01-31T23:59:59.123456789Z")
o = orders.RECORD.example(3).replace(placed_at=fine)
for write in (o.validate, o.to_avro, o.to_dict, o.to_json, lambda: o.to_json(form="avro")):
    try:
        write()
    except orders.InvalidValue as error:
        assert str(error).startswith("placed_at: ") and "finer than microseconds" in str(error)
    else:
        raise AssertionError(write)
""",
    )


def test_missing_values_of_pandas_are_refused_with_their_path(lake: Lake) -> None:
    is_told(
        lake,
        """
import pandas as pd
for wrong in (pd.NaT, pd.NA, float("nan")):
    for column in ("placed_at", "shipped_at", "customer_id"):
        o = orders.RECORD.example(3).replace(**{column: wrong})
        for write in (o.validate, o.to_avro, o.to_dict, o.to_json):
            try:
                write()
            except orders.AvroError as error:
                assert str(error).startswith(column + ": "), error
            else:
                raise AssertionError((wrong, column, write))
""",
    )


def test_numbers_of_numpy_are_taken_everywhere(lake: Lake) -> None:
    is_told(
        lake,
        """
import numpy as np
o = orders.RECORD.example(3)
assert everywhere(o.replace(order_id=np.int64(5), gift=np.bool_(True))).order_id == 5
p = payment.RECORD.example(3)
found = everywhere(p.replace(rating=np.float32(1.5), attempts=np.int16(7), currency=np.str_("EUR")))
assert (found.rating, found.attempts, found.currency) == (1.5, 7, "EUR")
assert type(found.attempts) is int
c = category.RECORD.example(3)
assert everywhere(c.replace(weight=np.float64(2.5))).weight == 2.5
""",
    )


def test_arrays_of_numpy_are_taken_for_lists(lake: Lake) -> None:
    is_told(
        lake,
        """
import numpy as np
o = orders.RECORD.example(3)
lines = [o.lines[0].replace(discounts=np.array([decimal.Decimal("1.50")], dtype=object))] if o.lines else []
found = everywhere(o.replace(lines=np.array(lines, dtype=object)))
assert type(found.lines) is list
""",
    )


def test_a_row_of_pandas_becomes_a_record(lake: Lake) -> None:
    is_told(
        lake,
        """
records = [orders.RECORD.example(seed) for seed in range(5)]
frame = orders.to_arrow(records).read_all().to_pandas(integer_object_nulls=True)
small = frame[["order_id", "customer_id", "placed_at", "total"]]
found = list(orders.from_rows(small.to_dict("records")))
assert [(f.order_id, f.customer_id, f.placed_at, f.total) for f in found] == [
    (r.order_id, r.customer_id, r.placed_at, r.total) for r in records]
""",
    )


def test_values_of_other_date_libraries_are_taken(lake: Lake) -> None:
    is_told(
        lake,
        """
import pendulum, freezegun
o = orders.RECORD.example(3)
now = pendulum.datetime(2024, 1, 31, 12, tz="Europe/Paris")
found = everywhere(o.replace(placed_at=now))
assert found.placed_at == now and type(found.placed_at) is dt.datetime
with freezegun.freeze_time("2024-01-31"):
    frozen = dt.datetime.now(dt.timezone.utc)
    assert everywhere(o.replace(placed_at=frozen)).placed_at == frozen
c = customer.RECORD.example(3)
assert everywhere(c.replace(birthDate=pendulum.date(2000, 1, 2))).birthDate == dt.date(2000, 1, 2)
""",
    )


def test_a_uuid_of_asyncpg_is_taken(lake: Lake) -> None:
    is_told(
        lake,
        """
from asyncpg.pgproto.pgproto import UUID
c = customer.RECORD.example(3)
found = everywhere(c.replace(customerId=UUID("a0621cba-2b8b-23a4-ab6f-e7012e40df04")))
assert found.customerId == uuid.UUID("a0621cba-2b8b-23a4-ab6f-e7012e40df04")
""",
    )


class Status(enum.StrEnum):
    PAID = "paid"


class Attempts(enum.IntEnum):
    TWO = 2


def test_enums_that_are_text_and_numbers_are_taken(lake: Lake) -> None:
    with lake.imported(ORDERS, PAYMENT) as (orders, payment):
        order = orders.RECORD.example(3).replace(status=Status.PAID)
        paid = payment.RECORD.example(3).replace(attempts=Attempts.TWO)

        assert orders.RECORD.from_dict(order.to_dict()).status == "paid"
        assert json.loads(order.to_json())["status"] == "paid"
        assert payment.RECORD.from_avro(paid.to_avro()).attempts == 2
        assert json.loads(paid.to_json())["attempts"] == 2


def test_tuples_and_other_containers_are_taken(lake: Lake) -> None:
    with lake.imported(ORDERS) as (orders,):
        order = orders.RECORD.example(3)
        other = order.replace(lines=tuple(order.lines or ()), tags=dict.fromkeys(("a", "b"), "c"))

        for found in (
            orders.RECORD.from_avro(other.validate().to_avro()),
            orders.RECORD.from_dict(other.to_dict()),
            orders.RECORD.from_json(other.to_json()),
            next(orders.from_arrow(orders.to_arrow([other]))),
        ):
            assert found.lines == (order.lines or [])


def test_every_fault_of_a_record_is_told_at_once(module: Any, example: Any) -> None:
    columns = dict(list(columns_of(module).items())[:3])
    wrong = {name: object() for name in columns}

    for check in (
        lambda: module.RECORD(**values_of(example) | wrong, strict=True),
        example.replace(**wrong).validate,
    ):
        with pytest.raises(module.InvalidValues) as caught:
            check()
        assert [fault.path for fault in caught.value.faults] == list(columns.values())


def test_faults_within_lists_are_told_by_their_places(lake: Lake) -> None:
    with lake.imported(ORDERS) as (orders,):
        lines = [orders.Lines(quantity=number) for number in (1, "two", "three")]

        with pytest.raises(orders.InvalidValues) as caught:
            orders.RECORD.example(3).replace(lines=lines, total=Decimal("0.001")).validate()

        paths = [fault.path for fault in caught.value.faults]
        assert sorted(paths) == ["lines[1].quantity", "lines[2].quantity", "total"]


def test_a_single_fault_is_an_invalid_value(module: Any, example: Any) -> None:
    name = next(iter(values_of(example)))

    with pytest.raises(module.InvalidValue):
        example.replace(**{name: object()}).validate()


def test_the_traceback_of_a_wrong_value_is_short(module: Any, example: Any) -> None:
    name = next(iter(values_of(example)))
    wrong = example.replace(**{name: object()})

    for write in (wrong.to_avro, wrong.to_json, wrong.validate):
        with pytest.raises(module.InvalidValue) as caught:
            write()
        assert caught.value.__suppress_context__ or caught.value.__context__ is None
        assert "During handling of" not in "".join(traceback.format_exception(caught.value))


def test_the_last_moments_that_python_has_are_read_as_written(lake: Lake) -> None:
    with lake.imported(ORDERS) as (orders,):
        last = dt.datetime.max.replace(tzinfo=dt.UTC)
        order = orders.RECORD.example(3).replace(placed_at=last)
        beyond = dt.datetime.max.replace(tzinfo=dt.timezone(dt.timedelta(hours=-5)))

        assert orders.RECORD.from_avro(order.to_avro()) == order
        for write in (
            order.replace(placed_at=beyond).validate,
            order.replace(placed_at=beyond).to_avro,
        ):
            with pytest.raises(orders.InvalidValue, match=r"^placed_at: "):
                write()


def test_a_float_default_is_one_value_on_every_way(lake: Lake) -> None:
    with lake.imported(INTERACTION) as (interaction,):
        plain = interaction.RECORD.example(3).to_dict()
        without = {name: value for name, value in plain.items() if name != "score"}
        shown = json.loads(interaction.RECORD.example(3).to_json())
        del shown["score"]
        made = (
            interaction.RECORD.from_dict(without).score,
            interaction.RECORD.from_json(json.dumps(shown)).score,
            interaction.RECORD(**{**values_of(interaction.RECORD.example(3)), "score": 0.1}).score,
        )

        defaults = {made[0], made[1]}
        record = interaction.RECORD.from_dict(without)
        assert len(defaults) == 1
        assert interaction.RECORD.from_avro(record.to_avro()) == record


def test_a_default_that_is_no_number_in_json_is_read_as_java_does(lake: Lake) -> None:
    with lake.imported(CATEGORY) as (category,):
        made = category.RECORD(label="books")

        assert math.isnan(made.weight)
        assert json.loads(made.to_json())["weight"] == "NaN"


def test_columns_with_names_of_the_language_are_used(lake: Lake) -> None:
    with lake.imported(WEB_EVENTS) as (web_events,):
        columns = columns_of(web_events)
        wanted = {"from": "a", "class": "b", "self": "d", "to_dict": "e", "import": True, "None": 3}
        names = {attribute: column for attribute, column in columns.items() if column in wanted}
        event = web_events.RECORD.example(3).replace(
            **{attribute: wanted[column] for attribute, column in names.items()}
        )

        assert {name: event.to_dict()[name] for name in wanted} == wanted
        assert not any(keyword.iskeyword(attribute) for attribute in columns)
        assert web_events.RECORD.from_json(event.to_json()) == event


def test_a_column_with_an_umlaut_keeps_its_name_in_tables(lake: Lake) -> None:
    with lake.imported(WEB_EVENTS) as (web_events,):
        event = web_events.RECORD.example(3).replace(größe=7)

        table = web_events.to_arrow([event]).read_all()

        assert table["größe"].to_pylist() == [7]
        assert list(web_events.from_arrow(table)) == [event]
        assert next(web_events.from_rows([{"größe": 7}])).größe == 7
