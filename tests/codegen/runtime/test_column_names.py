"""Names of columns: text that Spark reads as the column, with the nested columns of structs."""

from __future__ import annotations

import copy
import importlib
import pickle
import sys
from typing import Any

import pytest

from codegen.runtime.column_names import METHODS_OF_TEXT, quoted
from tests.codegen.generated import imported, record

INNER = record({
    "city": "string", "count": "int", "count_": "int", "deep": {"type": ["null", record({"x": "int"}, "Deep")]},
}, "Inner")  # fmt: skip
FIELDS = {
    "id": "long", "title": "string", "class": "int", "_codec": "int", "globals": "int",
    "inner": {"type": ["null", INNER], "default": None},
    "inners": {"type": {"type": "array", "items": ["null", "Inner"]}},
    "named": {"type": {"type": "map", "values": "Inner"}},
    "next": {"type": ["null", "R"], "default": None},
}  # fmt: skip


def columns_of(package: Any) -> Any:
    return importlib.import_module(f"{package.__name__}.columns")


def test_a_column_is_the_path_that_spark_resolves() -> None:
    with imported(record(FIELDS)) as package:
        columns = columns_of(package)

        assert columns.id == "id"
        assert columns.title == "title"
        assert columns.class_ == "class"
        assert columns._codec == "_codec"
        assert columns.globals == "globals"
        assert columns.inner == "inner"
        assert columns.inner.city == "inner.city"
        assert columns.inner.deep.x == "inner.deep.x"
        assert columns.inners.city == "inners.city"
        assert columns.next.next.inner.city == "next.next.inner.city"
        assert "inner" in dir(columns)
        assert "city" in dir(columns.inner)
        assert {columns.id: 1}["id"] == 1
        assert isinstance(columns.inner, str)


def test_nested_columns_named_as_methods_of_text_have_an_underscore() -> None:
    with imported(record(FIELDS)) as package:
        columns = columns_of(package)

        assert columns.inner.count_ == "inner.count"
        assert columns.inner.count__ == "inner.count_"
        assert columns.inner.count("n") == 2


def test_the_columns_are_listed_and_those_of_a_struct() -> None:
    with imported(record(FIELDS)) as package:
        columns = columns_of(package)

        assert [*columns] == [
            "id", "title", "class", "_codec", "globals", "inner", "inners", "named", "next",
        ]  # fmt: skip
        assert [*columns][5].city == "inner.city"
        assert columns.inner.__columns__ == (
            "inner.city", "inner.count", "inner.count_", "inner.deep",
        )  # fmt: skip
        assert columns.inners.__columns__[0] == "inners.city"
        assert columns.inner.deep.__columns__ == ("inner.deep.x",)
        assert columns.id.__columns__ == ()
        assert list(columns.id) == ["i", "d"]


def test_the_package_has_its_columns_without_another_import() -> None:
    with imported(record(FIELDS)) as package:
        assert next(iter(package.columns)) == package.columns.id == "id"
        assert package.columns is columns_of(package)
        assert package.row_types.RRow.__name__ == "RRow"
        assert not hasattr(package, "nothing")
        with pytest.raises(
            AttributeError, match=f"module '{package.__name__}' has no attribute 'x'"
        ):
            _ = package.x


def test_a_package_is_imported_without_its_columns() -> None:
    with imported(record(FIELDS)) as package:
        assert f"{package.__name__}.columns" not in sys.modules


def test_every_method_of_text_is_reserved() -> None:
    assert {name for name in dir(str) if not name.startswith("_")} <= {*METHODS_OF_TEXT, "replace"}
    with imported(record({"inner": {"type": record({"replace": "int"}, "Inner")}})) as package:
        assert columns_of(package).inner.replace_ == "inner.replace"


@pytest.mark.parametrize("name", ["nothing", "inner.city", "__path__", "ID"])
def test_what_is_no_column_is_no_attribute(name: str) -> None:
    with imported(record(FIELDS)) as package:
        columns = columns_of(package)

        assert not hasattr(columns, name)
        assert not hasattr(columns.inner, name)
        assert not hasattr(columns.named, "city")
        assert not hasattr(columns.id, "city")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a_b1", "a_b1"), ("a.b", "`a.b`"), ("a`b", "`a``b`"), ("größe", "`größe`"), ("1a", "`1a`")],
)
def test_names_that_spark_would_split_are_within_backticks(name: str, expected: str) -> None:
    assert quoted(name) == expected


def test_columns_copy_and_pickle_as_text() -> None:
    with imported(record(FIELDS)) as package:
        column = columns_of(package).inner

        assert pickle.loads(pickle.dumps(column)) == "inner"
        assert type(copy.deepcopy(column)) is str
