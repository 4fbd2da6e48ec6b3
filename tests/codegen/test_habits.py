"""What programs do with dataclasses, they do with records."""

from __future__ import annotations

import copy
import dataclasses
import pprint
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any
from uuid import UUID

import pydantic
import pytest
from rich.pretty import pretty_repr

from codegen.modules import render_modules
from tests.codegen.generated import imported, record, record_of

COMPANY = record({
    "Id": "int",
    "tags": {"type": {"type": "array", "items": "string"}, "default": []},
    "Home": {"type": ["null", record({"city": "string"}, "Home")], "default": None},
    "State": {"type": {"type": "enum", "name": "State", "symbols": ["CA", "NY"]}, "default": "NY"},
    "key": {"type": ["null", {"type": "string", "logicalType": "uuid"}], "default": None},
    "limits": {"type": {"type": "map", "values": "long"}, "default": {"low": 1}},
}, "Company")  # fmt: skip
COMPANY["fields"][0]["doc"] = 'The """key\\.'


@pytest.fixture(params=[False, True], ids=["mutable", "immutable"])
def package(request: pytest.FixtureRequest) -> Iterator[ModuleType]:
    with imported(COMPANY, immutable=request.param) as module:
        yield module


def test_fields_have_names_types_and_defaults(package: ModuleType) -> None:
    fields = {field.name: field for field in dataclasses.fields(package.Company)}

    assert list(fields) == ["Id", "tags", "Home", "State", "key", "limits"]
    assert fields["Id"].default is dataclasses.MISSING
    assert fields["Id"].type == "int"
    assert fields["State"].default is package.State.NY
    factory: Any = fields["limits"].default_factory
    assert factory() == {"low": 1}
    assert dataclasses.fields(package.Company(Id=1))[0] is fields["Id"]
    assert dataclasses.is_dataclass(package.Home)


def test_records_are_replaced_and_taken_apart_as_dataclasses_are(package: ModuleType) -> None:
    company = package.Company(Id=1, Home=package.Home(city="Acton"), tags=["a"])

    later = dataclasses.replace(company, Id=2)

    assert later == company.replace(Id=2) == company.__replace__(Id=2)
    if sys.version_info >= (3, 13):
        assert copy.replace(company, Id=2) == later
    plain = dataclasses.asdict(company)
    assert (plain["Home"], list(plain["tags"])) == ({"city": "Acton"}, ["a"])


def test_long_records_are_printed_by_pprint_and_over_several_lines_by_rich(
    package: ModuleType,
) -> None:
    company = package.Company(Id=1, tags=["x" * 100])

    assert pprint.pformat(company, width=20) == repr(company)
    assert pretty_repr(company, max_width=40).splitlines()[:2] == ["Company(", "    Id=1,"]


def test_a_record_that_cannot_be_written_is_refused_by_validate(package: ModuleType) -> None:
    company = package.Company(Id=1)

    assert company.validate() is company
    with pytest.raises(package.InvalidValue, match="expected str, got 3") as caught:
        package.Company(Id=1, Home=package.Home(city=3)).validate()
    assert caught.value.path == "Home.city"


def test_pydantic_takes_records_and_plain_values_and_checks_them(package: ModuleType) -> None:
    model = pydantic.create_model("Model", company=(package.Company, ...))
    company = package.Company(Id=1, Home=package.Home(city="Acton"), key=UUID(int=7))

    made = model(company=company)

    assert model(company=company.to_dict()) == made
    assert made.model_dump() == {"company": company.to_dict()}
    assert model.model_validate_json(made.model_dump_json()) == made
    for wrong, reason in (
        (package.Company(Id="x"), "Id: expected int, got 'x'"),
        ({"Id": 1, "Home": {}}, "Home"),
        (3, "expected Company or its fields, got 3"),
    ):
        with pytest.raises(pydantic.ValidationError, match=reason):
            model(company=wrong)


def test_attributes_are_declared_with_their_documentation(package: ModuleType) -> None:
    rendered = render_modules(record_of(COMPANY), "p")["p/_types.py"].decode()
    lines = [line.strip() for line in rendered.split("class Company:")[1].splitlines()]

    assert list(package.Company.__annotations__) == list(package.Company.__slots__)
    start = lines.index("Id: int")
    assert lines[start : start + 3] == [
        "Id: int", '"""The \\"\\"\\"key\\\\."""', "tags: list[str]",
    ]  # fmt: skip


def test_positional_patterns_are_refused(package: ModuleType) -> None:
    """A column that is added must not change what a pattern matches."""
    company: Any = package.Company(Id=1)

    match company:
        case package.Company(Id=found):
            assert found == 1
        case _:
            pytest.fail("no match by keyword")
    with pytest.raises(TypeError, match="accepts 0 positional sub-patterns"):
        _match_by_position(package, company)


def _match_by_position(package: ModuleType, company: Any) -> None:
    match company:
        case package.Company(1):
            pass


def test_fields_named_as_what_records_have_work() -> None:
    names = ["validate", "replace", "example", "fields", "_Any", "_Callable", "_ClassVar", "SCHEMA"]
    schema = record(dict.fromkeys(names, "int"))
    with imported(schema) as package:
        value = package.RECORD.from_dict(dict.fromkeys(names, 1))

        assert value.validate_ == value.replace_ == value.example == 1
        assert value.validate().to_dict() == dict.fromkeys(names, 1)
        assert len(dataclasses.fields(value)) == len(names)


def test_the_error_of_any_package_is_a_value_error() -> None:
    with imported(COMPANY) as one, imported(COMPANY) as other:
        assert issubclass(one.AvroError, ValueError)
        assert not issubclass(one.AvroError, other.AvroError)
        with pytest.raises(ValueError, match="Id"):
            other.Company.from_dict({"Id": "x"})
