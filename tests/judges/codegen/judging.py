"""Compares the values that a generated package reads with those that Java's Avro reads.

Java's answer is its value, written again with the reader's schema. Bytes are compared first. If they
differ, values are compared, since we take the first of two branches that hold a number.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from types import ModuleType
from typing import Any

import fastavro

from deploy.avro import AvroAnswer, AvroRefused
from tests.lakeschema.avro.strategies import bare


class Outcome(Enum):
    SAME_VALUE = "same value"
    BOTH_REFUSE = "both refuse"
    # Java reads a number of one unit as a number of another.
    OTHER_UNIT = "we refuse another unit"
    # Java reads the number or text under a logical type, though it is no value of that type.
    NO_LOGICAL_VALUE = "we refuse what is no value of the logical type"
    # Java keeps bytes that are no UTF-8 in its string.
    NO_TEXT = "we refuse bytes that are no text"
    # Java reads a recursive record's fields before they exist, or without end.
    NO_JUDGEMENT = "Java fails at the schema"
    DIFFER = "differ"


@dataclass(frozen=True, slots=True)
class OurAnswer:
    """Bytes, or the name and text of the error; an error of another kind has no name."""

    data: bytes | None
    error: str = ""
    is_ours: bool = True


def ours(package: ModuleType, writer: str, values: Sequence[bytes]) -> Sequence[OurAnswer]:
    """Each value of a writer, read by the package and written again.

    This leaves out our conversion of units of time, which Java lacks.
    """
    try:
        codec = package._codec
        reader = codec.files.reader_of(codec.BINDING, writer, narrowing="refused")
        read = codec.make_decoder(codec.BINDING, codec.BINDING.root.name, reader)
    except package.AvroError as error:
        return [_refusal(package, error)] * len(values)
    return [answer_of(package, read, data) for data in values]


def answer_of(package: ModuleType, read: Callable[[bytes], Any], data: bytes) -> OurAnswer:
    try:
        return OurAnswer(read(data).to_avro())
    except Exception as error:  # noqa: BLE001 - what is no AvroError is what is looked for
        return _refusal(package, error)


def _refusal(package: ModuleType, error: Exception) -> OurAnswer:
    text = f"{type(error).__name__}: {error}"
    known = isinstance(error, (package.InvalidAvro, package.UnresolvableSchema))
    return OurAnswer(None, text, is_ours=known)


def outcome(package: ModuleType, reader: str, our: OurAnswer, java: AvroAnswer) -> Outcome:
    """``package`` is the package of the schema text ``reader``."""
    if isinstance(java, AvroRefused) and java.is_failure:
        return Outcome.NO_JUDGEMENT
    if our.data is None:
        if not our.is_ours:
            return Outcome.DIFFER
        if isinstance(java, AvroRefused):
            return Outcome.BOTH_REFUSE
        if "logicalType" in reader and our.error.endswith(": the units differ"):
            return Outcome.OTHER_UNIT
        if "'utf-8' codec" in our.error:
            return Outcome.NO_TEXT
        if "logicalType" in reader and our.error.startswith("InvalidAvro"):
            return Outcome.NO_LOGICAL_VALUE
        return Outcome.DIFFER
    if isinstance(java, AvroRefused):
        return Outcome.DIFFER
    return Outcome.SAME_VALUE if _same(package, reader, our.data, java) else Outcome.DIFFER


def _same(package: ModuleType, reader: str, our: bytes, java: bytes) -> bool:
    if our == java or plain(reader, our) == plain(reader, java):
        return True
    # A decimal can be written in more bytes than it needs, or in none; a UUID in capitals.
    read = package.RECORD.from_avro
    return "logicalType" in reader and _equal(read(our).to_dict(), read(java).to_dict())


def _equal(one: Any, other: Any) -> bool:
    """Whether the values are equal; a NaN equals a NaN."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(_equal(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return bool(one == other) or repr(one) == repr(other)


def plain(schema: str, data: bytes) -> str:
    """The value as text, without logical types, so that two widths of a number, and NaNs, are equal."""
    value = fastavro.schemaless_reader(
        io.BytesIO(data), bare(json.loads(schema)), None, return_named_type=True
    )
    return repr(value)
