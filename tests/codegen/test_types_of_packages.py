"""Type checkers find no fault in generated packages."""

from __future__ import annotations

import ast
import contextlib
import sys
from pathlib import Path
from typing import Any

import pytest
from mypy import api

from codegen.modules import render_modules
from codegen.runtime_packing.groups import GROUPS
from codegen.runtime_packing.joining import join_modules
from codegen.runtime_packing.sources import runtime_sources
from codegen.standalone import generate
from lakeschema.catalog.identifiers import RelationName
from tests.codegen.generated import LEAVES, pairs, record, record_of
from tests.codegen.own_names import named_as_the_package_is
from tests.codegen.test_classes import NAMES, builtin_names

USER = """
import datetime
from every import ABSENT, R, Tree, State, diff, write_file, read_file, from_rows, spark_schema, RECORD
from every import from_dict, read_jsonl, to_dict, write_jsonl

def use(tree: Tree) -> list[R]:
    found = [r for r in read_file("x") if r.state is State.class_]
    moment: datetime.datetime = found[0].f13
    write_file("y", found)
    if tree.next is not None:
        use(tree.next)
    data: bytes = tree.to_avro() + tree.to_single_object() + tree.to_confluent(7)
    tree = Tree.from_single_object(data, {1: "text"})
    tree = Tree.from_single_object(data, {1: "text"}.get)
    tree = Tree.from_confluent(data, {7: "text"}.__getitem__)
    text: str = tree.to_json("avro", indent=2) + str(tree.to_dict(mode="json")["v"])
    tree = Tree.from_json(text.encode(), form="avro", unknown="ignore")
    tree = Tree.from_dict(tree.to_dict("json"), mode="json")
    write_jsonl("z", read_jsonl("z", form="avro"), form="plain")
    whole: R = from_dict(to_dict(found[0], None), object())
    found += [*read_file("x", max_block_bytes=1_000), whole]
    same: Tree = Tree.from_avro(data).replace(v=2, next=None)
    for path, left, right in diff(same, tree):
        print(path.upper(), left is ABSENT, right)
    return found + [RECORD.from_dict({})]
"""

USER_OF_COLUMNS = """
import p_schemas.d.t
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from uuid import UUID
from p_schemas.d.t import R, State, Tree, columns, rows
from p_schemas.d.t.row_types import RRow, TreeRow
from p_schemas.d.t import (
    RECORD, arrow_schema, create_dataframe, dataset, from_arrow, from_rows, spark_schema, to_arrow,
    to_rows,
)

def read(row: RRow) -> R:
    moment: datetime = row.f13
    number: Decimal | None = row.n16
    key: UUID = row.f15
    texts: Sequence[str] = row.a7
    tree: TreeRow | None = row.tree.next
    whole: Tree = row.tree.to_record()
    print(row.state is State.class_, row == whole, moment, number, key, texts, tree)
    return row.to_record()

def names() -> list[str]:
    every: list[str] = [*columns, *columns.tree.__columns__, *p_schemas.d.t.columns]
    return [columns.f1, columns.tree, columns.tree.next.v, columns.a1.upper(), *every]

def use(records: list[RECORD]) -> Iterator[RECORD]:
    for row in rows(to_arrow(records)):
        yield read(row)
    yield from map(read, rows(to_rows(records)))
    print(arrow_schema(), spark_schema(), dataset, create_dataframe)
    yield from from_rows(to_rows(records))
    yield from from_arrow(to_arrow(iter(records), batch_size=10))
"""

WRONG_OF_COLUMNS = """
from p_schemas.d.t import columns, rows
columns.dropped
columns.tree.dropped
columns.f1 = "f2"
next(rows([])).dropped
next(rows([])).f1 = True
from p_schemas.d.t import from_rows, to_arrow, to_rows
to_rows([1])
to_arrow([], batch_size="1")
number: int = next(from_rows([]))
"""

WRONG = """
from every import Duration, R, Tree
Tree(v="x")
Tree(1)
Tree(v=1).nothing
R.from_avro("x")
Tree(v=1).replace(v="x")
Tree(v=1).replace(w=1)
Tree(v=1).to_json("xml")
Duration(days=1).days = 2
"""


def every() -> dict[str, Any]:
    """A schema with a field of each kind, lone and within unions, arrays and maps."""
    tree = record({"v": "int", "next": {"type": ["null", "Tree"], "default": None}}, "Tree")
    return record({
        **{f"f{i}": leaf for i, (leaf, _) in enumerate(LEAVES) if isinstance(leaf, str)},
        **{f"f{i}": {"type": leaf} for i, (leaf, _) in enumerate(LEAVES)
           if isinstance(leaf, dict)},
        **{f"n{i}": {"type": ["null", leaf], "default": None} for i, (leaf, _) in enumerate(LEAVES)
           if leaf != "null"},
        **{f"a{i}": {"type": {"type": "array", "items": leaf}, "default": []}
           for i, (leaf, _) in enumerate(LEAVES)},
        "state": {"type": {"type": "enum", "name": "State", "symbols": NAMES}},
        "fixed": {"type": {"type": "fixed", "name": "Four", "size": 4}},
        "money": {"type": {"type": "fixed", "name": "Money", "size": 8, "logicalType": "decimal",
                           "precision": 10, "scale": 2}},
        "span": {"type": {"type": "fixed", "name": "Span", "size": 12,
                          "logicalType": "duration"}},
        "tree": {"type": tree},
        "deep": {"type": {"type": "map", "values": {"type": "array", "items": {
            "type": "map", "values": {"type": "array", "items": {
                "type": "map", "values": ["null", "Tree", "string", "Four"]}}}}}},
        **{f"m{i}": {"type": pairs(f"Of{i}", leaf, {"type": "array", "items": leaf})}
           for i, (leaf, _) in enumerate(LEAVES) if leaf != "null"},
        "lookup": {"type": pairs("Lookup", "State", pairs("Inner", "Four", ["null", "Tree"]))},
        "places": {"type": pairs("Place", "Tree", "int")},
        "any": {"type": {"type": "array", "items": [
            "null", "boolean", "int", "long", "float", "double", "bytes", "string", "Tree",
            "State", "Four", {"type": "array", "items": "Tree"}, {"type": "map", "values": "int"},
        ]}},
    })  # fmt: skip


