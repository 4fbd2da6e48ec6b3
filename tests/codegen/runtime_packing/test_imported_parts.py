"""The files of the runtime that a program imports, by its use of a package."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.codegen.generated import imported, record

SCHEMA = record({"a": "long", "b": ["null", "string"], "c": {"type": "array", "items": "int"}})


def _code(package: Any) -> None:
    data = package.RECORD(a=1, b="x", c=[1]).to_avro()
    package.RECORD.from_avro(data).validate()


def _read_a_file(package: Any) -> None:
    file = io.BytesIO()
    package.write_file(file, [package.RECORD(a=1, b=None, c=[])])
    file.seek(0)
    list(package.read_file(file))


def _find_what_is_wrong(package: Any) -> None:
    with pytest.raises(package.InvalidAvro):
        package.RECORD.from_avro(b"")


def _exchange_json(package: Any) -> None:
    package.RECORD.from_json(package.RECORD(a=1, b="x", c=[1]).to_json())


def _exchange_plain_values(package: Any) -> None:
    package.RECORD.from_dict(package.RECORD(a=1, b="x", c=[1]).to_dict())


@pytest.mark.parametrize(
    ("use", "parts"),
    [
        (lambda _: None, set()),
        (_code, {"core"}),
        (_exchange_plain_values, {"core", "plain"}),
        (_exchange_json, {"core", "plain", "json_text"}),
        (_find_what_is_wrong, {"core", "plain", "files"}),
        (_read_a_file, {"core", "plain", "files"}),
    ],
)
def test_a_program_imports_what_it_uses(use: Callable[[Any], None], parts: set[str]) -> None:
    with imported(SCHEMA) as package:
        use(package)

        begin = f"{package.__name__}._avro."
        found = {name.removeprefix(begin) for name in sys.modules if name.startswith(begin)}

    assert found - {"number_lists"} == parts
