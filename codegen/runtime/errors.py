"""What can be wrong with bytes, values and schemas.

AvroError
├── InvalidAvro          bytes that are not a value of the schema
├── InvalidValue         a value that the schema does not allow; ``path`` leads to it
│   └── InvalidValues    several of them, which ``faults`` lists
├── UnresolvableSchema   a writer's schema that cannot be read with this package's
├── UnknownSchema        a frame whose writer's schema is not known
├── MissingCodec         a codec whose library is not installed
├── NotInSpark           a type that Spark has no column for, or a missing column
└── NotInArrow           a type that Arrow has no column for
"""

from __future__ import annotations

import sys

# Type checkers know the name; to import ``typing`` takes longer than the rest of a package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    _AtPath = TypeVar("_AtPath", bound="_ErrorAtPath")
    C = TypeVar("C", bound=type)


_REVISION = 1
"""To raise when a class of this module changes what it does."""


def _shared(own: C) -> C:
    """The class that all packages of the process have.

    Packages share no code, and ``except`` looks at real bases only: the package that is imported
    first lends its class to the others. What the class does, the newest of their runtimes says. So
    no method may call ``super()``, which knows only the class that it was written in.
    """
    family = vars(sys.modules.setdefault(_FAMILY.__name__, _FAMILY))
    shared: C = family.setdefault(own.__name__, own)
    if shared is own or vars(shared).get("_revision", 0) < _REVISION:
        for name, value in {**vars(own), "_revision": _REVISION}.items():
            if name not in _OF_EACH_CLASS:
                setattr(shared, name, value)
    return shared


_FAMILY = type(sys)("avro_schema_package_errors")
_OF_EACH_CLASS = ("__dict__", "__weakref__", "__module__", "__qualname__", "__firstlineno__")


@_shared
class AvroError(ValueError):
    """Root of the errors of all generated packages."""


@_shared
class InvalidAvro(AvroError):
    """Bytes that are not a value of the schema."""


@_shared
class _ErrorAtPath(AvroError):
    """``path`` leads to what is wrong, such as ``lines[2].price``; "" is the whole."""

    def __init__(self, path: str, reason: str) -> None:
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}" if self.path else self.reason


@_shared
class InvalidValue(_ErrorAtPath):
    """A value that the schema does not allow.

    ``faults`` are all that were found: this error alone, or those of an ``InvalidValues``.
    """

    @property
    def faults(self) -> tuple[InvalidValue, ...]:
        return (self,)


_MOST_SHOWN = 20
"""The faults that the text of ``InvalidValues`` lists."""


@_shared
class InvalidValues(InvalidValue):
    """Several invalid values of one record; ``path`` and ``reason`` are those of the first."""

    def __init__(self, faults: list[InvalidValue] | tuple[InvalidValue, ...]) -> None:
        found = tuple(faults)
        self.args = (found,)
        self.path = found[0].path
        self.reason = found[0].reason
        self._faults = found

    @property
    def faults(self) -> tuple[InvalidValue, ...]:
        return self._faults

    def __str__(self) -> str:
        found = self._faults
        lines = [f"  {fault}" for fault in found[:_MOST_SHOWN]]
        if len(found) > _MOST_SHOWN:
            lines.append(f"  and {len(found) - _MOST_SHOWN} more")
        return "\n".join([f"{len(found)} values are invalid:", *lines])


def invalid(faults: list[InvalidValue]) -> InvalidValue:
    """One error for all faults, of which there is at least one."""
    return faults[0] if len(faults) == 1 else InvalidValues(faults)


@_shared
class UnresolvableSchema(_ErrorAtPath):
    """A writer's schema, or a value written with it, that cannot be read with the reader's."""


@_shared
class UnknownSchema(AvroError):
    """A frame whose writer's schema is not known; ``identity`` is its fingerprint or its id."""

    def __init__(self, identity: str, reason: str) -> None:
        self.identity = identity
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.identity}: {self.reason}"


@_shared
class MissingCodec(AvroError):
    """A codec that needs one of ``libraries``, none of which is installed."""

    def __init__(self, codec: str, libraries: tuple[str, ...]) -> None:
        self.codec = codec
        self.libraries = libraries

    def __str__(self) -> str:
        return f"codec {self.codec!r} needs one of {', '.join(self.libraries)}; none is installed"


@_shared
class NotInSpark(AvroError):
    """A type that Spark has no column for, or a column that a relation on Spark lacks."""


@_shared
class NotInArrow(AvroError):
    """A type that Arrow has no column for."""


def located(place: str, error: AvroError) -> AvroError:
    """The error, saying where its value stands: in which file, record, row or line."""
    match error:
        case _ if not place:
            return error
        case InvalidValues(faults=faults):
            return InvalidValues([_located(place, fault) for fault in faults])
        case _ErrorAtPath():
            return _located(place, error)
        case UnknownSchema() | MissingCodec():
            error.add_note(place)
            return error
        case _:
            return type(error)(f"{place}: {error}")


def _located(place: str, error: _AtPath) -> _AtPath:
    return type(error)(f"{place}: {error.path}" if error.path else place, error.reason)


def short_repr(value: object) -> str:
    """A value, short enough for an error message."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - of the value's own class
        # Python refuses to print an int of more than 4300 digits.
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 80 else text[:79] + "…"
