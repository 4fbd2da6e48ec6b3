"""A package's documentation of columns that its relation has but its record lacks."""

from __future__ import annotations

from typing import Any

import pytest

from codegen.surface import surface_hash
from tests.codegen.generated import imported, record, record_of

HOSTILE = 'x"""\n\nimport os\\N{BEL}\'\'\' + __import__("os")'


def left_out(*columns: Any) -> dict[str, Any]:
    return {**record({"id": "int"}), "omitted-columns": list(columns)}


@pytest.mark.parametrize("text", ["v", HOSTILE, "größe", ""])
def test_the_class_names_each_column_with_its_type_and_why(text: str) -> None:
    with imported(left_out({"name": text, "type": text, "reason": text})) as package:
        words = " ".join(f"{text} ({text}): {text}".split())

        assert words in package.R.__doc__
        assert package.R(id=1) == package.R.from_avro(package.R(id=1).to_avro())


@pytest.mark.parametrize("property_", ["v", None, {}, [1], [{"name": "v"}], [{"name": 1, "type": 2, "reason": 3}]])  # fmt: skip
def test_a_property_of_another_form_says_nothing(property_: Any) -> None:
    with imported({**record({"id": "int"}), "omitted-columns": property_}) as package:
        assert "left out" not in package.R.__doc__


def test_a_record_without_fields_is_a_package() -> None:
    document = {**record({}), "omitted-columns": [{"name": "v", "type": "variant", "reason": "r"}]}
    for immutable in (False, True):
        with imported(document, immutable=immutable) as package:
            assert package.R().to_avro() == b""
            assert package.R.from_avro(b"") == package.R()
            assert package.R.from_json(package.R().to_json()) == package.R()


def test_programs_see_no_difference() -> None:
    one, other = record_of(record({"id": "int"})), record_of(left_out())

    assert surface_hash(one, "p") == surface_hash(other, "p")
