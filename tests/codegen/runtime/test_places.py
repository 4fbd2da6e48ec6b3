"""Writing and reading files: a failure leaves an existing file unchanged, and errors name the position."""

from __future__ import annotations

import datetime as dt
import io
import os
import stat
import threading
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.codegen.generated import imported, record

PRICE = {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}
LINE = {"type": "record", "name": "Line", "fields": [{"name": "price", "type": PRICE}]}
ORDER = record(
    {
        "id": "long",
        "lines": {"type": "array", "items": LINE},
        "keys": {"type": "map", "values": {"type": "string", "logicalType": "uuid"}},
    }
)


@pytest.fixture(scope="module")
def orders() -> Iterator[Any]:
    with imported(ORDER) as module:
        yield module


class Format:
    """One of the two formats of files."""

    def __init__(self, package: Any, form: str) -> None:
        self.read: Callable[..., Iterator[Any]] = getattr(package, f"read_{form}")
        self.write: Callable[..., None] = getattr(package, f"write_{form}")
        self.part = "line" if form == "jsonl" else "record"


@pytest.fixture(params=["file", "jsonl"])
def form(request: pytest.FixtureRequest, orders: Any) -> Format:
    return Format(orders, request.param)


def some(orders: Any, count: int = 3) -> list[Any]:
    return [orders.R(id=number, lines=[], keys={}) for number in range(count)]


def unwritable(orders: Any) -> Any:
    return orders.R(id=1, lines=[orders.Line.example(), orders.Line(price="x")], keys={})


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt, GeneratorExit])
def test_a_source_that_fails_leaves_the_file_that_stood_there(
    orders: Any, form: Format, tmp_path: Path, error: type[BaseException]
) -> None:
    def failing() -> Iterator[Any]:
        yield from some(orders, 20_000)
        raise error

    form.write(tmp_path / "orders", some(orders))

    with pytest.raises(error):
        form.write(tmp_path / "orders", failing())

    assert list(form.read(tmp_path / "orders")) == some(orders)
    assert list(tmp_path.iterdir()) == [tmp_path / "orders"]


def test_a_source_that_fails_leaves_no_new_file(orders: Any, form: Format, tmp_path: Path) -> None:
    with pytest.raises(orders.InvalidValue):
        form.write(tmp_path / "orders", [unwritable(orders)])

    assert list(tmp_path.iterdir()) == []


def test_an_invalid_record_is_named_by_its_number(
    orders: Any, form: Format, tmp_path: Path
) -> None:
    for target in (tmp_path / "orders", io.BytesIO()):
        with pytest.raises(orders.InvalidValue) as caught:
            form.write(target, [*some(orders, 15_000), unwritable(orders)])

        assert str(caught.value) == (
            f"{form.part} 15001: lines[1].price: expected Decimal, got 'x'"
        )


def test_a_file_is_rewritten_from_itself(orders: Any, form: Format, tmp_path: Path) -> None:
    path = tmp_path / "orders"
    form.write(path, some(orders, 20_000))

    form.write(path, (order.replace(id=order.id + 1) for order in form.read(path)))

    assert [order.id for order in form.read(path)] == list(range(1, 20_001))


