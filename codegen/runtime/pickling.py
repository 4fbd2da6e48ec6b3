"""Pickles and copies of records and of enums' members, which other versions of a package can read."""

from __future__ import annotations

import importlib
import sys

# Type checkers know the name; to import ``typing`` takes longer than the rest of a package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


OWN_PACKAGE = (__package__ or "").rpartition(".")[0]


def own_version() -> str:
    """The version of the package that this runtime belongs to."""
    return getattr(sys.modules.get(OWN_PACKAGE), "__version__", "")


def state_of(self: object) -> object:
    """``__getstate__`` of records: version, attributes, and what a subclass has besides."""
    held: Any = object.__getstate__(self)
    more, values = held if type(held) is tuple else (held, {})
    version = own_version()
    return (version, values) if more is None else (version, values, more)


def restore_record(self: object, state: object) -> None:
    """``__setstate__`` of records: a missing attribute has its default, an unknown one is dropped.

    Earlier releases pickled ``(None, values)``, or what a subclass has besides instead of None.
    """
    parts: Any = state
    record: Any = self
    version, values, *more = parts
    kind: Any = type(self)
    # That of immutable records refuses; where it does not, ``setattr`` is faster.
    put = setattr if kind.__setattr__ is object.__setattr__ else object.__setattr__
    try:
        for name, value in values.items():
            put(self, name, value)
        # One of a subclass takes any attribute.
        is_whole = len(values) == len(record.__slots__) and not hasattr(self, "__dict__")
    except AttributeError:
        is_whole = False
    if not isinstance(version, str):
        version, more = "of an earlier release", [version]
    if not is_whole:
        _records().complete(self, values, version)
    if more and more[0]:
        record.__dict__.update(more[0])


def reduce_member(self: object, _: object) -> object:
    """``__reduce_ex__`` of enums' members."""
    member: Any = self
    return load_member, (type(self), member._value_, own_version())


def load_member(enum: Any, symbol: str, version: str) -> object:
    """The member; of a symbol that this version lacks, the enum's default."""
    try:
        return enum(symbol)
    except ValueError:
        return _records().default_member(enum, symbol, version)


def _records() -> Any:
    return importlib.import_module(".records", __package__)
