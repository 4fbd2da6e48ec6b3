"""Columns whose names Avro does not allow: data frames have the name, the schema a legal one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from tests.codegen.generated import imported
from tests.codegen.test_column_names import columns_of

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
NAMES = ["größe", "order date", "inner", "plain"]


@pytest.fixture(scope="module")
def package() -> Iterator[Any]:
    with imported(SIZED) as module:
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

    assert columns.gr_xC3_xB6_xC3_x9Fe == "`größe`"
    assert columns.inner._x31st == "inner.`1st`"
    assert columns.plain == "plain"
