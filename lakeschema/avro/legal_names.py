"""Converts any name to an Avro name and back. Ordinary words stay readable."""

from __future__ import annotations

import re

from lakeschema.avro.parsing import is_name

ORIGINAL_NAME = "original-name"
"""The property with the original of a name that had to be changed."""

_ESCAPE = re.compile(r"_x([0-9A-F]{2})")


def legal_name(name: str) -> str:
    """The name with every UTF-8 byte that Avro does not allow written as ``_xHH``.

    Such an escape in the name itself is escaped too, so that ``original_name`` restores every name
    and two names never become equal.

    Raises:
        ValueError: the name is empty.
    """
    if not name:
        raise ValueError("a name is empty")
    if is_name(name) and "_x" not in name:
        return name
    escaped = _ESCAPE.sub(lambda match: "_x5Fx" + match.group(1), name)
    bytes_ = "".join(
        character if character.isascii() and (character.isalnum() or character == "_")
        else "".join(f"_x{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
        for character in escaped
    )  # fmt: skip
    return f"_x{ord(bytes_[0]):02X}{bytes_[1:]}" if bytes_[0].isdigit() else bytes_


def original_name(legal: str) -> str:
    """The original of a name made by ``legal_name``."""
    data = b"".join(
        bytes.fromhex(piece) if index % 2 else piece.encode()
        for index, piece in enumerate(_ESCAPE.split(legal))
    )
    return data.decode("utf-8", "surrogatepass")
