"""Columns whose names Avro does not allow: data frames keep the name; the schema has a legal one."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen.modules import render_modules
from codegen.naming import attribute_name
from codegen.original_names import field_attribute
from codegen.standalone import generate
from lakeschema.avro.legal_names import ORIGINAL_NAME, legal_name
from lakeschema.avro.model import Field, Primitive
from tests.codegen.generated import (
    imported,
    imported_modules,
    json_compiled_after,
    record_of,
)
from tests.codegen.runtime.test_column_names import columns_of
from tests.codegen.test_types_of_packages import strict_mypy

INNER = {
    "type": "record", "name": "Inner", "namespace": "n",
    "fields": [{"name": "_x31st", "type": "int", "original-name": "1st"}],
}  # fmt: skip
SIZED = {
    "type": "record", "name": "Sized", "namespace": "n",
    "fields": [
        {"name": "gr_xC3_xB6_xC3_x9Fe", "type": "int", "original-name": "größe"},
        {"name": "order_x20date", "type": {"type": "long", "logicalType": "timestamp-micros"},
         "original-name": "order date"},
        {"name": "inner", "type": INNER},
        {"name": "plain", "type": "int", "default": 7, "original-name": 1},
    ],
}  # fmt: skip
INT = Primitive("int")
NAMES = ["größe", "order date", "inner", "plain"]


@pytest.fixture(scope="module", params=[False, True], ids=["mutable", "immutable"])
def package(request: pytest.FixtureRequest) -> Iterator[Any]:
    with json_compiled_after(1), imported(SIZED, immutable=request.param) as module:
        yield module


@pytest.fixture
def sized(package: Any) -> Any:
    return package.Sized.from_dict({
        "gr_xC3_xB6_xC3_x9Fe": 1,
        "order_x20date": package.Sized.example().order_x20date,
        "inner": {"_x31st": 2},
        "plain": 3,
    })  # fmt: skip


def test_arrow_has_the_columns_names(package: Any, sized: Any) -> None:
    table = package.to_arrow([sized]).read_all()

    assert table.schema.names == NAMES
    assert table.schema.field("inner").type.field(0).name == "1st"
    assert list(package.from_arrow(table)) == [sized]
    assert [row.to_record() for row in package.rows(table)] == [sized]


@pytest.mark.parametrize("name", ["größe", "GRÖSSE".replace("SS", "ß"), "gr_xC3_xB6_xC3_x9Fe"])
def test_a_column_is_found_by_either_name(package: Any, sized: Any, name: str) -> None:
    table = package.to_arrow([sized]).read_all()
    renamed = table.rename_columns([name, "order_x20date", *NAMES[2:]])
    (row,) = renamed.to_pylist()

    assert list(package.from_arrow(renamed)) == [sized]
    assert [row.to_record() for row in package.rows(renamed)] == [sized]
    assert list(package.from_rows([row])) == [sized]


def test_the_columns_own_name_wins(package: Any, sized: Any) -> None:
    table = package.to_arrow([sized]).read_all()
    both = table.append_column("gr_xC3_xB6_xC3_x9Fe", pa.array([99], pa.int32()))

    assert list(package.from_arrow(both)) == [sized]
    assert list(package.from_rows(both.to_pylist())) == [sized]
    assert [row.to_record() for row in package.rows(both)] == [sized]


def test_names_for_data_frames_are_the_columns(package: Any) -> None:
    columns = columns_of(package)

    assert columns.größe == "`größe`"
    assert columns.inner._x31st == "inner.`1st`"
    assert columns.plain == "plain"


def test_the_attribute_is_the_column_where_python_allows_it(package: Any, sized: Any) -> None:
    one = package.Sized(
        größe=1, order_x20date=sized.order_x20date, inner=package.Inner(_x31st=2), plain=3
    )

    assert one == sized
    assert one.größe == 1
    assert one.replace(größe=2).größe == 2
    assert repr(one).startswith("Sized(größe=1, ")
    assert dict(one.__rich_repr__())["größe"] == 1
    assert [f.name for f in dataclasses.fields(one)] == [*one.__slots__]
    (row,) = package.rows(package.to_arrow([one]).read_all())
    assert row.größe == 1
    assert copy.deepcopy(one) == pickle.loads(pickle.dumps(one)) == one
    assert package.diff(one, one.replace(größe=2)) == [("gr_xC3_xB6_xC3_x9Fe", 1, 2)]


def test_the_schemas_name_stays_in_data(package: Any, sized: Any) -> None:
    for _ in range(3):
        for form in ("plain", "avro"):
            text = sized.to_json(form)
            assert '"gr_xC3_xB6_xC3_x9Fe":1' in text
            assert package.Sized.from_json(text, form) == sized
    assert package.Sized.from_avro(sized.to_avro()) == sized
    assert package.Sized.from_dict(sized.to_dict()) == sized
    with pytest.raises(package.InvalidValue, match="gr_xC3_xB6_xC3_x9Fe: expected"):
        sized.replace(größe="1").validate()


def test_a_default_that_each_record_has_its_own_of() -> None:
    items = {"type": "array", "items": "int"}
    fields = [field("größen", items, default=[1]), field("名前", items, default=[])]

    with imported({"type": "record", "name": "R", "fields": fields}) as package:
        assert (package.R().größen, package.R().名前) == ([1], [])
        assert package.R().größen is not package.R().größen
        assert package.R.from_json("{}") == package.R(größen=[1])


def test_names_that_differ_in_case_are_two_attributes() -> None:
    fields = [field("größe", "int"), field("Größe", "int")]

    with imported({"type": "record", "name": "R", "fields": fields}) as package:
        record = package.R(größe=1, Größe=2)
        assert package.R.from_avro(record.to_avro()) == record


@pytest.mark.parametrize("immutable", [False, True])
@pytest.mark.parametrize("name", ["größe", "größe" * 16])
def test_a_pickle_has_the_attribute_of_earlier_releases(name: str, *, immutable: bool) -> None:
    now = field(name, "int")
    before = {key: value for key, value in now.items() if key != "original-name"}
    texts = []
    for each in (before, now):
        document = {"type": "record", "name": "R", "fields": [each]}
        modules = render_modules(record_of(document), "pickled_columns", immutable=immutable)
        with imported_modules(modules, "pickled_columns") as package:
            record = package.R.from_dict({now["name"]: 5})
            texts.append(pickle.dumps(record))
            assert [pickle.loads(text) for text in texts] == [record] * len(texts)


def test_a_pickled_subclass_has_the_attribute_of_earlier_releases() -> None:
    with imported({"type": "record", "name": "R", "fields": [field("größe", "int")]}) as package:
        record: Any = object.__new__(type("Kind", (package.R,), {}))
        record.__setstate__(("1.0.0", {"gr_xC3_xB6_xC3_x9Fe": 1}, {"more": 1}))

        assert (record.größe, vars(record)) == (1, {"more": 1})


def field(original: str, type_: Any, **more: Any) -> dict[str, Any]:
    name = legal_name(original)
    return {"name": name, "type": type_, "original-name": original, **more}


def attribute(original: str) -> str:
    return field_attribute(Field(legal_name(original), INT, properties={ORIGINAL_NAME: original}))


@pytest.mark.parametrize("name", ["größe", "名前", "Δt", "имя_2", "_é", "नाम"])
def test_an_identifier_is_its_own_attribute(name: str) -> None:
    assert attribute(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "größe e", "1é", "__é", "é.b", "Δ-1",
        "e\u0301", "\ufb01x", "\u212b",  # Python takes them for others
        "é\ufe0f", "\u1160", "é\u202e",  # invisible
        "a\u30fbb", "\U0001e900",  # not in every Unicode
        "é" * 81, "é_x" + "a" * 16,
        "a_x41b", "class", "\ud800",
    ],
)  # fmt: skip
def test_other_names_keep_the_attribute_of_the_schemas_name(name: str) -> None:
    found = attribute(name)

    assert found == attribute_name(legal_name(name))
    assert found.isascii()


def test_an_original_name_of_another_field_is_no_attribute() -> None:
    twins = [Field(name, INT, properties={ORIGINAL_NAME: "größe"}) for name in ("a", "b")]

    assert [field_attribute(each) for each in twins] == ["a", "b"]


@given(st.text(max_size=8).filter(bool), st.text("éaA_1Δ", min_size=1, max_size=6))
def test_two_columns_never_share_an_attribute(one: str, other: str) -> None:
    assert (attribute(one) == attribute(other)) == (one == other)
    for name in (attribute(one), attribute(other)):
        assert name.isidentifier()
        assert unicodedata.normalize("NFKC", name) == name
        assert not name.startswith("__")


USER = """
from sized import Inner, Sized, columns
from sized.row_types import SizedRow

def use(sized: Sized, row: SizedRow) -> int:
    name: str = columns.größe
    print(name, Sized(größe=1, order_x20date=sized.order_x20date, inner=Inner(_x31st=1)))
    return sized.replace(größe=2).größe + row.größe
"""


@pytest.mark.slow
@pytest.mark.parametrize("immutable", [False, True])
def test_such_a_package_is_strictly_typed(tmp_path: Path, *, immutable: bool) -> None:
    generate(record_of(SIZED), "sized", tmp_path, immutable=immutable)
    (tmp_path / "user.py").write_text(USER, "utf-8")

    assert strict_mypy(tmp_path, "-p", "sized", "-m", "user")[:2] == ("", "")
