"""Programs can use records as they use dataclasses."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import io
import json
import pickle
import pprint
import sys
import traceback
import typing
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any
from uuid import UUID

import fastavro
import pydantic
import pytest
from rich.pretty import pretty_repr

from codegen.modules import render_modules
from lakeschema.avro.model import Record
from lakeschema.avro.parsing import parse_schema
from tests.codegen.generated import imported, record, record_of
from tests.codegen.test_classes import NAMES, builtin_names
from tests.codegen.test_types_of_packages import every

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
    assert fields["Id"].type is int
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


@pytest.mark.parametrize(
    ("column", "value", "error"),
    [
        ("Id", "x", "Id: expected int, got 'x'"),
        ("Home", "Acton", "Home: expected Home, got 'Acton'"),
        ("key", "7", "key: expected UUID, got '7'"),
        ("tags", ["a", 3], "tags[1]: expected str, got 3"),
        ("limits", {"low": "1"}, "limits['low']: expected int, got '1'"),
    ],
)
def test_an_error_names_the_path_and_what_is_expected(
    package: ModuleType, column: str, value: Any, error: str
) -> None:
    """The same of an optional column as of another."""
    company = package.Company(**{"Id": 1, column: value})

    for write in (company.validate, company.to_avro, company.to_json):
        with pytest.raises(package.InvalidValue) as caught:
            write()
        assert str(caught.value) == error


def test_plain_values_of_an_optional_column_are_refused_with_what_is_expected(
    package: ModuleType,
) -> None:
    for wrong, error in (
        ("x", "Home: expected Home or dict, got 'x'"),
        ({"city": 3}, "Home.city: expected str, got 3"),
    ):
        with pytest.raises(package.InvalidValue, match=error):
            package.Company.from_dict({"Id": 1, "Home": wrong})
    with pytest.raises(package.InvalidValue, match="Home: expected Home, got 'x'"):
        package.Company(Id=1, Home="x").to_dict()


def test_pydantic_takes_records_and_plain_values_and_checks_them(package: ModuleType) -> None:
    model = pydantic.create_model("Model", company=(package.Company, ...))
    company = package.Company(Id=1, Home=package.Home(city="Acton"), key=UUID(int=7))

    made = model(company=company)

    assert model(company=company.to_dict()) == made
    assert made.model_dump() == {"company": company.to_dict()}
    assert model.model_validate_json(made.model_dump_json()) == made
    for wrong, reason in (
        (package.Company(Id="x"), "expected int, got 'x'"),
        ({"Id": 1, "Home": {}}, "Home"),
        (3, "expected Company or dict, got 3"),
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
    names = ["validate", "replace", "example", "fields", "_Any", "_Callable", "_ClassVar", "SCHEMA",
             "strict", "strategy", "schema"]  # fmt: skip
    schema = record(dict.fromkeys(names, "int"))
    with imported(schema) as package:
        value = package.RECORD.from_dict(dict.fromkeys(names, 1))

        assert value.validate_ == value.replace_ == value.example_ == value.strategy == 1
        assert value.SCHEMA == package.SCHEMA
        assert value.validate().to_dict() == dict.fromkeys(names, 1)
        assert len(dataclasses.fields(value)) == len(names)


def test_the_avro_error_of_a_package_is_that_of_every_package() -> None:
    with imported(COMPANY) as one, imported(COMPANY) as other:
        assert issubclass(one.AvroError, ValueError)
        with pytest.raises(one.AvroError, match="Id") as caught:
            other.Company.from_dict({"Id": "x"})

        assert type(pickle.loads(pickle.dumps(caught.value))) is one.InvalidValue


def test_a_strict_constructor_refuses_what_cannot_be_written(package: ModuleType) -> None:
    assert package.Company(Id=1, strict=True) == package.Company(Id=1)
    with pytest.raises(package.InvalidValue, match="Id: expected int, got 'x'"):
        package.Company(Id="x", strict=True)
    with imported(record({})) as empty:
        assert empty.R(strict=True) == empty.R()


def test_signatures_show_defaults(package: ModuleType) -> None:
    parameters = inspect.signature(package.Company).parameters

    assert str(parameters["tags"]).endswith(("= []", "= ()"))
    assert parameters["strict"].default is False
    rendered = render_modules(record_of(COMPANY), "p")["p/_types.py"].decode()
    assert "tags: list[str] = [], " in rendered
    assert "limits: dict[str, int] = {'low': 1}, " in rendered


def test_no_two_records_share_a_default(package: ModuleType) -> None:
    one, other = package.Company(Id=1), package.Company(Id=2)

    assert one.limits == {"low": 1}
    assert one.limits is not other.limits
    assert isinstance(one.tags, tuple) or one.tags is not other.tags


def test_each_class_has_its_own_complete_schema(package: ModuleType) -> None:
    assert package.Company.SCHEMA is package.SCHEMA
    assert package.Company(Id=1).SCHEMA is package.SCHEMA
    home = package.Home(city="Acton")

    read = fastavro.schemaless_reader(
        io.BytesIO(home.to_avro()), json.loads(package.Home.SCHEMA), None
    )

    assert read == home.to_dict()


def test_the_schema_of_a_class_defines_what_it_refers_to() -> None:
    state: dict[str, Any] = {"type": "enum", "name": "s.State", "symbols": ["CA"]}
    inner = record({"state": {"type": ["null", "s.State"]}, "again": {"type": ["null", "Inner"]},
                    "more": {"type": {"type": "array", "items": "s.State"}},
                    "odd": {"type": {"type": "map", "values": {
                        "type": "fixed", "name": "Four", "namespace": "", "size": 4}}}}, "Inner")  # fmt: skip
    with imported(record({"first": {"type": state}, "inner": {"type": inner}})) as package:
        schema = parse_schema(package.Inner.SCHEMA)

        inner_value = package.Inner(state=package.s__State.CA, again=None, more=[], odd={})
        assert isinstance(schema, Record)
        assert schema.full_name == "n.Inner"
        with imported(json.loads(package.Inner.SCHEMA)) as alone:
            assert alone.RECORD.from_avro(inner_value.to_avro()).to_dict() == inner_value.to_dict()
            assert alone.RECORD.from_single_object(inner_value.to_single_object())


@pytest.mark.parametrize("immutable", [False, True], ids=["mutable", "immutable"])
@pytest.mark.parametrize("names", ["every", "of_builtins", "of_all_fields"])
def test_every_annotation_can_be_evaluated(*, names: str, immutable: bool) -> None:
    fields = record({name: {"type": ["null", "string"], "default": None} for name in NAMES})
    document = {"every": every(), "of_builtins": builtin_names(), "of_all_fields": fields}[names]
    with imported(document, immutable=immutable) as package:
        public = [getattr(package, name) for name in package.__all__]
        classes = [each for each in public if inspect.isclass(each) and hasattr(each, "SCHEMA")]
        methods = [
            method
            for each in classes
            for member in vars(each).values()
            if inspect.isfunction(method := getattr(member, "__func__", member))
        ]
        functions = [each for each in public if inspect.isfunction(each)]

        checked: list[Any] = [*functions, *methods, *classes]
        for each in checked:
            inspect.signature(each, eval_str=True)
            typing.get_type_hints(each)
        typing.get_type_hints(package.InvalidValues.__init__)

        hints = typing.get_type_hints(package.RECORD)
        assert [*hints] == [field.name for field in dataclasses.fields(package.RECORD)]
        assert (
            typing.get_type_hints(package.RECORD.from_dict)["mode"]
            == (typing.Literal["python", "json"])
        )


def test_the_types_of_a_library_that_is_not_installed_are_evaluated(
    monkeypatch: pytest.MonkeyPatch, package: ModuleType
) -> None:
    for library in ("pyarrow", "pyspark.sql", "pyspark.sql.types", "hypothesis.strategies"):
        monkeypatch.setitem(sys.modules, library, None)

    missing = typing.get_type_hints(package.to_arrow)["return"]

    assert missing.__name__ == "NotInstalled"
    assert typing.get_type_hints(package.strategy)["return"] is missing
    assert typing.get_type_hints(package.rows)


def test_a_directory_of_the_package_has_no_names_of_its_typing(package: ModuleType) -> None:
    assert {"Company", "read_file", "__version__", "__doc__"} <= {*dir(package)}
    assert not {"TYPE_CHECKING", "annotations"} & {*dir(package)}


WAYS: dict[str, Callable[[Any, Any], Any]] = {
    "validate": lambda _, wrong: wrong.validate(),
    "strict": lambda package, _: package.Company(Id="x", strict=True),
    "to_avro": lambda _, wrong: wrong.to_avro(),
    "to_dict": lambda _, wrong: wrong.to_dict(),
    "to_dict as json": lambda _, wrong: wrong.to_dict(mode="json"),
    "to_json": lambda _, wrong: wrong.to_json(),
    "to_json as avro": lambda _, wrong: wrong.to_json(form="avro"),
    "to_single_object": lambda _, wrong: wrong.to_single_object(),
    "to_confluent": lambda _, wrong: wrong.to_confluent(1),
    "of": lambda package, _: package.Company.of(3),
    "from_avro": lambda package, _: package.Company.from_avro(b""),
    "from_avro of another": lambda package, _: package.Company.from_avro(b"", "{}"),
    "from_dict": lambda package, _: package.Company.from_dict({"Id": "x"}),
    "from_json": lambda package, _: package.Company.from_json('{"Id": "x"}'),
    "from_json of no JSON": lambda package, _: package.Company.from_json("{"),
    "from_single_object": lambda package, _: package.Company.from_single_object(b"x"),
    "from_confluent": lambda package, _: package.Company.from_confluent(b"x", {}),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_traceback_ends_in_the_callers_line_and_one_of_the_package(
    package: ModuleType, way: str
) -> None:
    with pytest.raises(package.AvroError) as caught:
        WAYS[way](package, package.Company(Id="x"))

    frames = traceback.extract_tb(caught.value.__traceback__)
    own = [frame for frame in frames if frame.filename != __file__]
    assert (len(own), frames[-1] is own[0]) == (1, True)
    assert caught.value.__suppress_context__
    assert "direct cause" not in "".join(traceback.format_exception(caught.value))
