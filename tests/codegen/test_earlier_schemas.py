"""A package reads messages of earlier versions without a registry."""

from __future__ import annotations

import datetime as dt
import importlib
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from codegen.earlier_schemas import MAX_BYTES, earlier_schemas
from codegen.errors import NotOurWheel
from codegen.package import EarlierSchema, PackageRequest, Provenance, Wheel
from codegen.rebuilding import request_again
from codegen.wheel import build_wheel, content_hash, read_wheel
from lakeschema.avro.fingerprint import crc64_avro
from lakeschema.avro.printing import to_text
from lakeschema.catalog.identifiers import RelationName
from tests.codegen.generated import record, record_of
from tests.codegen.test_wheel import files_of
from tests.publisher.index.wheels import wheel_of

MILLIS = {"type": "long", "logicalType": "timestamp-millis"}
MICROS = {"type": "long", "logicalType": "timestamp-micros"}
FIVE_MILLIS = dt.datetime(1970, 1, 1, microsecond=5000, tzinfo=dt.UTC)
OLD_LINE = record({"sku": "string"}, "Line")
LINE = record({"sku": "string", "count": {"type": {"type": "int"}, "default": 1}}, "Line")
VERSIONS: Mapping[str, Any] = {
    "1.0.0": record({"id": "int", "line": OLD_LINE, "gone": "string"}),
    "1.1.0": record({"id": "int", "line": LINE, "gone": "string"}),
    "2.0.0": record({"id": "long", "line": LINE}),
}


def wheels(versions: Mapping[str, Any], **options: Any) -> dict[str, Wheel]:
    """Of each version of these schemas, as it comes after the others."""
    built: dict[str, Wheel] = {}
    before: list[tuple[str, str, Any]] = []
    for number, document in versions.items():
        schema = record_of(document)
        request = PackageRequest(
            RelationName.of("shop", "orders"),
            "acme-schema",
            number,
            schema,
            Provenance(),
            earlier_schemas=earlier_schemas(before, schema),
            **options,
        )
        built[number] = build_wheel(request)
        before.insert(0, (number, to_text(schema), schema))
    return built


@contextmanager
def imported(wheel: Wheel, folder: Path) -> Iterator[Any]:
    path = folder / f"{wheel.filename}.zip"
    path.write_bytes(wheel.data)
    sys.path.insert(0, str(path))
    importlib.invalidate_caches()
    try:
        yield importlib.import_module("acme_schemas.shop.orders")
    finally:
        sys.path.remove(str(path))
        for name in [n for n in sys.modules if n.partition(".")[0] == "acme_schemas"]:
            del sys.modules[name]


def message(wheel: Wheel, folder: Path, class_: str = "R", **plain: Any) -> bytes:
    with imported(wheel, folder) as package:
        data: bytes = getattr(package, class_).from_dict(plain).to_single_object()
        return data


@pytest.mark.parametrize("immutable", [False, True])
@pytest.mark.parametrize("reader", ["1.1.0", "2.0.0"])
def test_a_message_of_the_first_version_is_read(
    reader: str, tmp_path: Path, *, immutable: bool
) -> None:
    built = wheels(VERSIONS, immutable=immutable)
    data = message(built["1.0.0"], tmp_path, id=7, line={"sku": "s"}, gone="x")

    with imported(built[reader], tmp_path) as package:
        found = package.RECORD.from_single_object(data)
        again = package.RECORD.from_single_object(data, {package.CRC_64_AVRO: package.SCHEMA})

        assert (found.id, found.line.sku, found.line.count) == (7, "s", 1)
        assert again == found


@pytest.mark.parametrize("reader", ["1.1.0", "2.0.0"])
def test_a_message_of_a_class_within_is_read(reader: str, tmp_path: Path) -> None:
    built = wheels(VERSIONS)
    data = message(built["1.0.0"], tmp_path, "Line", sku="s")

    with imported(built[reader], tmp_path) as package:
        assert package.Line.from_single_object(data) == package.Line(sku="s", count=1)


def test_what_no_version_wrote_is_unknown(tmp_path: Path) -> None:
    with (
        imported(wheels(VERSIONS)["2.0.0"], tmp_path) as package,
        pytest.raises(package.UnknownSchema, match="0x00000000000000AB: schema not found"),
    ):
        package.RECORD.from_single_object(b"\xc3\x01\xab" + bytes(8))


def test_a_schema_that_is_passed_counts_before_the_packages_own(tmp_path: Path) -> None:
    built = wheels({"1.0.0": record({"at": MILLIS}), "2.0.0": record({"at": MICROS})})
    data = message(built["1.0.0"], tmp_path, at=FIVE_MILLIS)

    with imported(built["2.0.0"], tmp_path) as package:
        written = {package.CRC_64_AVRO: to_text(record_of(record({"at": MILLIS})))}

        assert package.RECORD.from_single_object(data, written).at.microsecond == 5000
        # The fingerprint is the package's own, and so is the unit: what it wrote it reads.
        assert package.RECORD.from_single_object(data).at.microsecond == 5


