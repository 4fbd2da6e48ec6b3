"""Container files, and reading data that other versions of a schema wrote."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import fastavro
import pytest

from tests.codegen.generated import imported, record


def address(**more: Any) -> dict[str, Any]:
    return record({"street": "string", **more}, "Address")


def company(**more: Any) -> dict[str, Any]:
    return record({"name": "string", "address": {"type": address(**more)}}, "Company")


OLD = company()
NEW = company(unit={"type": ["null", "string"], "default": None})


@pytest.mark.parametrize("codec", ["null", "deflate", "bzip2", "xz"])
def test_files_are_read_by_fastavro_and_read_its_own(codec: str) -> None:
    values = [{"name": f"n{i}", "address": {"street": "s" * i}} for i in range(900)]
    with imported(OLD) as package:
        ours = io.BytesIO()
        package.write_file(ours, map(package.RECORD.from_dict, values), codec=codec)
        ours.seek(0)
        assert list(fastavro.reader(ours)) == values

        theirs = io.BytesIO()
        fastavro.writer(theirs, fastavro.parse_schema(OLD), values, codec=codec)
        theirs.seek(0)
        assert [r.to_dict() for r in package.read_file(theirs)] == values


def test_pinned_package_reads_newer_file_and_upgraded_one_reads_older(tmp_path: Path) -> None:
    with imported(OLD) as pinned, imported(NEW) as upgraded:
        old, new = tmp_path / "old.avro", tmp_path / "new.avro"
        pinned.write_file(old, [pinned.RECORD(name="a", address=pinned.Address(street="s"))])
        upgraded.write_file(
            new, [upgraded.RECORD(name="a", address=upgraded.Address(street="s", unit="7"))]
        )

        (by_pinned,) = pinned.read_file(new)
        (by_upgraded,) = upgraded.read_file(old)

        assert by_pinned == pinned.RECORD(name="a", address=pinned.Address(street="s"))
        assert by_upgraded.address.unit is None
        (same,) = upgraded.read_file(new)
        assert same.address.unit == "7"


RESOLUTIONS: list[tuple[Any, Any, Any, Any]] = [
    ("int", "long", 5, 5),
    ("int", "double", 5, 5.0),
    ("long", "float", 5, 5.0),
    ("float", "double", 0.5, 0.5),
    ("string", "bytes", "é", "é".encode()),
    ("bytes", "string", b"x", "x"),
    ("int", ["null", "long"], 5, 5),
    (["null", "int"], "int", 5, 5),
    (["null", "int"], ["string", "double", "null"], 5, 5.0),
    ({"type": "array", "items": "int"}, {"type": "array", "items": "double"}, [1], [1.0]),
    ({"type": "map", "values": "int"}, {"type": "map", "values": "long"}, {"k": 1}, {"k": 1}),
]


@pytest.mark.parametrize(("writer", "reader", "written", "expected"), RESOLUTIONS)
def test_types_are_promoted(writer: Any, reader: Any, written: Any, expected: Any) -> None:
    written_with = record({"f": {"type": writer} if isinstance(writer, dict) else writer})
    data = _bytes(written_with, {"f": written})
    with imported(record({"f": reader})) as package:
        read = package.RECORD.from_avro(data, json.dumps(written_with)).f

        assert read == expected
        assert type(read) is type(expected)


def test_fields_are_matched_by_name_and_alias_whatever_their_order() -> None:
    writer = record({"a": "int", "gone": {"type": ["null", address()]}, "b": "string"})
    reader = record({"b": "string", "renamed": "int"})
    reader["fields"][1]["aliases"] = ["a"]
    data = _bytes(writer, {"a": 1, "gone": {"street": "x"}, "b": "y"})
    with imported(reader) as package:
        assert package.RECORD.from_avro(data, json.dumps(writer)) == package.RECORD(
            b="y", renamed=1
        )


def enum(*symbols: str, **more: Any) -> dict[str, Any]:
    return {"type": "enum", "name": "E", "symbols": list(symbols), **more}


def test_unknown_symbol_becomes_the_enum_default_or_an_error() -> None:
    writer = record({"e": enum("A", "B")})
    data = _bytes(writer, {"e": "B"})
    with imported(record({"e": enum("C", "A", default="C")})) as package:
        assert package.RECORD.from_avro(data, json.dumps(writer)).e is package.E.C
    with imported(record({"e": enum("C", "A")})) as package:
        read = package.RECORD.resolve_from(json.dumps(writer))
        assert read(_bytes(writer, {"e": "A"})).e is package.E.A
        with pytest.raises(package.UnresolvableSchema, match="has no symbol B"):
            read(data)


@pytest.mark.parametrize(
    ("writer", "reader"),
    [
        ("string", "int"),
        ("long", "int"),
        ({"type": "fixed", "name": "F", "size": 1}, {"type": "fixed", "name": "F", "size": 2}),
        (
            {"type": "long", "logicalType": "timestamp-millis"},
            {"type": "long", "logicalType": "local-timestamp-millis"},
        ),
        (
            {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 1},
            {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2},
        ),
    ],
)
def test_types_that_do_not_resolve_are_refused_with_the_path(writer: Any, reader: Any) -> None:
    written_with = {"type": "record", "name": "R", "namespace": "n",
                    "fields": [{"name": "f", "type": writer}]}  # fmt: skip
    read_with = {"type": "record", "name": "R", "namespace": "n",
                 "fields": [{"name": "f", "type": reader}]}  # fmt: skip
    data = _bytes(written_with, {"f": _zero(writer)})
    with imported(read_with) as package:
        with pytest.raises(package.UnresolvableSchema) as refused:
            package.RECORD.from_avro(data, json.dumps(written_with))
        assert refused.value.path == "f"


def _zero(type_: Any) -> Any:
    if type_ == "string":
        return ""
    if type_ == "long":
        return 0
    return {"fixed": b"x", "long": 0, "bytes": b"\0"}[type_["type"]]


def test_missing_field_without_default_is_refused() -> None:
    writer = record({"a": "int"})
    with (
        imported(record({"a": "int", "b": "int"})) as package,
        pytest.raises(package.UnresolvableSchema, match="b: is missing"),
    ):
        package.RECORD.resolve_from(json.dumps(writer))


def named(kind: str, name: str, namespace: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "name": name, "namespace": namespace, **more}


@pytest.mark.parametrize(
    ("kind", "more", "data"),
    [("enum", {"symbols": ["A"]}, b"\0"), ("fixed", {"size": 1}, b"x")],
)
def test_enums_and_fixeds_match_whatever_their_namespace(
    kind: str, more: dict[str, Any], data: bytes
) -> None:
    writer = record({"f": {"type": named(kind, "T", "old", **more)}})
    with imported(record({"f": {"type": named(kind, "T", "new", **more)}})) as package:
        assert package.RECORD.from_avro(data, json.dumps(writer)).to_avro() == data


def test_branches_of_two_unions_of_one_structure_meet_in_their_order() -> None:
    writer = record({"f": ["null", named("fixed", "T", "old", size=1)]})
    with imported(record({"f": ["null", named("fixed", "T", "new", size=1)]})) as package:
        assert package.RECORD.from_avro(b"\2x", json.dumps(writer)).f == b"x"
    # Of another structure, they meet by full name.
    wider = record({"f": ["null", named("fixed", "T", "new", size=1), "int"]})
    with imported(wider) as package, pytest.raises(package.UnresolvableSchema, match="no branch"):
        package.RECORD.from_avro(b"\2x", json.dumps(writer))


def test_an_empty_array_of_what_does_not_resolve_is_read() -> None:
    writer = record({"f": {"type": {"type": "array", "items": "string"}}})
    with imported(record({"f": {"type": {"type": "array", "items": "int"}}})) as package:
        assert package.RECORD.from_avro(b"\0", json.dumps(writer)).f == []
        with pytest.raises(package.UnresolvableSchema, match="cannot read string as int"):
            package.RECORD.from_avro(b"\2\0\0", json.dumps(writer))


def test_a_fields_alias_holds_whatever_the_writer_calls_the_record() -> None:
    """Java would look at the alias only where the writer's record has the reader's name."""
    inner = {"type": "record", "name": "topLevelRecord.inner",
             "fields": [{"name": "zip", "type": "int"}]}  # fmt: skip
    writer = record({"orderid": "int", "inner": inner}, "topLevelRecord")
    reader = record({"orderId": {"type": ["null", "int"], "default": None, "aliases": ["orderid"]},
                     "inner": {"type": {"type": "record", "name": "Inner", "fields": [
                         {"name": "zipCode", "type": ["null", "int"], "default": None,
                          "aliases": ["zip"]}]}}})  # fmt: skip
    with imported(reader) as package:
        read = package.RECORD.from_avro(b"\2\4", json.dumps(writer))
        assert (read.orderId, read.inner.zipCode) == (1, 2)


def test_of_two_aliases_of_one_field_the_writers_first_counts() -> None:
    writer = record({"a": "int", "b": "int"}, "Before")
    reader = record({"c": "int"}, "After")
    reader["fields"][0]["aliases"] = ["b", "a"]
    with imported(reader) as package:
        assert package.RECORD.from_avro(b"\2\4", json.dumps(writer)).c == 1


def test_a_fields_alias_holds_within_its_own_record_only() -> None:
    writer = record({"a": "int", "b": {"type": named("record", "S", "n", fields=[
        {"name": "old", "type": "int"}])}}, "Before")  # fmt: skip
    reader = record({"new": "int", "b": {
        "type": named("record", "S", "n", fields=[{"name": "new", "type": "int"}])}})  # fmt: skip
    reader["fields"][0]["aliases"] = ["a", "old"]
    with (
        imported(reader) as package,
        pytest.raises(package.UnresolvableSchema, match=r"b: new: is"),
    ):
        package.RECORD.from_avro(b"\2\4", json.dumps(writer))


def test_an_alias_that_is_another_name_is_harmless_between_equal_schemas_only() -> None:
    reader = record({"a": "int", "b": "int"})
    reader["fields"][0]["aliases"] = ["b"]
    with imported(reader) as package:
        documented = json.dumps({**reader, "doc": "d"})
        assert package.RECORD.from_avro(b"\2\4", documented) == package.RECORD(a=1, b=2)
        labelled = json.dumps({**reader, "owner": "x"})
        with pytest.raises(package.UnresolvableSchema, match=r"two fields of .* one name"):
            package.RECORD.resolve_from(labelled)


def test_aliases_that_make_two_branches_one_are_refused() -> None:
    one, other = named("fixed", "A", "n", size=1), named("fixed", "B", "n", size=1)
    writer = record({"f": [one, other]})
    reader = record({"f": [{**one, "aliases": ["B"]}, other, "null"]})
    with (
        imported(reader) as package,
        pytest.raises(package.UnresolvableSchema, match=r"two branches of .* one name"),
    ):
        package.RECORD.resolve_from(json.dumps(writer))


def test_recursive_types_resolve() -> None:
    writer = record({"v": "int", "next": {"type": ["null", "R"]}, "old": "string"})
    reader = record({"next": {"type": ["null", "R"]}, "v": "long"})
    data = _bytes(writer, {"v": 1, "old": "", "next": {"v": 2, "old": "", "next": None}})
    with imported(reader) as package:
        read = package.RECORD.from_avro(data, json.dumps(writer))

        assert (read.v, read.next.v, read.next.next) == (1, 2, None)


@pytest.mark.parametrize("text", ["", "{", "[]x", '"unknown"', '{"type":"record"}', "[" * 100_000])
def test_writer_schema_that_is_none_is_an_error(text: str) -> None:
    with imported(record({"a": "int"})) as package, pytest.raises(package.AvroError):
        package.RECORD.from_avro(b"\0", text)


def test_damaged_files_are_errors() -> None:
    with imported(OLD) as package:
        good = io.BytesIO()
        values = [package.RECORD(name="a" * 50, address=package.Address(street="s"))] * 20
        package.write_file(good, values)
        data = good.getvalue()

        for end in range(0, len(data), 7):
            try:
                read = list(package.read_file(io.BytesIO(data[:end])))
            except package.AvroError:
                continue
            # A file may end after any block, and after its header.
            assert read in ([], values)
        for place in range(4, len(data), 5):
            damaged = bytearray(data)
            damaged[place] ^= 0x55
            try:
                list(package.read_file(io.BytesIO(bytes(damaged))))
            except package.AvroError:
                continue


def _bytes(schema: Any, value: Any) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), value)
    return out.getvalue()
