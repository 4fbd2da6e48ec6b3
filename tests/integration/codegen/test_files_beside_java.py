"""Container files of every codec pass to Java's Avro and back."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest

from deploy.avro import AvroJudge, AvroRefused
from tests.codegen.generated import imported, record

CODECS = ["null", "deflate", "bzip2", "xz", "snappy", "zstandard"]
SCHEMA = record({
    "text": "string",
    "numbers": {"type": {"type": "array", "items": "long"}},
})  # fmt: skip


@pytest.fixture(scope="module")
def package() -> Iterator[Any]:
    with imported(SCHEMA) as module:
        yield module


def records(package: Any, count: int) -> list[Any]:
    return [package.R(text="abc" * n, numbers=list(range(n))) for n in range(count)]


def file_of(package: Any, count: int, codec: str) -> bytes:
    out = io.BytesIO()
    package.write_file(out, records(package, count), codec=codec)
    return out.getvalue()


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("count", [0, 1, 1000])
def test_java_reads_our_files_and_we_read_what_it_writes_of_them(
    package: Any, avro: AvroJudge, codec: str, count: int
) -> None:
    ours = file_of(package, count, codec)

    (javas,) = avro.rewrite([ours])

    assert not isinstance(javas, AvroRefused), javas.message
    assert javas != ours
    assert codec.encode() in javas[:400]
    assert list(package.read_file(io.BytesIO(javas))) == records(package, count)
