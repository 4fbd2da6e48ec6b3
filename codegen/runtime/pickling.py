"""Pickles and copies records and members of enums. Other versions of a package can read the pickles."""

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


class MissingType:
    """Base of the stand-ins, in an unpickled value, for types that this version lacks.

    A record drops a stand-in together with its unknown attribute, and refuses it elsewhere. A
    stand-in outside of records raises an error at its first use, which names the missing type.
    """

    met = False
    """Whether a pickle of this process had one."""
    pickled = ""
    """The version that pickled it."""

    def __setstate__(self, state: object) -> None:
        version = state[0] if type(state) is tuple else None
        self.pickled = version if isinstance(version, str) else EARLIER

    def __repr__(self) -> str:
        return f"<a {type(self).__name__}, {self._reason()}>"

    def __getattr__(self, name: str) -> object:
        raise AttributeError(f"no {name!r}: a {type(self).__name__}, {self._reason()}")

    def _reason(self) -> str:
        return f"which this version lacks ({versions(self.pickled)})"


def types_of_pickles(types_module: str) -> Any:
    """``__getattr__`` for the module of a package's classes: finds types that other versions pickled.

    It returns the class with this name as an alias; otherwise a ``MissingType``.
    """

    def find(name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(f"module {types_module!r} has no attribute {name!r}")
        binding: Any = importlib.import_module(f"{OWN_PACKAGE}._codec").BINDING
        for full_name, node in binding.nodes.items():
            if any(alias.rpartition(".")[2] == name for alias in node.aliases):
                return binding.classes[full_name]
        MissingType.met = True
        return type(name, (MissingType,), {"__module__": types_module})

    return find


EARLIER = "of an earlier release"


def versions(pickled: str) -> str:
    """A text for errors: the version that pickled the value, and this version."""
    return f"pickled by {OWN_PACKAGE} {pickled}, read by {own_version()}"


def state_of(self: object) -> object:
    """``__getstate__`` of records: version, attributes, and a subclass's further attributes."""
    held: Any = object.__getstate__(self)
    more, values = held if type(held) is tuple else (held, {})
    version = own_version()
    return (version, values) if more is None else (version, values, more)


def restore_record(self: object, state: object) -> None:
    """``__setstate__`` of records: a missing attribute gets its default, an unknown attribute is dropped.

    Earlier releases pickled ``(None, values)``, with a subclass's further attributes in place of None.
    """
    parts: Any = state
    record: Any = self
    version, values, *more = parts
    kind: Any = type(self)
    # The ``__setattr__`` of immutable records refuses changes. For other records ``setattr`` is faster.
    put = setattr if kind.__setattr__ is object.__setattr__ else object.__setattr__
    try:
        for name, value in values.items():
            put(self, name, value)
        # A record of a subclass accepts any attribute.
        is_whole = len(values) == len(record.__slots__) and not hasattr(self, "__dict__")
    except AttributeError:
        is_whole = False
    if not isinstance(version, str):
        version, more = EARLIER, [version]
    if not is_whole or MissingType.met:
        _records().complete(self, values, version)
    if more and more[0]:
        record.__dict__.update(more[0])


def reduce_member(self: object, _: object) -> object:
    """``__reduce_ex__`` of enums' members."""
    member: Any = self
    return load_member, (type(self), member._value_, own_version())


def load_member(enum: Any, symbol: str, version: str) -> object:
    """The member for the symbol; the enum's default if this version lacks the symbol."""
    if issubclass(enum, MissingType):
        missing = enum()
        missing.pickled = version
        return missing
    try:
        return enum(symbol)
    except ValueError:
        return _records().default_member(enum, symbol, version)


def _records() -> Any:
    return importlib.import_module(".records", __package__)
