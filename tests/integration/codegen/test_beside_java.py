"""The generated codec and its schema resolution, compared with Java's Avro.

``make bench-resolution`` reads twenty thousand pairs of schemas; these are a few hundred of them.
"""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from random import Random
from types import ModuleType

import pytest

from deploy.avro import AvroAnswer, AvroJudge, AvroRefused, Reading
from lakeschema.avro.compatibility import Level
from lakeschema.avro.errors import MalformedAvroSchema
from lakeschema.avro.parsing import parse_schema
from publisher.publishing.versioning import Published, next_version
from tests.codegen.evolutions import family
from tests.codegen.generated import imported
from tests.codegen.random_bytes import random_bytes
from tests.judges.codegen.judging import OurAnswer, Outcome, answer_of, outcome, plain
from tests.judges.codegen.resolution_run import judge_families

FAMILIES = range(900_000, 900_020)
SCHEMAS = range(700_000, 700_150)


def test_other_schemas_data_is_read_or_refused_as_java_does(avro: AvroJudge) -> None:
    report = judge_families(avro, FAMILIES, members=6)

    assert report.shown == []
    assert report.pairs == 600
    assert report.outcomes[Outcome.SAME_VALUE] > 1000
    assert report.outcomes[Outcome.BOTH_REFUSE] > 200
    assert report.levels[Level.MINOR] > 20


@dataclass(frozen=True, slots=True)
class Written:
    """Values of one schema, in canonical bytes, and its package."""

    text: str
    package: ModuleType
    values: Sequence[bytes]
    sized: Sequence[bytes]


@pytest.fixture(scope="module")
def written() -> Iterator[Sequence[Written]]:
    with ExitStack() as stack:
        yield [_written(stack, Random(seed)) for seed in SCHEMAS]


def _written(stack: ExitStack, random: Random) -> Written:
    (version,) = family(random, 1)
    package = stack.enter_context(imported(json.loads(version.text)))
    values = [random_bytes(random, version.graph) for _ in range(4)]
    sized = [random_bytes(random, version.graph, sized=True) for _ in range(2)]
    return Written(version.text, package, values, sized)


def _own(written: Written, values: Sequence[bytes]) -> Sequence[OurAnswer]:
    read = written.package.RECORD.from_avro
    return [answer_of(written.package, read, data) for data in values]


def _javas(
    avro: AvroJudge, written: Sequence[Written], values: Sequence[Sequence[bytes]]
) -> Sequence[Sequence[AvroAnswer]]:
    return avro.read(
        [Reading(each.text, each.text, data) for each, data in zip(written, values, strict=True)]
    )


def test_canonical_bytes_come_back_as_they_were_from_us_and_from_java(
    avro: AvroJudge, written: Sequence[Written]
) -> None:
    javas = _javas(avro, written, [each.values for each in written])
    for each, answers in zip(written, javas, strict=True):
        for data, our, java in zip(each.values, _own(each, each.values), answers, strict=True):
            assert our.data is not None, (each.text, data.hex(), our.error)
            # Of an int's and a long's branch ours takes the first that fits: the value counts.
            assert our.data == data or plain(each.text, our.data) == plain(each.text, data)
            if not (isinstance(java, AvroRefused) and java.is_failure):
                assert java == data, each.text


def test_blocks_that_state_their_size_are_read_as_java_reads_them(
    avro: AvroJudge, written: Sequence[Written]
) -> None:
    javas = _javas(avro, written, [each.sized for each in written])
    for each, answers in zip(written, javas, strict=True):
        for our, java in zip(_own(each, each.sized), answers, strict=True):
            judged = outcome(each.package, each.text, our, java)
            assert judged in {Outcome.SAME_VALUE, Outcome.NO_JUDGEMENT}, each.text


def test_every_truncation_and_trailing_byte_is_an_error(written: Sequence[Written]) -> None:
    for each in written:
        for data in each.values[:2]:
            broken = [data[:end] for end in range(len(data))] + [data + b"\0", data + data[-1:] * 9]
            if not data:
                broken = [b"\0"]
            for our in _own(each, broken):
                assert our.error.startswith("InvalidAvro"), (each.text, data.hex(), our)


