"""A program written for a package's 1.0 runs unchanged with every later 1.x.

The test writes the programs. They build a record from everything in 1.0, by keyword, class and member,
and read every attribute back.
"""

from __future__ import annotations

import datetime as dt
import decimal
import json
import math
import uuid
from collections.abc import Iterator
from enum import Enum
from random import Random
from types import ModuleType
from typing import Any

import pytest

from lakeschema.avro.parsing import parse_schema
from publisher.publishing.versioning import Published, next_version
from tests.codegen.evolutions import Version, family
from tests.codegen.generated import imported
from tests.codegen.random_bytes import random_bytes

NAMES = {"datetime": dt, "Decimal": decimal.Decimal, "UUID": uuid.UUID}
NUMBERS = {"nan": math.nan, "inf": math.inf}
LINES = 240


def written(value: Any, package: ModuleType) -> str:
    """An expression for the value, in terms of the package's own names."""
    kind = type(value)
    if isinstance(value, Enum):
        return f"{kind.__name__}.{value.name}"
    if isinstance(value, bytes) and kind is not bytes:
        return f"{kind.__name__}({bytes(value)!r})"
    if isinstance(value, list):
        return f"[{', '.join(written(item, package) for item in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{k!r}: {written(v, package)}' for k, v in value.items())}}}"
    if getattr(package, kind.__name__, None) is kind and hasattr(kind, "from_avro"):
        parts = (f"{name}={written(getattr(value, name), package)}" for name in kind.__slots__)
        return f"{kind.__name__}({', '.join(parts)})"
    return repr(value)


def reads(value: Any, package: ModuleType, path: str = "value") -> Iterator[tuple[str, str]]:
    """Each place in the value that a program reads, and what it finds there."""
    kind = type(value)
    if isinstance(value, list):
        for place, item in enumerate(value):
            yield from reads(item, package, f"{path}[{place}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from reads(item, package, f"{path}[{key!r}]")
    elif getattr(package, kind.__name__, None) is kind and hasattr(kind, "from_avro"):
        for name in kind.__slots__:
            yield from reads(getattr(value, name), package, f"{path}.{name}")
    else:
        yield path, written(value, package)


def majors(line: list[Version]) -> Iterator[list[Version]]:
    """The versions of each major number, in the publisher's own counting."""
    history: list[Published] = []
    found: dict[str, list[Version]] = {}
    for version in line:
        schema = parse_schema(version.text)
        number, _ = next_version(history, schema, mode="semantic")
        history.append(Published(number, schema))
        found.setdefault(number.partition(".")[0], []).append(version)
    yield from (versions for versions in found.values() if len(versions) > 1)


@pytest.mark.slow
def test_a_program_runs_unchanged_within_its_major() -> None:
    random = Random(20)
    ran = 0
    for _ in range(LINES):
        line = [v for v in family(random, 8) if len(v.ancestry) == v.ancestry[-1] + 1]
        for first, *later in majors(line):
            with imported(json.loads(first.text)) as package:
                value = package.RECORD.from_avro(random_bytes(random, first.graph))
                program = f"value = {written(value, package)}"
                expected = dict(reads(value, package))
            for version in later:
                with imported(json.loads(version.text)) as package:
                    names: dict[str, Any] = {**NAMES, **NUMBERS, **vars(package)}
                    exec(program, names)
                    found = {path: written(eval(path, names), package) for path in expected}
                    assert found == expected, (first.text, version.text, program)
                    ran += 1
    assert ran > 100