CHANGING = """
from every import Duration, R, Tree
tree = Tree(v=1)
tree.v = 2
tree.w = 2
R.from_dict({}).a1.append(True)
R.from_dict({}).deep["k"] = ()
Duration(days=1).days = 2
Duration(days=1).years = 2
"""


@pytest.mark.slow
def test_immutable_packages_are_strictly_typed(tmp_path: Path) -> None:
    generate(record_of(every()), "every", tmp_path, immutable=True)
    generate(record_of(builtin_names()), "builtin_names", tmp_path, immutable=True)
    fields = record({name: {"type": ["null", "string"], "default": None} for name in NAMES})
    generate(record_of(fields), "field_names", tmp_path, immutable=True)
    own_names = named_as_the_package_is(every(), immutable=True)
    generate(record_of(own_names), "own_names", tmp_path, immutable=True)
    generate(record_of(record({})), "empty", tmp_path, immutable=True)
    (tmp_path / "user.py").write_text(USER)
    (tmp_path / "changing.py").write_text(CHANGING)

    out, err, _ = strict_mypy(tmp_path, "-p", "every", "-p", "builtin_names", "-p", "field_names",
                        "-p", "own_names", "-p", "empty", "-m", "user")  # fmt: skip
    assert (out, err) == ("", "")

    out, _, _ = strict_mypy(tmp_path, "-m", "changing")
    assert out.count("error:") == 6


@pytest.mark.slow
def test_generated_packages_are_strictly_typed(tmp_path: Path) -> None:
    generate(record_of(every()), "every", tmp_path)
    generate(record_of(builtin_names()), "builtin_names", tmp_path)
    fields = record({name: {"type": ["null", "string"], "default": None} for name in NAMES})
    generate(record_of(fields), "field_names", tmp_path)
    own_names = named_as_the_package_is(every(), immutable=False)
    generate(record_of(own_names), "own_names", tmp_path)
    generate(record_of(record({})), "empty", tmp_path)
    relation = RelationName.of("d", "t")
    for path, data in render_modules(record_of(fields), "p_schemas.d.t", relation).items():
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    (tmp_path / "user.py").write_text(USER)
    (tmp_path / "wrong.py").write_text(WRONG)

    out, err, _ = strict_mypy(tmp_path, "-p", "every", "-p", "builtin_names", "-p", "field_names",
                        "-p", "own_names", "-p", "empty", "-p", "p_schemas.d.t", "-m", "user")  # fmt: skip
    assert (out, err) == ("", "")

    out, _, _ = strict_mypy(tmp_path, "-m", "wrong")
    assert out.count("error:") == 8 + out.count("[var-annotated]")


@pytest.mark.slow
@pytest.mark.parametrize("flags", [(), ("--no-site-packages",)], ids=["with", "without"])
def test_functions_of_columns_are_typed_with_and_without_their_libraries(
    tmp_path: Path, flags: tuple[str, ...]
) -> None:
    relation = RelationName.of("d", "t")
    for path, data in render_modules(record_of(every()), "p_schemas.d.t", relation).items():
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    (tmp_path / "user.py").write_text(USER_OF_COLUMNS)
    (tmp_path / "wrong.py").write_text(WRONG_OF_COLUMNS)

    out, err, _ = strict_mypy(tmp_path, *flags, "-p", "p_schemas.d.t", "-m", "user")
    assert (out, err) == ("", "")

    out, _, _ = strict_mypy(tmp_path, *flags, "-m", "wrong")
    assert out.count("error:") == 8, out


@pytest.mark.slow
@pytest.mark.parametrize("immutable", [False, True], ids=["mutable", "immutable"])
def test_generated_code_calls_the_runtime_as_its_types_say(
    tmp_path: Path, *, immutable: bool
) -> None:
    """Packages contain the runtime without annotations, where a wrong call is no error."""
    generate(record_of(every()), "every", tmp_path, immutable=immutable)
    for group, joined in join_modules(runtime_sources(), typed=GROUPS.keys()).items():
        text = "# mypy: ignore-errors\n" + ast.unparse(joined.tree())
        (tmp_path / "every" / "_avro" / f"{group}.py").write_text(text, "utf-8")
    codec = tmp_path / "every" / "_codec.py"
    text = codec.read_text().replace("# mypy: allow-untyped-calls\n", "")
    codec.write_text(text)

    out, err, _ = strict_mypy(tmp_path, "-p", "every")
    assert (out, err) == ("", "")

    codec.write_text(text.replace("put_long(out, ", "put_long("))
    out, _, _ = strict_mypy(tmp_path, "-p", "every")
    assert '"put_long"' in out


def strict_mypy(folder: Path, *arguments: str) -> tuple[str, str, int]:
    with contextlib.chdir(folder):
        return api.run([
            "--strict", "--no-error-summary", "--config-file=", "--namespace-packages",
            "--explicit-package-bases", f"--cache-dir={folder.parent / 'mypy'}",
            f"--python-executable={sys.executable}", *arguments,
        ])  # fmt: skip
