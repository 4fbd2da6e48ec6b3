"""What the encoder and the decoder of a record share: temporaries, and parts that become functions.

What is nested deeper than ``DEEPEST`` loops becomes a function of its own, since Python bounds the
nesting of blocks.
"""

from __future__ import annotations

from collections.abc import Callable

from codegen.shapes import RecordClass, Scalar
from codegen.source import Lines

DEEPEST = 3

# How a logical type's value becomes the value of its Avro type, and back.
LOGICAL: dict[Scalar, tuple[Scalar, str, str]] = {
    Scalar.DATE: (Scalar.INT, "days_of", "date_from"),
    Scalar.TIME_MILLIS: (Scalar.INT, "time_millis_of", "time_from_millis"),
    Scalar.TIME_MICROS: (Scalar.LONG, "time_micros_of", "time_from_micros"),
    Scalar.TIMESTAMP_MILLIS: (Scalar.LONG, "timestamp_millis_of", "timestamp_from_millis"),
    Scalar.TIMESTAMP_MICROS: (Scalar.LONG, "timestamp_micros_of", "timestamp_from_micros"),
    Scalar.LOCAL_MILLIS: (Scalar.LONG, "local_millis_of", "local_from_millis"),
    Scalar.LOCAL_MICROS: (Scalar.LONG, "local_micros_of", "local_from_micros"),
    Scalar.UUID_TEXT: (Scalar.STRING, "uuid_text_of", "uuid_from"),
}

FIXED: dict[Scalar, tuple[int, str, str]] = {
    Scalar.UUID_FIXED: (16, "uuid_bytes_of", "uuid_from_bytes"),
    Scalar.DURATION: (12, "duration_of", "duration_from"),
}


class CodecFunction:
    """What encoders and decoders share: temporaries, and parts that became functions."""

    def __init__(self, lines: Lines, record: RecordClass) -> None:
        self.lines = lines
        self.record = record
        self._temporaries = 0
        self._parts = 0
        self._waiting: list[Callable[[], None]] = []

    def temporary(self) -> str:
        self._temporaries += 1
        return f"t{self._temporaries}"

    def part(self) -> str:
        self._parts += 1
        return f"part_{self._parts}_of_{self.record.class_name}"

    def later(self, render: Callable[[], None]) -> None:
        self._waiting.append(render)

    def finish(self) -> None:
        while self._waiting:
            self._temporaries = 0
            self._waiting.pop(0)()
