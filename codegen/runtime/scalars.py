"""Converts single values to and from bytes, for generated code that calls a function."""

from __future__ import annotations

import datetime as dt
import decimal
import math
import struct
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeGuard

from .errors import InvalidAvro, InvalidValue, short_repr
from .frozen import items_in, restore
from .plain_values import plain, plain_of
from .varints import INT_MAX, INT_MIN, LONG_MAX, LONG_MIN

FLOAT: Final = struct.Struct("<f")
DOUBLE: Final = struct.Struct("<d")
DURATION: Final = struct.Struct("<III")
UNSIGNED_INT_MAX: Final = 2**32 - 1

# The interpreter finds these names faster than attributes of a module.
_DATE: Final = dt.date
_DATETIME: Final = dt.datetime
_UTC: Final = dt.UTC
EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
LOCAL_EPOCH: Final = dt.datetime(1970, 1, 1)  # noqa: DTZ001
EPOCH_DAY: Final = EPOCH.toordinal()
_DAY_MICROS: Final = 86_400_000_000
# Multiplying these makes a timedelta in half the time of its constructor.
_MILLISECOND: Final = dt.timedelta(milliseconds=1)
_MICROSECOND: Final = dt.timedelta(microseconds=1)

# Scaling must not round, even if the caller's thread has another decimal context.
_EXACT: Final = decimal.Context(
    prec=decimal.MAX_PREC, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[]
)

# As far as the precision of decimals in Hive and Spark.
_POWERS_OF_TEN: Final = tuple(10**exponent for exponent in range(39))
# For each scale, the value of a 1 in a decimal's last digit.
_UNITS: Final = tuple(decimal.Decimal((0, (1,), -scale)) for scale in range(39))

_new: Final = object.__new__
_put: Final = object.__setattr__


class Duration:
    """Avro's duration: months, days and milliseconds, which do not convert into each other.

    Immutable, so that its hash, and that of a record which contains it, does not change.
    """

    __slots__ = ("days", "milliseconds", "months")
    __match_args__ = ()
    # Packages recognise each other's durations by this attribute.
    __avro_duration__ = True

    def __init__(self, *, months: int = 0, days: int = 0, milliseconds: int = 0) -> None:
        _put(self, "__class__", _DraftDuration)
        self.months: Final[int] = months
        self.days: Final[int] = days
        self.milliseconds: Final[int] = milliseconds
        _put(self, "__class__", Duration)

    def __eq__(self, other: object) -> bool:
        if not is_duration(other):
            return NotImplemented
        return (
            self.months == other.months
            and self.days == other.days
            and self.milliseconds == other.milliseconds
        )

    def __hash__(self) -> int:
        return hash((self.months, self.days, self.milliseconds))

    def __repr__(self) -> str:
        return (
            f"Duration(months={self.months!r}, days={self.days!r}, "
            f"milliseconds={self.milliseconds!r})"
        )

    def __init_subclass__(cls) -> NoReturn:
        raise TypeError(f"{cls.__name__}: Duration cannot be subclassed")

    # If type checkers saw a ``__setattr__``, they would allow setting any attribute.
    if not TYPE_CHECKING:

        def __setattr__(self, name: str, _: object) -> NoReturn:
            raise AttributeError(f"Duration is immutable: {name} cannot be set")

        def __delattr__(self, name: str) -> NoReturn:
            raise AttributeError(f"Duration is immutable: {name} cannot be deleted")

        __setstate__ = restore


class _DraftDuration:
    """A duration under construction: the same slots, which can be set."""

    __slots__ = Duration.__slots__


# Reading.


def take(data: bytes, at: int, size: int) -> bytes:
    if size > len(data) - at:
        raise InvalidAvro("unexpected end of input")
    return data[at : at + size]


class _Booleans(dict[int, bool]):
    def __missing__(self, byte: int) -> NoReturn:
        raise InvalidAvro(f"expected boolean byte 0 or 1, got {byte}")


boolean_of_byte: Final = _Booleans({0: False, 1: True})


