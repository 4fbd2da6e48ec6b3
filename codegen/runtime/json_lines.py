"""Files of JSON Lines: a record a line, in UTF-8 (https://jsonlines.org)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .binding import Binding
from .errors import InvalidValue, located
from .json_text import from_json, to_json
from .partitions import Partitions, partition_values
from .places import Place, put, sources, target


def read_lines(
    binding: Binding,
    source: Place,
    form: str,
    unknown: str,
    max_line_bytes: int,
) -> Iterator[Any]:
    """The records of a file, or of all part files of a folder, read lazily; skips blank lines.

    Raises:
        InvalidValue: a line is too long, is not JSON, or not a value of the schema; its path
            begins with the file, where that has a name, and the line's number.
    """
    name = binding.root.name
    for path, file, partitions in sources(source):
        of_folders = _of_folders(binding, path, partitions)
        number = 0
        while line := file.readline(max_line_bytes + 1):
            number += 1
            if len(line) > max_line_bytes:
                raise InvalidValue(
                    _line(path, number), f"is longer than {max_line_bytes} bytes (max_line_bytes)"
                )
            if not line.isspace():
                try:
                    record = from_json(binding, name, line, form, unknown)
                except InvalidValue as error:
                    raise located(_line(path, number), error) from None
                for attribute, value in of_folders.items():
                    binding.put(record, attribute, value)
                yield record


def write_lines(
    binding: Binding,
    place: Place,
    records: Iterable[Any],
    form: str,
) -> None:
    """Writes a file. If the place is a path, the complete file replaces an earlier file.

    Raises:
        InvalidValue: a record is invalid; its path begins with the line's number.
    """
    name = binding.root.name
    with target(place) as file:
        for number, record in enumerate(records, 1):
            try:
                text = to_json(binding, name, record, form, None)
            except InvalidValue as error:
                raise located(_line("", number), error) from None
            put(file, text.encode() + b"\n")


def _of_folders(binding: Binding, path: str, partitions: Partitions) -> Mapping[str, Any]:
    """The values in the names of a file's folders, by attribute.

    The file's lines lack these values.
    """
    try:
        values = partition_values(binding, partitions)
    except InvalidValue as error:
        raise located(path, error) from None
    root = binding.root
    attributes = zip(root.fields, binding.attributes[root.name], strict=True)
    return {
        attribute: values[field.name] for field, attribute in attributes if field.name in values
    }


def _line(file: str, number: int) -> str:
    return f"{file}, line {number}" if file else f"line {number}"
