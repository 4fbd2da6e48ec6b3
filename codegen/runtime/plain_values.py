"""Converts values of subclasses of the plain classes, and numpy's scalars, to the plain classes.

A ``pandas.Timestamp`` becomes a ``datetime``, an ``IntEnum`` an ``int``, a ``numpy.float32`` a ``float``.
Python's classes keep no nanoseconds: a value that has some is refused.
"""

from __future__ import annotations

import datetime as dt
import decimal
import sys
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Final

from .errors import InvalidValue, short_repr


def plain(value: object, name: str) -> Any:
    """A value of the plain class with this name, or of a subclass, as exactly the plain class.

    Raises:
        InvalidValue: the value is of another class, or is finer than microseconds.
    """
    wanted = _CLASSES[name]
    found = value if type(value) is wanted else plain_of(value)
    if type(found) is not wanted:
        raise InvalidValue("", f"expected {name}, got {short_repr(value)}")
    return found


def plain_of(value: object) -> Any:
    """The value converted to the first plain class among its classes. Other values stay unchanged.

    Raises:
        InvalidValue: the value is finer than microseconds.
    """
    if type(value) in _EXACT:
        return value
    for class_, convert in _CONVERSIONS:
        if isinstance(value, class_):
            return convert(value)
    return _of_numpy(value)


def rounded_down(value: Any) -> Any:
    """A value, rounded down to whole microseconds."""
    if isinstance(value, dt.datetime) and value == value:  # noqa: PLR0124
        return _datetime_down(value)
    if isinstance(value, dt.timedelta):
        return _timedelta_down(value)
    return _of_numpy(value, rounds=True)


def _datetime(value: Any) -> Any:
    # pandas' NaT is a datetime, and the only datetime that differs from itself.
    if value != value:  # noqa: PLR0124
        return value
    _require_whole_micros(value, getattr(value, "nanosecond", 0))
    return _datetime_down(value)


def _datetime_down(value: Any) -> Any:
    return _CLASSES["datetime"](
        value.year, value.month, value.day, value.hour, value.minute, value.second,
        value.microsecond, value.tzinfo, fold=value.fold,
    )  # fmt: skip


def _timedelta(value: Any) -> dt.timedelta:
    _require_whole_micros(value, getattr(value, "nanoseconds", 0))
    return _timedelta_down(value)


def _timedelta_down(value: Any) -> dt.timedelta:
    if hasattr(value, "nanoseconds"):
        # Uses pandas' fields, which may be larger than those of the base class.
        return dt.timedelta(value.days, value.seconds, value.microseconds)
    # Does not use the fields: in pendulum they have other values.
    return dt.timedelta.__add__(value, dt.timedelta())


def _time(value: Any) -> dt.time:
    return dt.time(
        value.hour, value.minute, value.second, value.microsecond, value.tzinfo, fold=value.fold
    )


def _require_whole_micros(value: object, nanoseconds: int) -> None:
    if nanoseconds:
        raise InvalidValue("", f"{short_repr(value)} is finer than microseconds")


# freezegun replaces names such as ``datetime.datetime`` in modules by its own classes,
# but it does not replace the values in a module's containers.
_CLASSES: Final[Mapping[str, Any]] = {
    "bool": bool,
    "int": int,
    "float": float,
    "str": str,
    "bytes": bytes,
    "datetime": dt.datetime,
    "date": dt.date,
    "time": dt.time,
    "timedelta": dt.timedelta,
    "Decimal": decimal.Decimal,
    "UUID": uuid.UUID,
}
_EXACT: Final = frozenset(_CLASSES.values())

# Uses the methods of the plain classes, because an enum's ``__str__`` may not return its value.
_CONVERSIONS: Final[tuple[tuple[Any, Callable[[Any], Any]], ...]] = (
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
    (bytes, bytes.__bytes__),
    ((bytearray, memoryview), bytes),
    (dt.datetime, _datetime),
    (dt.date, lambda value: _CLASSES["date"](value.year, value.month, value.day)),
    (dt.time, _time),
    (dt.timedelta, _timedelta),
    (decimal.Decimal, decimal.Decimal),
    (uuid.UUID, lambda value: uuid.UUID(int=value.int)),
)


_FINER: Final = frozenset({"ns", "ps", "fs", "as"})


def _of_numpy(given: object, *, rounds: bool = False) -> Any:
    # A program with a value of numpy has imported numpy.
    numpy: Any = sys.modules.get("numpy")
    if numpy is None or not isinstance(given, getattr(numpy, "generic", ())):
        return given
    value: Any = given
    kind = value.dtype.kind
    if kind not in "mM":
        return value.item()
    if numpy.isnat(value):
        return value
    if numpy.datetime_data(value.dtype)[0] in _FINER:
        micros = value.astype(f"{kind}8[us]")
        _require_whole_micros(value, not rounds and micros != value)
        value = micros
    found = value.item()
    # A number that Python's classes cannot hold.
    return given if type(found) is int else found
