from __future__ import annotations

import pytest
from hypothesis import given

from codegen.surface import surface_hash
from lakeschema.avro.model import INT, LONG, NULL, STRING, EnumSchema, Field, Fixed, Record, Union
from tests.lakeschema.avro.strategies import schemas

PACKAGE = "acme_schemas.example.company"
STATE = EnumSchema("State", "n", ("CA", "NY"))


def company(*fields: Field, name: str = "Company") -> str:
    return surface_hash(Record(name, "n", fields), PACKAGE)


PLAIN = company(Field("id", INT), Field("state", STATE))


@pytest.mark.parametrize(
    "same",
    [
        company(Field("state", STATE), Field("id", INT)),
        company(Field("id", INT, doc="the key"), Field("state", STATE)),
        # Both are Python's int.
        company(Field("id", LONG), Field("state", STATE)),
        company(Field("id", INT), Field("state", EnumSchema("State", "n", ("NY", "CA")))),
    ],
)
def test_what_no_program_names_is_not_in_it(same: str) -> None:
    assert same == PLAIN


@pytest.mark.parametrize(
    "other",
    [
        company(Field("id", INT)),
        company(Field("key", INT), Field("state", STATE)),
        company(Field("id", STRING), Field("state", STATE)),
        company(Field("id", Union((INT, NULL))), Field("state", STATE)),
        company(Field("id", INT, 0), Field("state", STATE)),
        company(Field("id", INT), Field("state", EnumSchema("State", "n", ("CA",)))),
        company(Field("id", INT), Field("state", EnumSchema("Land", "n", ("CA", "NY")))),
        company(Field("id", INT), Field("state", Fixed("State", "n", 2))),
        company(Field("id", INT), Field("state", STATE), name="Firm"),
        surface_hash(Record("Company", "n", (Field("id", INT), Field("state", STATE))), "a.b.c"),
    ],
)
def test_what_programs_name_is_in_it(other: str) -> None:
    assert other != PLAIN


@given(schemas())
def test_it_is_the_same_each_time(schema: Record) -> None:
    assert surface_hash(schema, PACKAGE) == surface_hash(schema, PACKAGE)


@given(schemas())
def test_immutable_records_are_another_surface(schema: Record) -> None:
    assert surface_hash(schema, PACKAGE, immutable=True) != surface_hash(schema, PACKAGE)