def test_a_link_stays_one_and_permissions_stay(orders: Any, form: Format, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    path, link = tmp_path / "data" / "orders", tmp_path / "link"
    link.symlink_to(path)

    form.write(link, some(orders))
    path.chmod(0o640)
    form.write(link, some(orders, 2))

    assert link.is_symlink()
    assert len(list(form.read(path))) == 2
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_has_the_permissions_that_others_get(
    orders: Any, form: Format, tmp_path: Path
) -> None:
    (tmp_path / "ordinary").write_bytes(b"")

    form.write(tmp_path / "orders", some(orders))

    assert (tmp_path / "orders").stat().st_mode == (tmp_path / "ordinary").stat().st_mode


@pytest.mark.skipif(os.name == "nt", reason="has no named pipes in folders")
def test_a_pipe_is_written_straight(orders: Any, form: Format, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    found: list[Any] = []
    reader = threading.Thread(target=lambda: found.extend(form.read(tmp_path / "pipe")))
    reader.start()

    form.write(tmp_path / "pipe", some(orders))
    reader.join()

    assert found == some(orders)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_missing_folder_is_told_by_the_path_that_was_given(
    orders: Any, form: Format, tmp_path: Path
) -> None:
    path = tmp_path / "missing" / "orders"

    with pytest.raises(FileNotFoundError) as caught:
        form.write(path, some(orders))

    assert caught.value.filename == str(path)


def test_a_stream_of_text_is_refused(orders: Any, form: Format, tmp_path: Path) -> None:
    form.write(tmp_path / "orders", some(orders))

    with (tmp_path / "orders").open(encoding="utf-8") as text:
        for wrong in (
            lambda: form.write(io.StringIO(), some(orders)),
            lambda: list(form.read(text)),
        ):
            with pytest.raises(orders.AvroError, match="expected a binary file, got one of text"):
                wrong()


def test_what_is_no_path_is_refused_as_opening_it_is(form: Format, tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for path, reason in (("", "No such file"), (f"{tmp_path}/none/", "Not a"), (loop, "symbolic")):
        for way in (lambda p: form.write(p, []), lambda p: list(form.read(p))):
            with pytest.raises(OSError, match=reason):
                way(path)
    assert [each.name for each in tmp_path.iterdir()] == ["loop"]
    assert loop.is_symlink()


@pytest.mark.parametrize("place", [None, 5, b"data", ["path"]])
def test_what_is_neither_a_path_nor_a_file_is_refused(
    orders: Any, form: Format, place: Any
) -> None:
    for way in (lambda: form.write(place, []), lambda: list(form.read(place))):
        with pytest.raises(orders.AvroError, match="expected a path or a binary file"):
            way()


def test_a_stream_without_a_buffer_or_a_position_gets_all_bytes(orders: Any, form: Format) -> None:
    class Pipe:
        """Takes few bytes at a time, as pipes and sockets may."""

        def __init__(self) -> None:
            self.data = b""

        def write(self, data: Any, /) -> int:
            self.data += bytes(data[:7])
            return len(data[:7])

    pipe = Pipe()

    form.write(pipe, some(orders))

    assert list(form.read(io.BytesIO(pipe.data))) == some(orders)


def test_avro_is_not_appended_to_a_stream_that_has_a_file(orders: Any, tmp_path: Path) -> None:
    orders.write_file(tmp_path / "orders", some(orders))
    before = (tmp_path / "orders").read_bytes()

    with (
        (tmp_path / "orders").open("ab") as file,
        pytest.raises(orders.AvroError, match="expected a stream at its start"),
    ):
        orders.write_file(file, some(orders))

    assert (tmp_path / "orders").read_bytes() == before


def test_lines_are_appended_to_a_stream(orders: Any, tmp_path: Path) -> None:
    orders.write_jsonl(tmp_path / "orders", some(orders))

    with (tmp_path / "orders").open("ab") as file:
        orders.write_jsonl(file, some(orders))

    assert len(list(orders.read_jsonl(tmp_path / "orders"))) == 6


def test_a_folder_of_part_files_is_read(orders: Any, form: Format, tmp_path: Path) -> None:
    parts = ["b/000000_0", "a/country=DE/part-1", "a/country=AT/part-2.c000.avro", "_x=1/part"]
    for number, name in enumerate(parts):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        form.write(tmp_path / name, [orders.R(id=number, lines=[], keys={})])
    for name in ("_SUCCESS", ".part-1.crc", "_temporary/0/part-1", ".hive-staging/part-1"):
        (tmp_path / "a" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "a" / name).write_bytes(b"not a data file")
    (tmp_path / "b" / "000001_0").touch()

    found = [order.id for order in form.read(tmp_path)]

    assert found == [3, 2, 1, 0]


def test_columns_that_are_partitions_are_read_from_the_names_of_folders(tmp_path: Path) -> None:
    later = {
        "Year": ["null", "int"],
        "day": {"type": ["null", {"type": "int", "logicalType": "date"}], "default": None},
        "place": {"type": {"type": "string"}},
        "note": {"type": ["null", "string"], "default": None},
    }
    with (
        imported(record({"id": "long"})) as files,
        imported(record({"id": "long", **later})) as package,
    ):
        for number, name in enumerate(
            (
                "year=2024/day=2024-01-31/place=a%3Ab",
                "year=2025/day=__HIVE_DEFAULT_PARTITION__/place=c",
            )
        ):
            (tmp_path / "good" / name).mkdir(parents=True)
            files.write_file(tmp_path / "good" / name / "part-0", [files.R(id=number)])
        (tmp_path / "bad" / "year=x" / "place=c").mkdir(parents=True)
        files.write_file(tmp_path / "bad" / "year=x" / "place=c" / "part-0", [files.R(id=1)])

        found = list(package.read_file(tmp_path / "good"))

        assert found == [
            package.R(id=0, Year=2024, day=dt.date(2024, 1, 31), place="a:b"),
            package.R(id=1, Year=2025, day=None, place="c"),
        ]
        with pytest.raises(
            package.AvroError, match=r"part-0: Year: expected a partition of int, got 'x'"
        ):
            list(package.read_file(tmp_path / "bad"))


@pytest.mark.parametrize("immutable", [False, True])
def test_lines_of_json_have_the_partitions_of_their_folders(
    tmp_path: Path, immutable: bool
) -> None:
    schema = record({
        "id": "long", "Year": {"type": ["null", "int"], "default": None}, "class": {"type": {"type": "string"}, "default": "-"},
    })  # fmt: skip
    for number, name in enumerate(("year=2024/class=a%3Ab", "year=x", ".")):
        (tmp_path / str(number) / name).mkdir(parents=True)
        (tmp_path / str(number) / name / "part-0.json").write_text(f'{{"id":{number}}}\n')

    with imported(schema, immutable=immutable) as package:
        assert list(package.read_jsonl(tmp_path / "0")) == [
            package.R(id=0, Year=2024, class_="a:b")
        ]
        assert list(package.read_jsonl(tmp_path / "2")) == [package.R(id=2, Year=None, class_="-")]
        with pytest.raises(
            package.InvalidValue, match=r"part-0.json: Year: expected a partition of int, got 'x'$"
        ):
            list(package.read_jsonl(tmp_path / "1"))


def test_a_folder_without_files_has_no_records(form: Format, tmp_path: Path) -> None:
    assert list(form.read(tmp_path)) == []


def test_an_error_within_a_folder_names_the_file(orders: Any, form: Format, tmp_path: Path) -> None:
    form.write(tmp_path / "part-1", some(orders))
    (tmp_path / "part-2").write_bytes(b"neither format")

    with pytest.raises(orders.AvroError) as caught:
        list(form.read(tmp_path))

    assert str(caught.value).startswith(str(tmp_path / "part-2"))


def test_a_folder_that_links_to_itself_is_refused(
    orders: Any, form: Format, tmp_path: Path
) -> None:
    (tmp_path / "again").symlink_to(tmp_path)

    with pytest.raises(orders.AvroError, match="again is a link to a folder that contains it"):
        list(form.read(tmp_path))


def damaged(orders: Any, schema: str) -> bytes:
    """A file of two good records, and one with a decimal of too many digits."""
    file = io.BytesIO()
    line = orders.Line(price=Decimal("12.34"))
    bad = orders.R(id=1, lines=[line, line], keys={})
    orders.write_file(file, [*some(orders, 2), bad], codec="null")
    data = file.getvalue().replace(orders.SCHEMA.encode(), schema.encode())
    at = data.rindex(b"\x04\x04\xd2")
    return data[:at] + b"\x04\x7f\xff" + data[at + 3 :]


@pytest.mark.parametrize("is_own", [True, False], ids=["own schema", "another schema"])
def test_a_damaged_value_is_named_by_file_record_and_path(
    orders: Any, tmp_path: Path, is_own: bool
) -> None:
    path = tmp_path / "orders.avro"
    schema = orders.SCHEMA if is_own else orders.SCHEMA.replace('"long"', '"int" ', 1)
    path.write_bytes(damaged(orders, schema))
    reading = orders.read_file(path)
    assert [next(reading).id, next(reading).id] == [0, 1]

    with pytest.raises(orders.InvalidAvro) as caught:
        next(reading)

    reason = "lines[1].price: decimal has more than 4 digits"
    assert str(caught.value) == f"{path}, record 3: {reason}"
    with path.open("rb") as file, pytest.raises(orders.InvalidAvro) as of_stream:
        list(orders.read_file(file))
    assert str(of_stream.value) == str(caught.value)
    with pytest.raises(orders.InvalidAvro) as nameless:
        list(orders.read_file(io.BytesIO(path.read_bytes())))
    assert str(nameless.value) == f"record 3: {reason}"


@pytest.mark.parametrize("writer", ["own", "resolved"])
def test_every_damage_of_a_message_is_told_with_its_field(orders: Any, writer: str) -> None:
    line = orders.Line(price=Decimal("12.34"))
    key = "0e9f4b0c-6c0e-4ba3-9e3e-3c4b7ab5f5a1"
    data = orders.R.from_dict({"id": 300, "lines": [line.to_dict()], "keys": {"k": key}}).to_avro()
    read = orders.R.from_avro if writer == "own" else orders.R.resolve_from(orders.SCHEMA + " ")
    told = set()

    for end in range(len(data)):
        with pytest.raises(orders.InvalidAvro) as caught:
            read(data[:end])
        told.add(str(caught.value).partition(":")[0])

    assert told == {"id", "lines[0]", "lines[0].price", "lines[1]", "keys[]", "keys['k']"}


def test_a_header_that_is_not_avros_is_named_by_its_file(orders: Any, tmp_path: Path) -> None:
    (tmp_path / "orders").write_bytes(b"PAR1")

    with pytest.raises(orders.InvalidAvro) as caught:
        list(orders.read_file(tmp_path / "orders"))

    assert str(caught.value) == f"{tmp_path / 'orders'}: not an Avro container file"


def test_a_file_that_ends_early_says_after_which_record(orders: Any, tmp_path: Path) -> None:
    orders.write_file(tmp_path / "orders", some(orders, 20_000), codec="null")
    data = (tmp_path / "orders").read_bytes()
    (tmp_path / "orders").write_bytes(data[:-1])

    with pytest.raises(orders.InvalidAvro, match=r"orders, after record \d+: unexpected end of f"):
        list(orders.read_file(tmp_path / "orders"))
