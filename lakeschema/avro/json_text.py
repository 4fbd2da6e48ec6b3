"""Reads JSON from untrusted sources: bounded, and strictly by the JSON standard.

Python's reader accepts NaN, turns 1e999 into infinity, and keeps the last of two equal keys. This
module refuses all three.
"""

from __future__ import annotations

import json
import math
import re

from lakeschema.avro.errors import MalformedAvroSchema
from lakeschema.avro.model import Json

MAX_CHARACTERS = 4_000_000
"""Longer text is refused unread. This is 40 times a schema of 800 documented columns."""

MAX_JSON_DEPTH = 100
"""The maximum nesting of a default or a property."""

_SURROGATE = re.compile(r"\\[uU][dD][89a-fA-F]|[\ud800-\udfff]")

_WRITER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)


def compact(value: Json) -> str:
    """The value as JSON text in Unicode, without whitespace."""
    return _WRITER.encode(value)


def read_json(text: str) -> Json:
    """Reads one JSON value.

    Raises:
        MalformedAvroSchema: with path ``$``; the reason says where, if the text is not JSON.
    """
    if len(text) > MAX_CHARACTERS:
        raise MalformedAvroSchema("$", f"the text is longer than {MAX_CHARACTERS:,} characters")
    try:
        value: Json = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_float=_finite,
        )
    except json.JSONDecodeError as error:
        raise _not_json(text, error) from None
    except RecursionError:
        raise MalformedAvroSchema("$", "the text is nested too deeply") from None
    except ValueError:
        # Python refuses to convert integers of more than some thousand digits.
        raise MalformedAvroSchema("$", "a number has too many digits") from None
    # Text is usually plain ASCII, and this check is far cheaper than the search.
    if ("\\" in text or not text.isascii()) and _SURROGATE.search(text) is not None:
        _refuse_lone_surrogates(value)
    return value


def _not_json(text: str, error: json.JSONDecodeError) -> MalformedAvroSchema:
    place = f"at line {error.lineno}, column {error.colno}"
    found = text[error.pos : error.pos + 1]
    if not error.msg.startswith("Invalid control character"):
        return MalformedAvroSchema("$", f"the text is not JSON: {error.msg} {place}")
    escape = f"\\u{ord(found):04x}"
    reason = f"the text is not JSON: control character {escape} within a string {place}"
    hint = f"write {escape} in JSON, and \\{escape} within a string of SQL, which takes one backslash away"
    return MalformedAvroSchema("$", reason, hint)


def refuse_deep_json(value: Json, path: str, depth: int = 0) -> None:
    """Raises ``MalformedAvroSchema`` if lists and objects are nested beyond ``MAX_JSON_DEPTH``."""
    if depth > MAX_JSON_DEPTH:
        raise MalformedAvroSchema(path, f"is nested more than {MAX_JSON_DEPTH} levels deep")
    if isinstance(value, dict):
        for item in value.values():
            refuse_deep_json(item, path, depth + 1)
    elif isinstance(value, list):
        for item in value:
            refuse_deep_json(item, path, depth + 1)


def shown(value: object) -> str:
    """An untrusted value, short enough for an error message."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "…" + text[-1]


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise MalformedAvroSchema("$", f"duplicate key {shown(key)} in an object")
            seen.add(key)
    return found


def _constant(name: str) -> Json:
    raise MalformedAvroSchema("$", f"{name} is not valid JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise MalformedAvroSchema("$", f"the number {shown(digits)} is too large")
    return number


def _refuse_lone_surrogates(value: Json) -> None:
    try:
        # Reading joined proper pairs into one character; lone halves cannot be encoded.
        json.dumps(value, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        raise MalformedAvroSchema("$", "a string contains an unpaired surrogate") from None