def date_from(days: int) -> dt.date:
    try:
        return dt.date.fromordinal(EPOCH_DAY + days)
    except (ValueError, OverflowError):
        raise InvalidAvro(f"date out of range: day {days} is outside years 1 to 9999") from None


def time_from_millis(millis: int) -> dt.time:
    return time_from_micros(millis * 1000)


def time_from_micros(micros: int) -> dt.time:
    if not 0 <= micros < _DAY_MICROS:
        raise InvalidAvro(f"time of day out of range: {micros} µs")
    seconds, micros = divmod(micros, 1_000_000)
    minutes, seconds = divmod(seconds, 60)
    return dt.time(minutes // 60, minutes % 60, seconds, micros)


def timestamp_from_millis(millis: int) -> dt.datetime:
    try:
        return EPOCH + _MILLISECOND * millis
    except OverflowError:
        raise _timestamp_out_of_range(millis * 1000) from None


def timestamp_from_micros(micros: int) -> dt.datetime:
    try:
        return EPOCH + _MICROSECOND * micros
    except OverflowError:
        raise _timestamp_out_of_range(micros) from None


def local_from_millis(millis: int) -> dt.datetime:
    try:
        return LOCAL_EPOCH + _MILLISECOND * millis
    except OverflowError:
        raise _timestamp_out_of_range(millis * 1000) from None


def interval_from_micros(micros: int) -> dt.timedelta:
    return _MICROSECOND * micros


def local_from_micros(micros: int) -> dt.datetime:
    try:
        return LOCAL_EPOCH + _MICROSECOND * micros
    except OverflowError:
        raise _timestamp_out_of_range(micros) from None


def _timestamp_out_of_range(micros: int) -> InvalidAvro:
    return InvalidAvro(f"timestamp out of range: {micros} µs is outside years 1 to 9999")


def decimal_from(data: bytes, precision: int, scale: int) -> decimal.Decimal:
    # The bound on the length keeps the time linear for untrusted bytes.
    if len(data) > precision + 1:
        data = _without_sign_bytes(data, precision)
    unscaled = int.from_bytes(data, "big", signed=True)
    limit = _POWERS_OF_TEN[precision] if precision < 39 else 10**precision
    if -limit < unscaled < limit:
        if scale < 39:
            # Takes half the time of the general function.
            return _EXACT.multiply(unscaled, _UNITS[scale])
        return decimal_of_unscaled(unscaled, scale)
    raise InvalidAvro(f"decimal has more than {precision} digits")


def decimal_of_unscaled(unscaled: int, scale: int) -> decimal.Decimal:
    return decimal.Decimal(unscaled).scaleb(-scale, _EXACT)


def _without_sign_bytes(data: bytes, precision: int) -> bytes:
    end = data[-precision - 1 :]
    sign = b"\xff" if end[0] & 128 else b"\0"
    if data[: -precision - 1].strip(sign):
        raise InvalidAvro(f"decimal has more than {precision} digits")
    return end


def uuid_from(text: str) -> uuid.UUID:
    if len(text) == 36 and text[8] == text[13] == text[18] == text[23] == "-" and text.isascii():
        try:
            return uuid.UUID(text)
        except ValueError:
            pass
    raise InvalidAvro(f"expected UUID, got {short_repr(text)}")


def uuid_from_bytes(data: bytes) -> uuid.UUID:
    if len(data) != 16:
        raise InvalidAvro("unexpected end of input in a UUID")
    return uuid.UUID(bytes=data)


def duration_from(data: bytes) -> Duration:
    if len(data) != 12:
        raise InvalidAvro("unexpected end of input in a duration")
    made: Any = _new(_DraftDuration)
    made.months, made.days, made.milliseconds = DURATION.unpack(data)
    made.__class__ = Duration
    duration: Duration = made
    return duration


# Writing. Each function refuses values that are not of its type; the caller adds the path.


def int_of(value: object) -> int:
    number: int = plain(value, "int")
    if INT_MIN <= number <= INT_MAX:
        return number
    raise InvalidValue("", f"{short_repr(value)} does not fit into 32 bits")


def long_of(value: object) -> int:
    number: int = plain(value, "int")
    if LONG_MIN <= number <= LONG_MAX:
        return number
    raise InvalidValue("", f"{short_repr(value)} does not fit into 64 bits")


def double_of(value: object) -> float:
    number = plain_of(value)
    if type(number) is int:
        try:
            return float(number)
        except OverflowError:
            raise InvalidValue("", f"{short_repr(value)} does not fit into a double") from None
    return plain(value, "float")  # type: ignore[no-any-return]


def float_of(value: object) -> float:
    number = double_of(value)
    try:
        FLOAT.pack(number)
    except OverflowError:
        raise InvalidValue("", f"{short_repr(value)} does not fit into 32 bits") from None
    return number


def rounded_to_single(value: float) -> float:
    """The nearest float that 32 bits represent; infinity beyond the greatest."""
    try:
        single: float = FLOAT.unpack(FLOAT.pack(value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return single


def is_single(value: float) -> bool:
    """Whether 32 bits represent a float exactly."""
    return value != value or rounded_to_single(value) == value  # noqa: PLR0124


def boolean_of(value: object) -> bool:
    if value is True or value is False:
        return value
    return plain(value, "bool")  # type: ignore[no-any-return]


def null_of(value: object) -> None:
    if value is not None:
        raise InvalidValue("", f"expected None, got {short_repr(value)}")


def text_of(value: object) -> str:
    text: str = plain(value, "str")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidValue("", f"{short_repr(value)} contains an unpaired surrogate") from None
    return text


def bytes_of(value: object) -> bytes:
    return plain(value, "bytes")  # type: ignore[no-any-return]


def fixed_of(value: object, size: int) -> bytes:
    data = bytes_of(value)
    if len(data) != size:
        raise InvalidValue("", f"expected {size} bytes, got {len(data)}")
    return data


def list_of(value: object) -> list[Any]:
    """The items of a list, or of another sequence or array."""
    if (items := items_in(value)) is None:
        raise InvalidValue("", f"expected list, got {short_repr(value)}")
    return list(items)


def dict_of(value: object) -> dict[Any, Any]:
    """The entries of a dict, or of another mapping."""
    if not isinstance(value, Mapping):
        raise InvalidValue("", f"expected dict, got {short_repr(value)}")
    return dict(value)


def days_of(value: object) -> int:
    day: dt.date = value if type(value) is _DATE else plain(value, "date")
    return day.toordinal() - EPOCH_DAY


def time_millis_of(value: object) -> int:
    millis, rest = divmod(time_micros_of(value), 1000)
    if rest:
        raise _finer_than_millis(value)
    return millis


def time_micros_of(value: object) -> int:
    time: dt.time = value if type(value) is dt.time else plain(value, "time")
    if time.tzinfo is not None:
        raise InvalidValue("", f"expected a time without time zone, got {short_repr(value)}")
    seconds = (time.hour * 60 + time.minute) * 60 + time.second
    return seconds * 1_000_000 + time.microsecond


def interval_micros_of(value: object) -> int:
    since: dt.timedelta = value if type(value) is dt.timedelta else plain(value, "timedelta")
    micros = (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    if not LONG_MIN <= micros <= LONG_MAX:
        raise InvalidValue("", f"expected microseconds that fit into 64 bits, got {value}")
    return micros


# The four functions repeat lines, because calls would make them a third slower. Using days and
# seconds takes half the time of a division by a timedelta.


def timestamp_millis_of(value: Any) -> int:
    if type(value) is not _DATETIME or value.tzinfo is not _UTC:
        value = _instant_of(value)
    since: dt.timedelta = value - EPOCH
    micros = since.microseconds
    if not micros:
        return (since.days * 86_400 + since.seconds) * 1000
    if micros % 1000:
        raise _finer_than_millis(value)
    return (since.days * 86_400 + since.seconds) * 1000 + micros // 1000


def timestamp_micros_of(value: Any) -> int:
    if type(value) is not _DATETIME or value.tzinfo is not _UTC:
        value = _instant_of(value)
    since: dt.timedelta = value - EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def local_millis_of(value: Any) -> int:
    if type(value) is not _DATETIME or value.tzinfo is not None:
        value = _local_of(value)
    since: dt.timedelta = value - LOCAL_EPOCH
    micros = since.microseconds
    if not micros:
        return (since.days * 86_400 + since.seconds) * 1000
    if micros % 1000:
        raise _finer_than_millis(value)
    return (since.days * 86_400 + since.seconds) * 1000 + micros // 1000


def local_micros_of(value: Any) -> int:
    if type(value) is not _DATETIME or value.tzinfo is not None:
        value = _local_of(value)
    since: dt.timedelta = value - LOCAL_EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def _instant_of(value: object) -> dt.datetime:
    moment: dt.datetime = plain(value, "datetime")
    if moment.utcoffset() is None:
        raise InvalidValue("", f"expected a datetime with time zone, got {short_repr(value)}")
    try:
        return moment.astimezone(_UTC)
    except OverflowError:
        # In UTC the moment is in the year 0 or 10000, which no datetime can have.
        raise InvalidValue("", f"{short_repr(value)} is outside years 1 to 9999 in UTC") from None


def _local_of(value: object) -> dt.datetime:
    moment: dt.datetime = plain(value, "datetime")
    if moment.tzinfo is not None:
        raise InvalidValue("", f"expected a datetime without time zone, got {short_repr(value)}")
    return moment


def _finer_than_millis(value: object) -> InvalidValue:
    return InvalidValue("", f"{short_repr(value)} is finer than milliseconds")


def unscaled_of(value: Any, precision: int, scale: int) -> int:
    if type(value) is not decimal.Decimal:
        value = plain(value, "Decimal")
    if not value.is_finite():
        raise InvalidValue("", f"expected a finite Decimal, got {short_repr(value)}")
    if not value:
        return 0
    # Compares magnitudes first, because a Decimal may represent a number of a billion digits.
    if value.adjusted() + scale < precision:
        scaled = value.scaleb(scale, _EXACT)
        unscaled = int(scaled)
        if unscaled == scaled:
            return unscaled
    raise InvalidValue("", f"expected decimal({precision},{scale}), got {short_repr(value)}")


def is_decimal(value: decimal.Decimal, precision: int, scale: int) -> bool:
    try:
        unscaled_of(value, precision, scale)
    except InvalidValue:
        return False
    return True


def decimal_bytes_of(value: object, precision: int, scale: int) -> bytes:
    unscaled = unscaled_of(value, precision, scale)
    # Writes as few bytes of two's complement as possible, like Java.
    bits = unscaled.bit_length() if unscaled >= 0 else (~unscaled).bit_length()
    return unscaled.to_bytes(bits // 8 + 1, "big", signed=True)


def decimal_fixed_of(value: object, precision: int, scale: int, size: int) -> bytes:
    return unscaled_of(value, precision, scale).to_bytes(size, "big", signed=True)


def uuid_text_of(value: object) -> str:
    return str(value if type(value) is uuid.UUID else plain(value, "UUID"))


def uuid_bytes_of(value: object) -> bytes:
    data: bytes = plain(value, "UUID").bytes
    return data


def is_duration(value: object) -> TypeGuard[Duration]:
    """Whether a value is a duration, of this package or of another."""
    return getattr(type(value), "__avro_duration__", False) is True


def own_duration(value: object) -> Duration:
    """A duration as one of this package."""
    if isinstance(value, Duration):
        return value
    if not is_duration(value):
        raise InvalidValue("", f"expected Duration, got {short_repr(value)}")
    return Duration(months=value.months, days=value.days, milliseconds=value.milliseconds)


def duration_of(value: object) -> bytes:
    value = own_duration(value)
    try:
        return DURATION.pack(value.months, value.days, value.milliseconds)
    except struct.error:
        raise InvalidValue(
            "", f"{short_repr(value)} has a part outside 0 to {UNSIGNED_INT_MAX}"
        ) from None