def test_an_earlier_unit_is_converted(tmp_path: Path) -> None:
    later = record({"at": MICROS, "more": {"type": {"type": "int"}, "default": 0}})
    built = wheels({"1.0.0": record({"at": MILLIS}), "2.0.0": later})
    data = message(built["1.0.0"], tmp_path, at=FIVE_MILLIS)

    with imported(built["2.0.0"], tmp_path) as package:
        assert package.RECORD.from_single_object(data).at.microsecond == 5000


@pytest.mark.parametrize("class_", ["R", "Line"])
def test_two_units_of_one_fingerprint_are_not_guessed(class_: str, tmp_path: Path) -> None:
    schemas = {
        "1.0.0": record({"line": record({"at": MILLIS}, "Line")}),
        "2.0.0": record({"line": record({"at": MICROS}, "Line")}),
        "2.1.0": record({
            "line": record({"at": MICROS, "n": {"type": {"type": "int"}, "default": 0}}, "Line")
        }),
    }  # fmt: skip
    built = wheels(schemas)
    plain = {"line": {"at": FIVE_MILLIS}} if class_ == "R" else {"at": FIVE_MILLIS}
    data = message(built["1.0.0"], tmp_path, class_, **plain)

    with (
        imported(built["2.1.0"], tmp_path) as package,
        pytest.raises(package.UnknownSchema, match=r"versions 2\.0\.0, 1\.0\.0 differ in"),
    ):
        getattr(package, class_).from_single_object(data)


def test_a_package_that_was_bundled_without_its_files_says_unknown(tmp_path: Path) -> None:
    built = wheels(VERSIONS)
    data = message(built["1.0.0"], tmp_path, id=7, line={"sku": "s"}, gone="x")
    members = files_of(built["2.0.0"].data)
    kept = {p: d.decode() for p, d in members.items() if not p.endswith(".json")}
    folders = {f"{'/'.join(path)}/": "" for path in (["acme_schemas"], ["acme_schemas", "shop"])}
    bundled = wheel_of("acme-schema-shop-orders", "2.0.0", {**folders, **kept})

    with (
        imported(bundled, tmp_path) as package,
        pytest.raises(package.UnknownSchema, match="schema not found"),
    ):
        package.RECORD.from_single_object(data)


def test_schemas_that_read_alike_are_listed_once() -> None:
    documented = record({"a": "int"}) | {"doc": "Told later."}
    schemas = [
        ("1.2.0", record({"b": "int"})),
        ("1.1.0", documented),
        ("1.0.0", record({"a": "int"})),
    ]
    published = [(n, to_text(record_of(d)), record_of(d)) for n, d in schemas]

    listed = earlier_schemas(published, record_of(record({"b": "int"})))

    number = crc64_avro(record_of(documented))
    assert listed == (EarlierSchema(("1.1.0", "1.0.0"), number, to_text(record_of(documented))),)


def test_the_oldest_are_left_out_beyond_the_bound() -> None:
    documents = [
        record({f"c{n}": "int"}) | {"doc": "x" * (MAX_BYTES // 3)} for n in range(5, 0, -1)
    ]
    published = [
        (f"1.{len(documents) - n}.0", to_text(record_of(d)), record_of(d))
        for n, d in enumerate(documents)
    ]

    listed = earlier_schemas(published, record_of(record({"own": "int"})))

    assert [each.versions for each in listed] == [("1.5.0",), ("1.4.0",)]


def test_the_first_version_has_no_file_and_states_nothing() -> None:
    (first, *_), files = wheels(VERSIONS).values(), files_of(wheels(VERSIONS)["1.0.0"].data)

    assert not [path for path in files if path.endswith("earlier_schemas.json")]
    assert "earlier_schemas" not in json.loads(first.provenance)


def test_a_wheel_is_read_and_built_again_with_what_it_lists() -> None:
    built = wheels(VERSIONS)
    schema = record_of(VERSIONS["2.0.0"])
    texts = {number: to_text(record_of(document)) for number, document in VERSIONS.items()}
    like = PackageRequest(
        RelationName.of("shop", "orders"), "acme-schema", "0", schema, Provenance()
    )

    again = request_again(built["2.0.0"].provenance, like, texts)

    listed = read_wheel(built["2.0.0"].data).earlier_schemas
    assert [(each.versions, each.text) for each in listed] == [
        (("1.1.0",), texts["1.1.0"]),
        (("1.0.0",), texts["1.0.0"]),
    ]
    assert build_wheel(again).data == built["2.0.0"].data
    assert content_hash(again) == content_hash(like)
    with pytest.raises(NotOurWheel):
        request_again(built["2.0.0"].provenance, like, {})


@pytest.mark.parametrize(
    "file", ["{", "{}", "[1]", '[{"versions": [1], "crc-64-avro": "0", "schema": ""}]', "[" * 9999]
)
def test_a_wheel_with_another_file_of_that_name_is_not_ours(file: str) -> None:
    members = {p: d.decode() for p, d in files_of(wheels(VERSIONS)["2.0.0"].data).items()}
    (path,) = [path for path in members if path.endswith("earlier_schemas.json")]

    with pytest.raises(NotOurWheel):
        read_wheel(wheel_of("acme-schema-shop-orders", "2.0.0", members | {path: file}).data)
