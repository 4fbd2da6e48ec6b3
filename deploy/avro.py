"""Apache Avro for Java in a separate process: its answers define the meaning of Avro's bytes.

Pyspark contains its jars. It reads about 20,000 values a second.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from deploy.answering_process import AnsweringProcess
from deploy.jars import avro_jars
from deploy.jdk import QUICK_START, find_jdk, launcher_jar


@dataclass(frozen=True, slots=True)
class Reading:
    """Values that are written with one schema and read with another.

    Attributes:
        logical: whether values pass through Java's classes of logical types, which may refuse them.
    """

    writer: str
    reader: str
    data: Sequence[bytes]
    logical: bool = False


@dataclass(frozen=True, slots=True)
class AvroRefused:
    """The error that Java raised instead of reading a value."""

    message: str

    @property
    def is_failure(self) -> bool:
        """Whether Java failed on the schemas themselves. Then it did not try to read the values."""
        return self.message.startswith("schema: ") or "StackOverflowError" in self.message


@dataclass(frozen=True, slots=True)
class Conversion:
    """A schema, values to convert from binary to JSON encoding, and texts to convert back."""

    schema: str
    data: Sequence[bytes]
    texts: Sequence[str]


@dataclass(frozen=True, slots=True)
class Converted:
    """One answer for each of a conversion's ``data``, and for each of its ``texts``."""

    texts: Sequence[str | AvroRefused]
    data: Sequence[AvroAnswer]


AvroAnswer: TypeAlias = bytes | AvroRefused
"""The value as Java read it, encoded again; or the error if Java did not read it."""


class AvroJudge(AnsweringProcess):
    """A running Java process with Avro."""

    title = "Avro"

    @staticmethod
    def start(directory: Path) -> AvroJudge:
        """Starts Java, which keeps its log in ``directory``."""
        jdk = find_jdk()
        jars = avro_jars()
        classpath = (launcher_jar(jdk, ("AvroJudge",), jars), *jars)
        # Damaged lengths make Java allocate arrays of any size: a small heap fails quickly.
        options = (*QUICK_START, "-Xmx256m", "-Xlog:disable", "-Xlog:all=warning:stderr")
        command = (str(jdk.java), *options, "-cp", os.pathsep.join(map(str, classpath)))
        return AvroJudge((*command, "AvroJudge"), directory)

    def read(self, readings: Sequence[Reading]) -> Sequence[Sequence[AvroAnswer]]:
        """One answer for each value of each reading.

        Raises:
            ServerFailed: Java ended.
        """
        places: dict[str, int] = {}
        for reading in readings:
            places.setdefault(reading.writer, len(places))
            places.setdefault(reading.reader, len(places))
        request = {
            "schemas": list(places),
            "readings": [
                {
                    "writer": places[reading.writer],
                    "reader": places[reading.reader],
                    "logical": reading.logical,
                    "data": [data.hex() for data in reading.data],
                }
                for reading in readings
            ],
        }
        return [[_answer(each) for each in found] for found in self.ask(request)["answers"]]

    def convert(self, conversions: Sequence[Conversion]) -> Sequence[Converted]:
        """The values in Java's JSON encoding, and the bytes of the JSON texts as Java reads them.

        Raises:
            ServerFailed: Java ended.
        """
        request = {
            "schemas": [conversion.schema for conversion in conversions],
            "conversions": [
                {
                    "schema": place,
                    "data": [data.hex() for data in conversion.data],
                    "texts": list(conversion.texts),
                }
                for place, conversion in enumerate(conversions)
            ],
        }
        return [
            Converted(
                [
                    AvroRefused(each["error"]) if "error" in each else each["text"]
                    for each in found["texts"]
                ],
                [_answer(each) for each in found["data"]],
            )
            for found in self.ask(request)["answers"]
        ]

    def rewrite(self, files: Sequence[bytes]) -> Sequence[AvroAnswer]:
        """Each container file with its records written again by Java, with the same codec.

        Raises:
            ServerFailed: Java ended.
        """
        found = self.ask({"files": [file.hex() for file in files]})["answers"]
        return [_answer(each) for each in found]


def _answer(answer: dict[str, str]) -> AvroAnswer:
    if "error" in answer:
        return AvroRefused(answer["error"])
    return bytes.fromhex(answer["data"])
