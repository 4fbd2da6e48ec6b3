"""The errors in a relation's text or types, grouped by the status that they cause.

TranslationError
├── Unsupported            may be correct, but is not supported: status UNSUPPORTED
│   ├── UnsupportedConstruct
│   ├── UnsupportedFunction
│   ├── UnsupportedType
│   ├── UdfResolverFailed  the deployment's plugin could not say what a class returns
│   ├── MalformedDependency
│   ├── CannotEnforce      a policy that does not fit its relation, or cannot be enforced there
│   ├── CannotRefresh      inserted rows do not determine the view's new rows
│   ├── CannotSubstitute   no view's stored rows can answer the query
│   ├── RefusedByEngine    another engine's session refused the emitted text
│   └── TooLarge
└── Broken                 the relation's engine would refuse it, too: status BROKEN
    ├── MalformedSql
    ├── MalformedSchema    an Avro literal that is not a schema, or does not fit the columns
    ├── UnknownColumn
    ├── AmbiguousColumn
    ├── UnknownRelation    an upstream relation that does not exist
    ├── UnusableUpstream   an upstream relation that cannot be derived itself
    ├── DefinedByItself    a view that reads itself, directly or not: status CYCLE
    ├── UnreadableRelation the catalog lists it but cannot return it
    └── TypeMismatch
UnreachableSchema          its schema is in files that cannot be read: status UNREACHABLE
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypedDict, Unpack

from lakeschema.catalog.identifiers import RelationName


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a view's text; line and column count from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


class Where(TypedDict, total=False):
    """The arguments that every error takes in addition to those of its class."""

    relation: RelationName | None
    position: Position | None
    hint: str


class TranslationError(Exception):
    """The root of all errors. ``relation`` and ``position`` are ``None`` if they are unknown."""

    def __init__(
        self,
        message: str,
        *,
        relation: RelationName | None = None,
        position: Position | None = None,
        hint: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.relation = relation
        self.position = position
        self.hint = hint

    def __str__(self) -> str:
        where = f" at {self.position}" if self.position else ""
        whose = f"{self.relation}: " if self.relation else ""
        return f"{whose}{self.message}{where}"


class Unsupported(TranslationError):
    pass


class UnsupportedConstruct(Unsupported):
    def __init__(self, construct: str, reason: str = "", **where: Unpack[Where]) -> None:
        because = f": {reason}" if reason else ""
        super().__init__(f"{construct} is not supported{because}", **where)
        self.construct = construct


class UnsupportedFunction(Unsupported):
    def __init__(self, function: str, reason: str = "is not known", **where: Unpack[Where]) -> None:
        super().__init__(f"function {function} {reason}", **where)
        self.function = function


class UnsupportedType(Unsupported):
    def __init__(self, subject: str, type_text: str, reason: str, **where: Unpack[Where]) -> None:
        super().__init__(f"{subject} has type {type_text}: {reason}", **where)
        self.subject = subject
        self.type_text = type_text
        self.reason = reason


class UdfResolverFailed(Unsupported):
    def __init__(self, class_name: str, reason: str, **where: Unpack[Where]) -> None:
        super().__init__(
            f"what class {class_name} returns could not be resolved: {reason}",
            **where,
        )
        self.class_name = class_name
        self.reason = reason


class MalformedDependency(Unsupported):
    def __init__(self, dependency: str, function: str, **where: Unpack[Where]) -> None:
        super().__init__(
            f"function {function} depends on {dependency!r:.100}, which is not an artifact",
            **where,
        )
        self.dependency = dependency
        self.function = function


class CannotEnforce(Unsupported):
    def __init__(self, subject: str, reason: str, **where: Unpack[Where]) -> None:
        super().__init__(f"the policy of {subject} cannot be enforced: {reason}", **where)
        self.subject = subject
        self.reason = reason


class CannotRefresh(Unsupported):
    def __init__(self, reason: str, **where: Unpack[Where]) -> None:
        super().__init__(f"inserted rows alone do not say what its rows become: {reason}", **where)
        self.reason = reason


class CannotSubstitute(Unsupported):
    def __init__(self, reasons: Iterable[str], **where: Unpack[Where]) -> None:
        self.reasons = tuple(reasons)
        super().__init__(f"no stored rows can be read for it: {'; '.join(self.reasons)}", **where)


class RefusedByEngine(Unsupported):
    def __init__(self, subject: str, engine: str, reason: str, **where: Unpack[Where]) -> None:
        super().__init__(f"{engine} refuses {subject}: {reason}", **where)
        self.subject = subject
        self.engine = engine
        self.reason = reason


class TooLarge(Unsupported):
    pass


class Broken(TranslationError):
    pass


class MalformedSql(Broken):
    pass


class MalformedSchema(Broken):
    pass


class UnknownColumn(Broken):
    def __init__(self, column: str, candidates: Iterable[str] = (), **where: Unpack[Where]) -> None:
        super().__init__(f"column {column} does not exist", **where)
        self.column = column
        self.candidates = tuple(candidates)


class AmbiguousColumn(Broken):
    def __init__(self, column: str, candidates: Iterable[str] = (), **where: Unpack[Where]) -> None:
        super().__init__(f"column {column} is ambiguous", **where)
        self.column = column
        self.candidates = tuple(candidates)


class UnknownRelation(Broken):
    def __init__(self, missing: RelationName, **where: Unpack[Where]) -> None:
        super().__init__(f"relation {missing} does not exist", **where)
        self.missing = missing


class UnusableUpstream(Broken):
    def __init__(self, upstream: RelationName, status: str, **where: Unpack[Where]) -> None:
        super().__init__(f"upstream {upstream} is {status}", **where)
        self.upstream = upstream
        self.status = status


class DefinedByItself(Broken):
    """A relation reads itself. ``path`` is the cycle; it begins and ends with the same relation."""

    def __init__(self, path: Sequence[RelationName], **where: Unpack[Where]) -> None:
        shown = " → ".join(str(name) for name in path)
        super().__init__(f"defined by itself: {shown}", **where)
        self.path = tuple(path)


class UnreadableRelation(Broken):
    def __init__(self, reason: str, **where: Unpack[Where]) -> None:
        super().__init__(f"the catalog cannot return it: {reason}", **where)
        self.reason = reason


class UnreachableSchema(TranslationError):
    def __init__(self, format_: str, reason: str, **where: Unpack[Where]) -> None:
        super().__init__(f"its schema is in files of {format_}: {reason}", **where)


class TypeMismatch(Broken):
    pass


@contextmanager
def errors_of(relation: RelationName) -> Iterator[None]:
    """Adds the relation's name to errors without a name; turns ``RecursionError`` into ``TooLarge``."""
    try:
        yield
    except TranslationError as error:
        error.relation = error.relation or relation
        raise
    except RecursionError:
        raise TooLarge(
            "the query is nested too deeply",
            relation=relation,
            hint="split the view into views of its parts",
        ) from None
