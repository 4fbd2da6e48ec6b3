"""What the encoder and the decoder of a record share: temporaries, and parts that become functions.

What is nested deeper than ``MAX_DEPTH`` loops becomes a function of its own, since Python bounds the
nesting of blocks; and so do the attributes of a wide record, ``MAX_BRANCHES`` together, since type
checkers give up on a function of too many. The code of an attribute without names in its type is the same in every package
but for the attribute and the numbers of the temporaries: it is drafted once, and then filled in.
"""

from __future__ import annotations

import operator
import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from codegen.shapes import (
    Attribute,
    DictShape,
    ListShape,
    RecordClass,
    RecordReference,
    Scalar,
    Shape,
    UnionShape,
    is_nameless,
)
from codegen.source import Lines

MAX_DEPTH = 3
MAX_BRANCHES = 250
"""Pyright bounds a function's cyclomatic complexity at 768; a branch is counted up to three times."""
NO_RECORD = RecordClass("", "", None, ())
DRAFTS = 10_000
"""How many snippets are kept."""

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


PLACE = "\x02"
_TEMPORARY = "\x03"
_MARKED = re.compile(f"({PLACE}|{_TEMPORARY}[0-9]+{_TEMPORARY})")


@dataclass(frozen=True, slots=True)
class Snippet:
    """Code with places to fill in.

    Attributes:
        template: for ``%``.
        chosen: what goes where, out of the attribute and the temporaries after it.
        temporaries: how many there are.
    """

    template: str
    chosen: Callable[[Sequence[str]], object]
    temporaries: int

    @classmethod
    def of(cls, text: str, temporaries: int) -> Snippet:
        pieces = _MARKED.split(text)
        template = "%s".join(piece.replace("%", "%%") for piece in pieces[::2])
        marks = [int(mark.strip(_TEMPORARY)) if mark != PLACE else 0 for mark in pieces[1::2]]
        return cls(template, operator.itemgetter(*marks), temporaries)

    def filled(self, place: str, first: int) -> str:
        return self.template % self.chosen((place, *_temporaries(first, self.temporaries)))


@lru_cache(DRAFTS)
def _nameless_branches(shape: Shape) -> int:
    match shape:
        case ListShape(inner) | DictShape(inner):
            return 4 + _nameless_branches(inner)
        case UnionShape(branches):
            return sum([1 + _nameless_branches(branch) for branch in branches])
        case _:
            return 1


@lru_cache(DRAFTS)
def _temporaries(first: int, count: int) -> tuple[str, ...]:
    return tuple([f"t{first + number}" for number in range(1, count + 1)])


class CodecFunction:
    """What encoders and decoders share: temporaries, and parts that became functions.

    ``inlined`` are records whose code stands where they are used. Of an ``immutable`` package's
    records, lists are tuples and dicts are ``FrozenMap``.
    """

    def __init__(
        self,
        lines: Lines,
        record: RecordClass,
        inlined: Mapping[str, RecordClass],
        *,
        immutable: bool,
    ) -> None:
        self.immutable = immutable
        self.lines = lines
        self.record = record
        self.inlined = inlined
        self._is_draft = False
        self._temporaries = 0
        self._parts = 0
        self._waiting: list[Callable[[], None]] = []

    @abstractmethod
    def value(self, shape: Shape, place: str, depth: int) -> None:
        """Writes the code of a value, which ``place`` names, within ``depth`` loops."""

    @abstractmethod
    def snippet(self, shape: Shape) -> Snippet | None:
        """``drafted``, from what is kept."""

    def attribute(self, shape: Shape, place: str) -> None:
        """An attribute's code, at the depth of the function itself."""
        snippet = self.snippet(shape) if is_nameless(shape) else None
        if snippet is None:
            inlined = self.inlined
            if self._branches(shape) > MAX_BRANCHES:
                # A union of a hundred records: each is read and written by a function of its own.
                self.inlined = {}
            self.value(shape, place, 0)
            self.inlined = inlined
            return
        self.lines.add_text(snippet.filled(place, self._temporaries))
        self._temporaries += snippet.temporaries

    def runs(self) -> Sequence[Sequence[Attribute]]:
        """The record's attributes in order, as many together as one function may hold."""
        runs: list[list[Attribute]] = [[]]
        room = MAX_BRANCHES
        for attribute in self.record.attributes:
            weight = self._branches(attribute.shape)
            if weight > room and runs[-1]:
                runs.append([])
                room = MAX_BRANCHES
            runs[-1].append(attribute)
            room -= weight
        return runs

    def _branches(self, shape: Shape) -> int:
        if is_nameless(shape):
            return _nameless_branches(shape)
        match shape:
            case ListShape(inner) | DictShape(inner):
                return 4 + self._branches(inner)
            case UnionShape(branches):
                return sum([1 + self._branches(branch) for branch in branches])
            case RecordReference(name) if name in self.inlined:
                return 1 + sum([self._branches(a.shape) for a in self.inlined[name].attributes])
            case _:
                return 1

    def drafted(self, shape: Shape) -> Snippet | None:
        """The code of a shape without names; None if it needs functions of its own."""
        self._is_draft = True
        self.value(shape, PLACE, 0)
        if self._waiting:
            return None
        return Snippet.of(self.lines.text()[:-1], self._temporaries)

    def temporary(self) -> str:
        self._temporaries += 1
        number = self._temporaries
        return f"{_TEMPORARY}{number}{_TEMPORARY}" if self._is_draft else f"t{number}"

    def part(self) -> str:
        self._parts += 1
        return f"part_{self._parts}_of_{self.record.class_name}"

    def later(self, render: Callable[[], None]) -> None:
        self._waiting.append(render)

    def finish(self) -> None:
        while self._waiting:
            self._temporaries = 0
            self._waiting.pop(0)()
