"""The lake's packages of each day, installed together."""

from __future__ import annotations

import dataclasses
import importlib
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from codegen.naming import distribution_name, import_name
from deploy.tool_environments import tool_python
from lakeschema.catalog.identifiers import RelationName
from tests.integration.consumer.installed import (
    CURRENT,
    PREFIX,
    Installed,
    imported_from,
    install_all,
    ran,
)
from tests.integration.consumer.lake import BROKEN, DAYS, RELATIONS

_ALL: Final = """\
import importlib, sys
packages = [importlib.import_module(name) for name in sys.argv.pop(1).split(",")]
"""


@dataclass(frozen=True, slots=True)
class Lake:
    """The index with the lake's packages; ``sites``: a folder for each day that has all of them."""

    simple_url: str
    sites: Mapping[str, Path]

    def installed(self, relation: RelationName) -> Installed:
        return Installed(relation, self.simple_url, {d: self.sites[d] for d in versions(relation)})

    @contextmanager
    def imported(self, *relations: RelationName, day: str = CURRENT) -> Iterator[tuple[Any, ...]]:
        """The packages of these relations beside each other in this process."""
        with imported_from(self.sites[day]):
            names = [import_name(relation, PREFIX) for relation in relations]
            yield tuple(importlib.import_module(name) for name in names)

    def ran(self, program: str, *arguments: str | Path, day: str = CURRENT) -> str:
        """What a program printed that has all the lake's packages as ``packages``."""
        return self._ran(Path(sys.executable), program, arguments, day)

    def ran_beside_libraries(self, program: str, *arguments: str | Path) -> str:
        """The same, where the libraries are that consumers use."""
        return self._ran(tool_python("consumer"), program, arguments, CURRENT)

    def _ran(self, python: Path, program: str, arguments: tuple[str | Path, ...], day: str) -> str:
        names = ",".join(import_name(relation, PREFIX) for relation in RELATIONS)
        command = (python, "-W", "error", "-c", _ALL + program, names, *arguments)
        return ran(*command, path=self.sites[day])


def versions(relation: RelationName) -> tuple[str, ...]:
    """The versions that a relation has, oldest first."""
    return DAYS if relation in BROKEN else DAYS[:2]


def install_lake(simple_url: str, folder: Path) -> Lake:
    """Installs the packages of each day into a folder of its own."""
    for day in DAYS:
        requirements = [
            f"{distribution_name(relation, PREFIX)}=={max(v for v in versions(relation) if v <= day)}"
            for relation in RELATIONS
        ]
        install_all(requirements, simple_url, folder / day)
    return Lake(simple_url, {day: folder / day for day in DAYS})


def values_of(record: Any) -> dict[str, Any]:
    """The values of a record by attribute."""
    return {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}


def columns_of(module: Any) -> dict[str, str]:
    """The names of the schema's fields by attribute."""
    names = [field["name"] for field in json.loads(module.SCHEMA)["fields"]]
    fields = dataclasses.fields(module.RECORD)
    return dict(zip([field.name for field in fields], names, strict=True))
