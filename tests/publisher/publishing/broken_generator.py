"""Generators that are wrong on purpose; each replaces the one that renders wheels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

import pytest

from codegen import modules, wheel
from lakeschema.avro.model import LONG, NULL, STRING, Field, Record, Union

Breaking: TypeAlias = Callable[[str], str]

# Neighbours of one type, and defaults: what the generators below get wrong.
SCHEMA = Record(
    "Company",
    "example.company",
    (
        Field("first", LONG),
        Field("second", LONG),
        Field("third", LONG, default=7),
        Field("name", Union((NULL, STRING)), default=None),
    ),
)


def _exchange(source: str, one: str, other: str) -> str:
    return source.replace(one, "\0").replace(other, one).replace("\0", other)


def _read_and_write_in_another_order(codec: str) -> str:
    swapped = _exchange(codec, "value.first", "value.second")
    return _exchange(swapped, "record.first", "record.second")


# By what is wrong: the module, what becomes of its source, and what the second opinion says.
BREAKS: Mapping[str, tuple[str, Breaking, str]] = MappingProxyType(
    {
        "syntax error": (
            "_types.py",
            lambda source: source + "\ndef (",
            "a module does not compile: SyntaxError",
        ),
        "unknown name": (
            "__init__.py",
            lambda source: source + "\nundefined",
            "the package cannot be imported or used: NameError",
        ),
        "order of fields in the codec": (
            "_codec.py",
            _read_and_write_in_another_order,
            "a value is not the one that fastavro reads",
        ),
        "order of fields in the encoder": (
            "_codec.py",
            lambda source: _exchange(source, "value.first", "value.second"),
            "a value that fastavro wrote is written differently",
        ),
        "branches of a union": (
            "_codec.py",
            lambda source: source.replace("append(2)", "append(4)"),
            "a value that fastavro wrote is written differently",
        ),
        "default": (
            "_types.py",
            lambda source: source.replace("third: int = 7", "third: int = 8"),
            "a default is not the schema's",
        ),
        "schema of the modules": (
            "_schema.py",
            lambda source: source.replace('"second"', '"2nd"'),
            "SCHEMA is not the text of the wheel",
        ),
        "schema of the wheel": (
            "schema.avsc",
            lambda source: source.replace('"second"', '"2nd"'),
            "schema.avsc is not the schema asked for",
        ),
    }
)


def break_generator(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    file, breaking, _ = BREAKS[what]

    def render(*arguments: object) -> Mapping[str, bytes]:
        rendered = dict(modules.render_layout(*arguments))  # type: ignore[arg-type]  # as it was called
        (path,) = [each for each in rendered if each.endswith(f"/{file}") and "_avro/" not in each]
        source = rendered[path].decode()
        broken = breaking(source)
        assert broken != source
        rendered[path] = broken.encode()
        return rendered

    monkeypatch.setattr(wheel, "render_layout", render)
