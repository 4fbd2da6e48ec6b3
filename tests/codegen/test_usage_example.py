"""The example on a package's page runs, whatever the schema is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codegen.lowering import lower
from codegen.usage_example import general_example, usage_example
from tests.codegen.generated import imported, record, record_of, schemas_and_values
from tests.codegen.test_types_of_packages import every


def runs(schema: dict[str, Any], *, immutable: bool = False) -> str:
    """Executes the example against the package; gives its text."""
    with imported(schema, immutable=immutable) as package:
        shape = replace(lower(record_of(schema)), immutable=immutable)
        text = usage_example(shape, package.__name__)
        exec(compile(text, "example", "exec"), {})
        return text


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(schemas_and_values(), st.booleans())
def test_the_example_of_any_schema_runs(
    drawn: tuple[dict[str, Any], list[Any]], immutable: bool
) -> None:
    runs(drawn[0], immutable=immutable)


@pytest.mark.parametrize("immutable", [False, True], ids=["mutable", "immutable"])
def test_the_example_of_every_type_runs(immutable: bool) -> None:
    runs(every(), immutable=immutable)


def test_required_fields_are_set_with_plausible_values_and_a_few_others() -> None:
    schema = record({
        "id": "long",
        "email": "string",
        "total": {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2},
        **{f"more_{n}": {"type": ["null", "string"], "default": None} for n in range(9)},
    })  # fmt: skip

    text = runs(schema)

    assert "id=1001," in text
    assert 'email="ada@example.com",' in text
    assert 'total=decimal.Decimal("19.99"),' in text
    assert text.count("more_") == 2


def test_a_nested_record_is_made_although_other_fields_come_first() -> None:
    address = record({"street": nullable("string"), "city": nullable("string")}, "Address")
    fields = {f"f{n}": nullable("int") for n in range(9)}

    text = runs(record({**fields, "address": nullable(address)}))

    assert 'address=Address(street="1 Main Street", city="Dublin"),' in text


def nullable(type_: Any) -> dict[str, Any]:
    return {"type": ["null", type_], "default": None}


def test_a_record_with_many_required_fields_is_made_up() -> None:
    text = runs(record({f"f{n}": "int" for n in range(60)}))

    assert "record = R.example()" in text


def test_the_general_example_names_the_class() -> None:
    assert general_example("acme.orders", "Orders").startswith("from acme.orders import Orders\n")
