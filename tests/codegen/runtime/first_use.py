"""Processes that use a package for the first time, from one thread and from many at once.

Arguments: a folder of packages, a package, a use of it, numbers of threads. It prints a JSON array: for
each number, the set of its threads' results.
"""

from __future__ import annotations

import copy
import dataclasses
import importlib
import io
import json
import os
import pickle
import sys
import threading
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final


@dataclasses.dataclass(frozen=True, slots=True)
class Given:
    """A package with what one thread of another process wrote of it.

    ``texts`` are JSON by form; ``other_schema`` is one that needs resolution.
    """

    package: Any
    data: bytes
    texts: Mapping[str, str]
    lines: bytes
    file: bytes
    plain: bytes
    other_schema: str
    columns: bytes

    @property
    def type(self) -> Any:
        return self.package.RECORD

    @property
    def record(self) -> Any:
        return self.type.from_avro(self.data)


def _arrow(given: Given) -> Any:
    import pyarrow as pa

    return pa.ipc.open_stream(given.columns).read_all()


def _lines(given: Given) -> bytes:
    out = io.BytesIO()
    given.package.write_jsonl(out, [given.record] * 2)
    return out.getvalue()


def _pydantic(given: Given) -> Any:
    import pydantic

    return pydantic.TypeAdapter(given.type).validate_json(given.texts["plain"])


def _strategy(given: Given) -> Any:
    import hypothesis

    drawn: list[Any] = []

    @hypothesis.settings(derandomize=True, database=None, max_examples=1, deadline=None)
    @hypothesis.given(given.package.strategy(given.type))
    def draw(record: Any) -> None:
        drawn.append(record)

    draw()
    return [record.validate() is record for record in drawn]


def _columns(given: Given) -> Any:
    columns = importlib.import_module(f"{given.package.__name__}.columns")
    return [getattr(columns, name) for name in given.type.__slots__]


def _hash_or_refusal(given: Given) -> Any:
    try:
        return hash(given.record) == hash(given.record)
    except TypeError as error:
        return str(error)


WAYS: Final[Mapping[str, Callable[[Given], Any]]] = {
    "to_json": lambda given: given.record.to_json(),
    "to_json avro": lambda given: given.record.to_json("avro"),
    "from_json": lambda given: given.type.from_json(given.texts["plain"]),
    "from_json avro": lambda given: given.type.from_json(given.texts["avro"], "avro"),
    "from_json ignore": lambda given: given.type.from_json(given.texts["plain"], unknown="ignore"),
    "many to_json": lambda given: [given.record.to_json() for _ in range(20)],
    "many from_json": lambda given: [given.type.from_json(given.texts["plain"]) for _ in range(20)],
    "write_jsonl": _lines,
    "read_jsonl": lambda given: [*given.package.read_jsonl(io.BytesIO(given.lines))],
    "to_dict": lambda given: given.record.to_dict(),
    "to_dict json": lambda given: given.record.to_dict(mode="json"),
    "from_dict": lambda given: given.type.from_dict(pickle.loads(given.plain)),
    "from_dict json": lambda given: given.type.from_dict(
        json.loads(given.texts["plain"]), mode="json"
    ),
    "resolve_from": lambda given: given.type.from_avro(given.data, given.other_schema),
    "read_file": lambda given: [*given.package.read_file(io.BytesIO(given.file))],
    "example": lambda given: given.type.example(7),
    "strategy": _strategy,
    "to_arrow": lambda given: given.package.to_arrow([given.record]).read_all().to_pylist(),
    "from_arrow": lambda given: [*given.package.from_arrow(_arrow(given))],
    "rows": lambda given: [row.to_record() for row in given.package.rows(_arrow(given))],
    "single object": lambda given: given.type.from_single_object(given.record.to_single_object()),
    "confluent": lambda given: given.type.from_confluent(
        given.record.to_confluent(7), lambda _: given.other_schema
    ),
    "fields": lambda given: [field.name for field in dataclasses.fields(given.type)],
    "dataclasses.replace": lambda given: dataclasses.replace(given.record),
    "SCHEMA": lambda given: given.type.SCHEMA,
    "replace": lambda given: given.record.replace(),
    "pydantic": _pydantic,
    "columns": _columns,
    "pickle": lambda given: pickle.loads(pickle.dumps(given.record)),
    "copy": lambda given: copy.deepcopy(given.record),
    "diff": lambda given: given.package.diff(given.record, given.type.example(3)),
    "hash": _hash_or_refusal,
    "validate": lambda given: given.record.validate(),
}


def write_given(folder: Path, package: str) -> None:
    """Writes what ``Given`` needs of a package in ``folder``, from this one thread."""
    import pyarrow as pa

    module: Any = importlib.import_module(package)
    record = module.RECORD.example(1)
    lines, file = io.BytesIO(), io.BytesIO()
    module.write_jsonl(lines, [record] * 2)
    schema = {**json.loads(module.SCHEMA), "doc": "of another writer"}
    del schema["fields"][-1]
    importlib.import_module("fastavro").writer(file, schema, [_without_last(module, record)])
    columns = pa.BufferOutputStream()
    # Arrow has no type for a record that contains itself.
    if "recursive" not in package:
        table = module.to_arrow([record]).read_all()
        with pa.ipc.new_stream(columns, table.schema) as out:
            out.write_table(table)
    given = {
        "data": record.to_avro(),
        "texts": {form: record.to_json(form) for form in ("plain", "avro")},
        "lines": lines.getvalue(),
        "file": file.getvalue(),
        "plain": pickle.dumps(record.to_dict()),
        "other_schema": json.dumps({**json.loads(module.SCHEMA), "doc": "of another writer"}),
        "columns": columns.getvalue().to_pybytes(),
    }
    (folder / f"{package}.given").write_bytes(pickle.dumps(given))


def _without_last(module: Any, record: Any) -> Any:
    plain = record.to_dict()
    return dict([*plain.items()][:-1])


def found_by(threads: int, given: Given, way: str) -> list[str]:
    """What each thread finds, once each."""
    sys.setswitchinterval(1e-6)
    together = threading.Barrier(threads)
    found: list[str] = []

    def use() -> None:
        together.wait()
        try:
            found.append(repr(WAYS[way](given)))
        except Exception as error:  # noqa: BLE001 - the comparison shows it
            found.append(f"{type(error).__name__}: {error}")

    started = [threading.Thread(target=use) for _ in range(threads)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    return sorted(set(found))


def in_fork(work: Callable[[], list[str]]) -> list[str]:
    """What the work returns in a process that has imported the package and not used it."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        with os.fdopen(writing, "w") as out:
            json.dump(work(), out)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        found: list[str] = json.load(answer)
    os.waitpid(child, 0)
    return found


def main() -> None:
    folder, package, way, *counts = sys.argv[1:]
    sys.path.insert(0, folder)
    if way == "write":
        write_given(Path(folder), package)
        return
    given = Given(
        importlib.import_module(package),
        **pickle.loads(Path(folder, f"{package}.given").read_bytes()),
    )
    print(json.dumps([in_fork(partial(found_by, int(count), given, way)) for count in counts]))


if __name__ == "__main__":
    main()
