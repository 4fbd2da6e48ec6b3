"""Reads the schemas of this package's earlier versions, from a file next to its modules."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from .aliases import nodes
from .binding import Binding
from .canonical import fingerprint_of_text
from .class_schemas import part_text
from .errors import UnknownSchema
from .schema import parse

_FILE = "earlier_schemas.json"


def earlier_text(binding: Binding, name: str, number: int) -> str | None:
    """The schema with this fingerprint that the class had in an earlier version.

    Raises:
        UnknownSchema: several versions have this fingerprint, with different units of times or decimals.
    """
    found = _texts(binding, name).get(number, {})
    if len(found) > 1:
        versions = ", ".join(found)
        raise UnknownSchema(
            f"fingerprint 0x{number:016X}",
            f"versions {versions} differ in the units of times or in decimals; "
            "pass the schema of the message's writer as schemas={fingerprint: text}",
        )
    return next(iter(found.values()), None)


@functools.cache
def _texts(binding: Binding, name: str) -> Mapping[int, Mapping[str, str]]:
    """For each fingerprint, the schemas with different meanings, under the newest version of each."""
    found: dict[int, dict[str, str]] = {}
    for version, number, text in _schemas_of(binding, name):
        same = found.setdefault(number, {})
        if not any(_meaning(text) == _meaning(other) for other in same.values()):
            same[version] = text
    return found


def _schemas_of(binding: Binding, name: str) -> Iterator[tuple[str, int, str]]:
    """Each earlier schema's newest version, fingerprint and text, newest first."""
    for entry in _listed():
        version, text = entry["versions"][0], entry["schema"]
        if name == binding.root.name:
            yield version, int(entry["crc-64-avro"], 16), text
        else:
            part = part_text(text, name)
            if part is not None:
                yield version, fingerprint_of_text(part), part


def _meaning(text: str) -> list[object]:
    """The parts of a schema that affect values but not the fingerprint."""
    return [(node.logical, node.meaning, node.precision) for node in nodes(parse(text))]


@functools.cache
def _listed() -> list[dict[str, Any]]:
    package = sys.modules[__name__.rpartition(".")[0].rpartition(".")[0]]
    loader: Any = package.__spec__ and package.__spec__.loader
    try:
        # The package may be inside an archive.
        data = loader.get_data(os.path.join(package.__path__[0], _FILE))  # noqa: PTH118
    except (AttributeError, OSError):
        # This is the first version, or the program was bundled without the package's files.
        return []
    listed: list[dict[str, Any]] = json.loads(data)
    return listed
