"""Converts leaves that are text in plain JSON: moments, decimals, UUIDs, durations, bytes.

A reader accepts only the documented notation, and refuses digits that its type cannot keep.
"""

from __future__ import annotations

import base64
import datetime as dt
import decimal
import re
import uuid
from typing import Any, Final

from . import scalars
from .binding import Binding
from .errors import InvalidAvro, InvalidValue, short_repr
from .json_documents import (
    Convert,
    WrittenNumber,
    base_writer,
    enum_reader,
    shown,
    text_in,
    typed_reader,
)
from .schema import Node
from .values import to_base

_CLOCK: Final = r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?"
_DAY: Final = r"\d{4}-\d\d-\d\d"
_ZONE: Final = r"(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)"
_DECIMAL: Final = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,9})?", re.ASCII)
_DURATION: Final = re.compile(
    r"P(?!\Z)(?:(\d{1,10})M)?(?:(\d{1,10})D)?(?:T(\d{1,7})(?:\.(\d{3}))?S)?", re.ASCII
)

_INTERVAL: Final = re.compile(
    r"(-)?P(?!\Z)(?:(\d{1,9})D)?(?:T(\d{1,14})(?:\.(\d{1,6}))?S)?", re.ASCII
)

# For each logical type without its unit: the notation, the Python class, and the name in messages.
_MOMENTS: Final[dict[str, tuple[re.Pattern[str], Any, str]]] = {
    "date": (re.compile(_DAY, re.ASCII), dt.date, 'date such as "2024-01-31"'),
    "time": (re.compile(_CLOCK, re.ASCII), dt.time, 'time of day such as "23:59:59.123456"'),
    "timestamp": (
        re.compile(f"{_DAY}T{_CLOCK}{_ZONE}", re.ASCII),
        dt.datetime,
        'moment with a zone such as "2024-01-31T23:59:59.123456Z"',
    ),
    "local-timestamp": (
        re.compile(f"{_DAY}T{_CLOCK}", re.ASCII),
        dt.datetime,
        'moment without a zone such as "2024-01-31T23:59:59.123456"',
    ),
}


def text_writer(binding: Binding, node: Node) -> Convert:
    """A function that writes a leaf as text. It raises ``InvalidValue`` for an invalid value."""
    # ``base`` first checks the value and makes it plain; an instant becomes UTC.
    base, typed = base_writer(node), typed_reader(binding, node)
    match node.logical:
        case "":
            return lambda value: base64.b64encode(base(value)).decode("ascii")
        case "uuid":
            return (
                base if node.kind == "string" else lambda value: str(uuid.UUID(bytes=base(value)))
            )
        case "decimal":
            return _decimal_writer(node)
        case "duration":
            return lambda value: _duration_text(typed(base(value)))
        case "day-time-interval-micros":
            return lambda value: _interval_text(typed(base(value)))
        case _:
            return lambda value: _iso(typed(base(value)))


def text_reader(binding: Binding, node: Node) -> Convert:
    """A function that reads a leaf from the text that ``text_writer`` writes."""
    if node.kind == "enum":
        return enum_reader(binding.classes[node.name], node.symbols)
    match node.logical:
        case "":
            return _bytes_reader(binding, node)
        case "uuid":
            return _uuid
        case "decimal":
            return lambda document: _decimal(document, node.precision, node.scale)
        case "duration":
            return _duration
        case "day-time-interval-micros":
            return _interval
        case _:
            return _moment_reader(binding, node)


def _iso(value: Any) -> str:
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        return f"{value.replace(tzinfo=None).isoformat()}Z"
    text: str = value.isoformat()
    return text


def _moment_reader(binding: Binding, node: Node) -> Convert:
    pattern, class_, expected = _MOMENTS[unit_free(node.logical)]
    typed = typed_reader(binding, node)

    def read(document: Any) -> Any:
        text = text_in(document, f"a {expected}")
        try:
            if pattern.fullmatch(text):
                return typed(to_base(node, class_.fromisoformat(text), ""))
        except (ValueError, OverflowError) as error:
            if isinstance(error, InvalidValue):
                raise
        raise InvalidValue("", f"expected a {expected}; got {short_repr(text)}")

    return read


