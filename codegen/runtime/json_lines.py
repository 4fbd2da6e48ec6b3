"""Files of JSON Lines: a record a line, in UTF-8 (https://jsonlines.org)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import IO, Any

from .binding import Binding
from .container import open_binary
from .errors import InvalidValue
from .json_text import from_json, to_json


def read_lines(
    binding: Binding,
    source: str | os.PathLike[str] | IO[bytes],
    form: str,
    unknown: str,
    max_line_bytes: int,
) -> Iterator[Any]:
    """The file's records, read lazily; blank lines are skipped.

    Raises:
        InvalidValue: a line is too long, is not JSON, or not a value of the schema; its path
            begins with the line's number.
    """
    name = binding.root.name
    with open_binary(source, "rb") as file:
        number = 0
        while line := file.readline(max_line_bytes + 1):
            number += 1
            if len(line) > max_line_bytes:
                raise InvalidValue(
                    f"line {number}", f"is longer than {max_line_bytes} bytes (max_line_bytes)"
                )
            if not line.isspace():
                try:
                    record = from_json(binding, name, line, form, unknown)
                except InvalidValue as error:
                    raise _on_line(number, error) from None
                yield record


def write_lines(
    binding: Binding,
    target: str | os.PathLike[str] | IO[bytes],
    records: Iterable[Any],
    form: str,
) -> None:
    """Writes a file.

    Raises:
        InvalidValue: a record is invalid; the lines before it are written.
    """
    name = binding.root.name
    with open_binary(target, "wb") as file:
        for number, record in enumerate(records, 1):
            try:
                text = to_json(binding, name, record, form, None)
            except InvalidValue as error:
                raise _on_line(number, error) from None
            file.write(text.encode() + b"\n")


def _on_line(number: int, error: InvalidValue) -> InvalidValue:
    line = f"line {number}"
    return InvalidValue(f"{line}: {error.path}" if error.path else line, error.reason)
