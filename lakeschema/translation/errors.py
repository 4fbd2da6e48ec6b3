"""Everything that can be wrong with a relation's text or types, told apart by what follows from it.

TranslationError
├── Unsupported            correct perhaps, but not known to us: status UNSUPPORTED
│   ├── UnsupportedConstruct
│   ├── UnsupportedFunction
│   ├── UnsupportedType
│   ├── UdfResolverFailed  the deployment's plugin could not say what a class returns
│   ├── MalformedDependency
│   ├── RefusedByEngine    what was emitted for another engine, by a session of it
│   └── TooLarge
└── Broken                 the relation's own engine would refuse it too: status BROKEN
    ├── MalformedSql
    ├── MalformedSchema    an Avro literal that is not a schema, or does not fit the columns
    ├── UnknownColumn
    ├── AmbiguousColumn
    ├── UnknownRelation    an upstream relation that does not exist
    ├── UnreadableRelation its catalog has it, and cannot give it
    └── TypeMismatch
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lakeschema.catalog.identifiers import RelationName


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a view's text; both count from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


class TranslationError(Exception):
    """Root. ``relation`` and ``position`` are None where they are not known."""

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
    def __init__(self, construct: str, **where: object) -> None:
        super().__init__(f"{construct} is not supported", **where)  # type: ignore[arg-type]
        self.construct = construct


class UnsupportedFunction(Unsupported):
    def __init__(self, function: str, reason: str = "is not known", **where: object) -> None:
        super().__init__(f"function {function} {reason}", **where)  # type: ignore[arg-type]
        self.function = function


class UnsupportedType(Unsupported):
    def __init__(self, subject: str, type_text: str, reason: str, **where: object) -> None:
        super().__init__(f"{subject} has type {type_text}: {reason}", **where)  # type: ignore[arg-type]
        self.subject = subject
        self.type_text = type_text


class UdfResolverFailed(Unsupported):
    def __init__(self, class_name: str, reason: str, **where: object) -> None:
        super().__init__(
            f"what class {class_name} returns could not be resolved: {reason}",
            **where,  # type: ignore[arg-type]
        )
        self.class_name = class_name
        self.reason = reason


class MalformedDependency(Unsupported):
    def __init__(self, dependency: str, function: str, **where: object) -> None:
        super().__init__(
            f"function {function} depends on {dependency!r:.100}, which names no artifact",
            **where,  # type: ignore[arg-type]
        )
        self.dependency = dependency
        self.function = function


class RefusedByEngine(Unsupported):
    def __init__(self, subject: str, engine: str, reason: str, **where: object) -> None:
        super().__init__(f"{engine} refuses {subject}: {reason}", **where)  # type: ignore[arg-type]
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
    def __init__(self, column: str, candidates: Iterable[str] = (), **where: object) -> None:
        super().__init__(f"column {column} does not exist", **where)  # type: ignore[arg-type]
        self.column = column
        self.candidates = tuple(candidates)


class AmbiguousColumn(Broken):
    def __init__(self, column: str, candidates: Iterable[str] = (), **where: object) -> None:
        super().__init__(f"column {column} is ambiguous", **where)  # type: ignore[arg-type]
        self.column = column
        self.candidates = tuple(candidates)


class UnknownRelation(Broken):
    def __init__(self, missing: RelationName, **where: object) -> None:
        super().__init__(f"relation {missing} does not exist", **where)  # type: ignore[arg-type]
        self.missing = missing


class UnreadableRelation(Broken):
    def __init__(self, reason: str, **where: object) -> None:
        super().__init__(f"its catalog cannot give it: {reason}", **where)  # type: ignore[arg-type]
        self.reason = reason


class TypeMismatch(Broken):
    pass