def test_damaged_bytes_are_an_error_or_the_value_that_java_reads(
    avro: AvroJudge, written: Sequence[Written]
) -> None:
    random = Random(4)
    judged = 0
    for each in written:
        damaged = [_damaged(random, random.choice(each.values)) for _ in range(60)]
        read = dict(zip(damaged, _own(each, damaged), strict=True))
        for data, our in read.items():
            assert our.data is not None or our.is_ours, (each.text, data.hex(), our.error)
        # Java is asked for no others: of items that take no bytes it reads as many as are stated.
        readable = [data for data, our in read.items() if our.data is not None]
        for data, java in zip(readable, _javas(avro, [each], [readable])[0], strict=True):
            judged += 1
            found = outcome(each.package, each.text, read[data], java)
            assert found in {Outcome.SAME_VALUE, Outcome.NO_JUDGEMENT}, (
                each.text, data.hex(), read[data], java,
            )  # fmt: skip
    assert judged > 1000


def _damaged(random: Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice([1, 1, 1, 2, 5])):
        if changed:
            changed[random.randrange(len(changed))] ^= random.randint(1, 255)
    return bytes(changed)


def test_damaged_bytes_take_neither_memory_nor_time(written: Sequence[Written]) -> None:
    random = Random(5)
    for each in written[:40]:
        values = [_damaged(random, random.choice(each.values)) for _ in range(30)]
        _own(each, values[:1])
        began = time.process_time()
        tracemalloc.start()
        _own(each, values)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

        assert peak < 4_000_000, each.text
        assert time.process_time() - began < 5


def test_no_two_versions_of_a_major_fail_to_read_each_other_in_java(avro: AvroJudge) -> None:
    """The numbers that the publisher gives, along a line of changes."""
    random = Random(6)
    readings: list[Reading] = []
    for _ in range(60):
        line = [v for v in family(random, 8) if len(v.ancestry) == v.ancestry[-1] + 1]
        history: list[Published] = []
        for version in line:
            schema = parse_schema(version.text)
            number, _ = next_version(history, schema, mode="semantic")
            history.append(Published(number, schema))
        majors = [published.number.partition(".")[0] for published in history]
        readings += [
            Reading(one.text, other.text, [random_bytes(random, one.graph)], logical)
            for one, major in zip(line, majors, strict=True)
            for other, same in zip(line, majors, strict=True)
            for logical in (False, True)
            if major == same and one is not other
        ]
    assert len(readings) > 100
    for reading, answers in zip(readings, avro.read(readings), strict=True):
        (java,) = answers
        assert not isinstance(java, AvroRefused) or java.is_failure, (reading, java)


_TEXTS = (
    "NaN", "+NaN", "Infinity", "-Infinity", "0.0", " 1.5 ", "1.5f", "+1", ".5", "5.", "0x1.8p3",
    "-0x1p9999", "1e39", "1e400", "abc", "", "nan", "inf", "1_0", "0x1", "1e", "--1",
)  # fmt: skip


@pytest.mark.parametrize("type_", ["float", "double"])
def test_defaults_of_floats_are_those_of_java(avro: AvroJudge, type_: str) -> None:
    """Numbers, and text, which Java reads as numbers."""
    older = json.dumps(_with_default())
    readers = [
        _with_default({"name": "v", "type": type_, "default": default})
        for default in (*_TEXTS, 0.1, 1e39, 10**40, 2**24 + 1)
    ]

    answers = avro.read([Reading(older, json.dumps(reader), [b"\x02"]) for reader in readers])

    assert [_ours_of(reader, older) for reader in readers] == [
        None if isinstance(answer, AvroRefused) else answer for (answer,) in answers
    ]


def _with_default(*fields: dict[str, object]) -> dict[str, object]:
    return {"type": "record", "name": "R", "fields": [{"name": "id", "type": "int"}, *fields]}


def _ours_of(reader: dict[str, object], older: str) -> bytes | None:
    try:
        parse_schema(json.dumps(reader))
    except MalformedAvroSchema:
        return None
    with imported(reader) as package:
        data: bytes = package.R.from_avro(b"\x02", older).to_avro()
        assert data == package.R(id=1).to_avro() == package.R.from_dict({"id": 1}).to_avro()
        return data