def unit_free(logical: str) -> str:
    """The logical type without its unit: ``timestamp`` for ``timestamp-micros``."""
    for unit in ("-millis", "-micros", "-nanos"):
        logical = logical.removesuffix(unit)
    return logical


def _decimal_writer(node: Node) -> Convert:
    precision, scale = node.precision, node.scale

    def write(value: Any) -> str:
        unscaled = scalars.unscaled_of(value, precision, scale)
        digits = str(abs(unscaled)).zfill(scale + 1)
        whole, fraction = digits[: len(digits) - scale], digits[len(digits) - scale :]
        return f"{'-' if unscaled < 0 else ''}{whole}{'.' if scale else ''}{fraction}"

    return write


def _decimal(document: Any, precision: int, scale: int) -> decimal.Decimal:
    """A decimal from text, or from a JSON number, which is how Spark and Hive write decimals.

    A float is refused, because ``json.loads`` has rounded it.
    """
    written = document.text if isinstance(document, WrittenNumber) else document
    is_whole = isinstance(written, int) and not isinstance(written, bool)
    if not is_whole and not (isinstance(written, str) and _DECIMAL.fullmatch(written)):
        raise InvalidValue("", f'expected a decimal as text such as "12.50"; got {shown(document)}')
    unscaled = scalars.unscaled_of(decimal.Decimal(written), precision, scale)
    return scalars.decimal_of_unscaled(unscaled, scale)


def _uuid(document: Any) -> Any:
    try:
        return scalars.uuid_from(text_in(document, "a UUID"))
    except InvalidAvro as error:
        raise InvalidValue("", str(error)) from None


def _duration_text(value: scalars.Duration) -> str:
    seconds, millis = divmod(value.milliseconds, 1000)
    return f"P{value.months}M{value.days}DT{seconds}.{millis:03}S"


def _duration(document: Any) -> scalars.Duration:
    expected = 'a duration such as "P14M3DT1.500S"'
    text = text_in(document, expected)
    found = _DURATION.fullmatch(text)
    if found is None:
        raise InvalidValue("", f"expected {expected}; got {short_repr(text)}")
    months, days, seconds, millis = (int(part or 0) for part in found.groups())
    value = scalars.Duration(months=months, days=days, milliseconds=seconds * 1000 + millis)
    scalars.duration_of(value)
    return value


def _interval_text(value: dt.timedelta) -> str:
    whole = abs(value)
    fraction = f".{whole.microseconds:06}" if whole.microseconds else ""
    return f"{'-' if value < dt.timedelta() else ''}P{whole.days}DT{whole.seconds}{fraction}S"


def _interval(document: Any) -> dt.timedelta:
    expected = 'an interval such as "P3DT4.500000S"'
    text = text_in(document, expected)
    found = _INTERVAL.fullmatch(text)
    if found is None:
        raise InvalidValue("", f"expected {expected}; got {short_repr(text)}")
    sign, days, seconds, fraction = found.groups()
    micros = int((fraction or "").ljust(6, "0"))
    value = dt.timedelta(int(days or 0), int(seconds or 0), micros)
    value = -value if sign else value
    scalars.interval_micros_of(value)
    return value


def _bytes_reader(binding: Binding, node: Node) -> Convert:
    typed = typed_reader(binding, node)
    size = node.size if node.kind == "fixed" else None

    def read(document: Any) -> Any:
        text = text_in(document, "bytes as base64")
        try:
            data = base64.b64decode(text.encode("ascii"), validate=True)
        except ValueError:
            raise InvalidValue("", f"expected bytes as base64; got {short_repr(text)}") from None
        return typed(data if size is None else scalars.fixed_of(data, size))

    return read
