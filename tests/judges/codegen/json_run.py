"""Random schemas and values in Avro's JSON encoding: our codec against Java's.

A value is read from random bytes. Our JSON, read by Java, and Java's JSON, read by us, must both
give the bytes of that value; Java must read damaged JSON that we accept as the same value.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice
from random import Random
from types import ModuleType
from typing import Any

from deploy.avro import AvroJudge, AvroRefused, Conversion, Converted
from tests.codegen.evolutions import family
from tests.codegen.generated import imported, json_compiled_after
from tests.codegen.random_bytes import random_bytes
from tests.judges.codegen.judging import plain

_SCHEMAS_AT_ONCE = 50
_SHOWN = 10


class Judged(Enum):
    JAVA_READS_OURS = "Java reads our JSON as the value"
    WE_READ_JAVAS = "we read Java's JSON as the value"
    PLAIN_COMES_BACK = "plain JSON comes back as the value"
    DAMAGED_REFUSED = "we refuse damaged JSON"
    DAMAGED_AS_JAVA = "we read damaged JSON as Java does"
    # Java writes these as text, but reads no text as a number.
    NOT_FINITE = "Java refuses NaN and infinity"
    NO_TEXT = "Java writes no JSON at all for a value that takes no bytes"
    NO_JUDGEMENT = "Java fails at the schema"
    DIFFER = "differ"


@dataclass(slots=True)
class JsonReport:
    schemas: int = 0
    values: int = 0
    outcomes: Counter[Judged] = field(default_factory=Counter)
    shown: list[tuple[str, ...]] = field(default_factory=list)

    def differ(self, *what: object) -> None:
        self.outcomes[Judged.DIFFER] += 1
        if len(self.shown) < _SHOWN:
            self.shown.append(tuple(map(str, what)))


@dataclass(frozen=True, slots=True)
class _Written:
    package: ModuleType
    schema: str
    values: Sequence[Any]
    data: Sequence[bytes]
    texts: Sequence[str]
    damaged: Sequence[str]


def judge_json(judge: AvroJudge, seeds: Iterable[int], values: int) -> JsonReport:
    """``values`` values of one schema for each seed; every other package compiles its JSON at once."""
    report = JsonReport()
    remaining = iter(seeds)
    while some := list(islice(remaining, _SCHEMAS_AT_ONCE)):
        with ExitStack() as stack:
            written = [_written_by(stack, seed, values) for seed in some]
            converted = judge.convert(
                [Conversion(w.schema, w.data, [*w.texts, *w.damaged]) for w in written]
            )
            for one, answers in zip(written, converted, strict=True):
                report.schemas += 1
                report.values += len(one.values)
                _judge(report, one, answers)
    return report


def _written_by(stack: ExitStack, seed: int, values: int) -> _Written:
    with json_compiled_after(0 if seed % 2 else values * 10):
        return _written(stack, Random(seed), values)


def _written(stack: ExitStack, random: Random, values: int) -> _Written:
    (version,) = family(random, 1)
    package = stack.enter_context(imported(json.loads(version.text)))
    read = [package.RECORD.from_avro(random_bytes(random, version.graph)) for _ in range(values)]
    texts = [value.to_json("avro") for value in read]
    damaged = [_damaged(random, random.choice(texts)) for _ in range(values)]
    return _Written(
        package, version.text, read, [value.to_avro() for value in read], texts, damaged
    )


def _judge(report: JsonReport, one: _Written, answers: Converted) -> None:
    ours, damaged = answers.data[: len(one.texts)], answers.data[len(one.texts) :]
    for data, text, java, javas in zip(one.data, one.texts, ours, answers.texts, strict=True):
        if isinstance(java, AvroRefused) and java.is_failure:
            report.outcomes[Judged.NO_JUDGEMENT] += 1
            continue
        if isinstance(java, bytes) and _same(one, data, java):
            report.outcomes[Judged.JAVA_READS_OURS] += 1
        elif _refuses_not_finite(text, java):
            report.outcomes[Judged.NOT_FINITE] += 1
        else:
            report.differ("Java reads ours", one.schema, text, data.hex(), java)
        if javas == "" and not data:
            report.outcomes[Judged.NO_TEXT] += 1
            continue
        back = _read(one, javas) if isinstance(javas, str) else javas
        if isinstance(back, bytes) and _same(one, data, back, zeros_have_signs=False):
            report.outcomes[Judged.WE_READ_JAVAS] += 1
        else:
            report.differ("we read Java's", one.schema, javas, data.hex(), back)
    _judge_plain(report, one)
    for text, java in zip(one.damaged, damaged, strict=True):
        _judge_damaged(report, one, text, java)


def _judge_plain(report: JsonReport, one: _Written) -> None:
    for data, value in zip(one.data, one.values, strict=True):
        text = value.to_json()
        back = one.package.RECORD.from_json(text)
        dumped = json.dumps(value.to_dict(mode="json"), allow_nan=False)
        again = one.package.RECORD.from_dict(json.loads(dumped), mode="json")
        if back.to_avro() == data == again.to_avro():
            report.outcomes[Judged.PLAIN_COMES_BACK] += 1
        else:
            report.differ("plain", one.schema, text, value, back)


def _judge_damaged(report: JsonReport, one: _Written, text: str, java: bytes | AvroRefused) -> None:
    """Java must accept all that we accept: it is more lenient about unknown fields and numbers."""
    our = _read(one, text)
    if isinstance(our, str):
        report.outcomes[Judged.DAMAGED_REFUSED] += 1
    elif isinstance(java, AvroRefused) and java.is_failure:
        report.outcomes[Judged.NO_JUDGEMENT] += 1
    elif isinstance(java, bytes) and _same(one, our, java):
        report.outcomes[Judged.DAMAGED_AS_JAVA] += 1
    elif _refuses_not_finite(text, java):
        report.outcomes[Judged.NOT_FINITE] += 1
    else:
        report.differ("damaged", one.schema, text, our.hex(), java)


def _read(one: _Written, text: str) -> bytes | str:
    try:
        data: bytes = one.package.RECORD.from_json(text, "avro").to_avro()
    except one.package.AvroError as error:
        return f"{type(error).__name__}: {error}"
    return data


def _refuses_not_finite(text: str, java: bytes | AvroRefused) -> bool:
    return (
        isinstance(java, AvroRefused)
        and re.search(r"Expected (float|double)\. Got VALUE_STRING$", java.message) is not None
        and re.search(r'"(NaN|-?Infinity)"', text) is not None
    )


def _same(one: _Written, ours: bytes, javas: bytes, *, zeros_have_signs: bool = True) -> bool:
    """Compares bytes, or values if a decimal has sign bytes or a UUID has capitals.

    Java's encoder writes -0.0 as 0.0.
    """
    if ours == javas:
        return True
    values = [plain(one.schema, data) for data in (ours, javas)]
    if not zeros_have_signs:
        values = [re.sub(r"(?<![\w.])-0\.0(?!\d)", "0.0", value) for value in values]
    return values[0] == values[1] or ours == one.package.RECORD.from_avro(javas).to_avro()


def _damaged(random: Random, text: str) -> str:
    """The document with one part replaced, removed or renamed."""
    document = json.loads(text)
    places = list(_places(document))
    if not places:
        return "{}"
    holder, key = random.choice(places)
    match random.randrange(4):
        case 0:
            holder[key] = random.choice(
                [None, True, 0, -1, 1.5, 2**31, 2**63, "", "é", "€", [], {}]
            )
        case 1:
            other, other_key = random.choice(places)
            holder[key] = json.loads(json.dumps(other[other_key]))
        case 2:
            del holder[key]
        case _ if isinstance(holder, dict):
            holder[random.choice(["string", "int", "a.T1", "x"])] = holder.pop(key)
    return json.dumps(document, ensure_ascii=random.random() < 0.5)


def _places(document: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(document, dict):
        pairs: list[tuple[Any, Any]] = list(document.items())
    elif isinstance(document, list):
        pairs = list(enumerate(document))
    else:
        return
    for key, inner in pairs:
        yield document, key
        yield from _places(inner)
