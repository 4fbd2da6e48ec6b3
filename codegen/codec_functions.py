"""Renders the part that a record's encoder and decoder share: it visits the parts of a shape.

Python limits the nesting of blocks, so a value inside ``MAX_DEPTH`` loops gets a separate function.
Type checkers limit the size of a function, so a wide record's attributes are divided among functions
of ``MAX_BRANCHES`` branches.

The code of a type without names is the same in every package, except for the attribute and the
numbers of temporaries. This code is rendered once as a ``Snippet``; later only its placeholders are
filled in.
"""

from __future__ import annotations

import operator
import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import assert_never

from codegen.shapes import (
    Attribute,
    DecimalShape,
    DictShape,
    EntriesShape,
    EnumReference,
    FixedReference,
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
"""The maximum of branches in a function. Pyright limits a function's complexity to 768, and counts a
branch up to three times."""
NO_RECORD = RecordClass("", "", None, ())
MAX_SNIPPETS = 10_000

# For each logical type, the functions that convert its values to values of the Avro type, and back.
LOGICAL: dict[Scalar, tuple[Scalar, str, str]] = {
    Scalar.DATE: (Scalar.INT, "days_of", "date_from"),
    Scalar.TIME_MILLIS: (Scalar.INT, "time_millis_of", "time_from_millis"),
    Scalar.TIME_MICROS: (Scalar.LONG, "time_micros_of", "time_from_micros"),
    Scalar.TIMESTAMP_MILLIS: (Scalar.LONG, "timestamp_millis_of", "timestamp_from_millis"),
    Scalar.TIMESTAMP_MICROS: (Scalar.LONG, "timestamp_micros_of", "timestamp_from_micros"),
    Scalar.LOCAL_MILLIS: (Scalar.LONG, "local_millis_of", "local_from_millis"),
    Scalar.LOCAL_MICROS: (Scalar.LONG, "local_micros_of", "local_from_micros"),
    Scalar.INTERVAL_MICROS: (Scalar.LONG, "interval_micros_of", "interval_from_micros"),
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
    """Code with placeholders.

    Attributes:
        template: a format for ``%``.
        arguments: picks the format's arguments from a sequence, which has the attribute and then the
            temporary variables.
        temporaries: the number of temporary variables.
    """

    template: str
    arguments: Callable[[Sequence[str]], object]
    temporaries: int

    @classmethod
    def of(cls, text: str, temporaries: int) -> Snippet:
        pieces = _MARKED.split(text)
        template = "%s".join(piece.replace("%", "%%") for piece in pieces[::2])
        marks = [int(mark.strip(_TEMPORARY)) if mark != PLACE else 0 for mark in pieces[1::2]]
        return cls(template, operator.itemgetter(*marks), temporaries)

    def fill(self, place: str, first: int) -> str:
        return self.template % self.arguments((place, *_temporaries(first, self.temporaries)))


@lru_cache(MAX_SNIPPETS)
def _nameless_branches(shape: Shape) -> int:
    match shape:
        case ListShape(inner) | DictShape(inner):
            return 4 + _nameless_branches(inner)
        case EntriesShape(keys, values):
            return 4 + _nameless_branches(keys) + _nameless_branches(values)
        case UnionShape(branches):
            return sum([1 + _nameless_branches(branch) for branch in branches])
        case _:
            return 1


@lru_cache(MAX_SNIPPETS)
def _temporaries(first: int, count: int) -> tuple[str, ...]:
    return tuple([f"t{first + number}" for number in range(1, count + 1)])


class CodecRenderer:
    """Renders a record's function, and the functions that its parts need.

    The code of ``inlined`` records is rendered where the records are used. In an ``immutable``
    package lists are tuples and dicts are ``FrozenMap``. ``compact`` code calls functions for
    numbers; it has a third of the length, and is slower.
    """

    def __init__(
        self,
        lines: Lines,
        record: RecordClass,
        inlined: Mapping[str, RecordClass],
        *,
        immutable: bool,
        compact: bool,
    ) -> None:
        self.immutable = immutable
        self.compact = compact
        self.lines = lines
        self.record = record
        self.inlined = inlined
        self._is_draft = False
        self._temporaries = 0
        self._parts = 0
        self._deferred: list[Callable[[], None]] = []

    @abstractmethod
    def snippet(self, shape: Shape) -> Snippet | None:
        """The cached result of ``draft``."""

    @abstractmethod
    def scalar(self, shape: Scalar, place: str) -> None: ...

    @abstractmethod
    def decimal(self, shape: DecimalShape, place: str) -> None: ...

    @abstractmethod
    def fixed(self, shape: FixedReference, place: str) -> None: ...

    @abstractmethod
    def enum(self, name: str, place: str) -> None: ...

    @abstractmethod
    def inline_record(self, record: RecordClass, place: str, depth: int) -> None: ...

    @abstractmethod
    def call_record(self, name: str, place: str) -> None: ...

    @abstractmethod
    def union(self, branches: tuple[Shape, ...], place: str, depth: int) -> None: ...

    @abstractmethod
    def list_value(self, items: Shape, place: str, depth: int) -> None: ...

    @abstractmethod
    def dict_value(self, keys: Shape, values: Shape, place: str, depth: int) -> None: ...

    @abstractmethod
    def own_function(self, shape: Shape, place: str) -> None:
        """Renders the value's code as a separate function, and a call of it."""

    @abstractmethod
    def attributes(self, attributes: Sequence[Attribute]) -> None: ...

    @abstractmethod
    def attributes_in_own_function(self, attributes: Sequence[Attribute]) -> None: ...

    def value(self, shape: Shape, place: str, depth: int) -> None:
        """Renders the code for the value at ``place``. The code is inside ``depth`` loops."""
        match shape:
            case Scalar():
                self.scalar(shape, place)
            case DecimalShape():
                self.decimal(shape, place)
            case FixedReference():
                self.fixed(shape, place)
            case EnumReference(name):
                self.enum(name, place)
            case RecordReference(name) if name in self.inlined:
                self.inline_record(self.inlined[name], place, depth)
            case RecordReference(name):
                self.call_record(name, place)
            case UnionShape(branches):
                self.union(branches, place, depth)
            case ListShape() | DictShape() | EntriesShape() if depth >= MAX_DEPTH:
                self.own_function(shape, place)
            case ListShape(items):
                self.list_value(items, place, depth)
            case DictShape(values):
                self.dict_value(Scalar.STRING, values, place, depth)
            case EntriesShape(keys, values):
                self.dict_value(keys, values, place, depth)
            case _:
                assert_never(shape)

    def all_attributes(self) -> None:
        """Renders the record's attributes, divided among functions if one function cannot hold them."""
        runs = self._runs()
        if len(runs) == 1:
            self.attributes(runs[0])
            return
        for run in runs:
            self.attributes_in_own_function(run)

    def attribute(self, shape: Shape, place: str) -> None:
        """Renders an attribute's code, outside of loops."""
        snippet = self.snippet(shape) if is_nameless(shape) else None
        if snippet is None:
            inlined = self.inlined
            if self._branches(shape) > MAX_BRANCHES:
                # Records are not inlined in such a wide value, such as a union of a hundred records.
                self.inlined = {}
            self.value(shape, place, 0)
            self.inlined = inlined
            return
        self.lines.add_text(snippet.fill(place, self._temporaries))
        self._temporaries += snippet.temporaries

    def _runs(self) -> Sequence[Sequence[Attribute]]:
        """The record's attributes in order, in groups that each fit into one function."""
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
            case EntriesShape(keys, values):
                return 4 + self._branches(keys) + self._branches(values)
            case UnionShape(branches):
                return sum([1 + self._branches(branch) for branch in branches])
            case RecordReference(name) if name in self.inlined:
                return 1 + sum([self._branches(a.shape) for a in self.inlined[name].attributes])
            case _:
                return 1

    def draft(self, shape: Shape) -> Snippet | None:
        """The code of a shape without names; None if it needs separate functions."""
        self._is_draft = True
        self.value(shape, PLACE, 0)
        if self._deferred:
            return None
        return Snippet.of(self.lines.text()[:-1], self._temporaries)

    def temporary(self) -> str:
        self._temporaries += 1
        number = self._temporaries
        return f"{_TEMPORARY}{number}{_TEMPORARY}" if self._is_draft else f"t{number}"

    def function_name(self) -> str:
        """The name of a part's function. It begins with a digit, so that it differs from names of classes."""
        self._parts += 1
        return f"{self._parts}_of_{self.record.class_name}"

    def defer(self, render: Callable[[], None]) -> None:
        """Renders another function once the present function is complete."""
        self._deferred.append(render)

    def render_deferred(self) -> None:
        while self._deferred:
            self._temporaries = 0
            self._deferred.pop(0)()
