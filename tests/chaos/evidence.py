"""Evidence about one index: every file when it arrived, and all files at the end."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.chaos.catalog_reading import Stored
from tests.chaos.history import History
from tests.chaos.lake import Name
from tests.chaos.wheel_content import WheelContent, name_and_version, read_wheel_content

PREFIX = "acme-schema"


@dataclass(frozen=True, slots=True)
class Sighting:
    """A file's bytes on their way into the index, or when the index first shows them."""

    at: float
    filename: str
    sha256: str


@dataclass(frozen=True, slots=True)
class IndexFile:
    """A file at the end; ``content`` is None if it is not a whole wheel."""

    filename: str
    sha256: str
    offered: bool
    content: WheelContent | None

    @property
    def distribution(self) -> str:
        return name_and_version(self.filename)[0]

    @property
    def version(self) -> Version:
        return name_and_version(self.filename)[1]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The judge's facts about one deployment.

    Attributes:
        catalog: the metastores' own answer at the end.
        sent: every attempted upload, whether or not the index took it.
        arrived: the files that the index took or showed, in order of arrival.
        yanks: whether the index can withdraw the files of a dropped relation.
        settled_after_seconds: time from the last fault until the index agreed with the catalog;
            None if it exceeded the bound.
        bound_seconds: how long any state may wait until the index shows it or a newer state.
        removed: files that a fault removed. The program does not miss those of a dropped relation.
        hostile: the prefix of the packages of hostile relations; the judge expects nothing of them.
    """

    deployment: str
    history: History
    catalog: Mapping[Name, Stored]
    sent: Sequence[Sighting]
    arrived: Sequence[Sighting]
    files: Sequence[IndexFile]
    yanks: bool
    settled_after_seconds: float | None
    bound_seconds: float = math.inf
    hostile: str = "-"
    removed: frozenset[str] = frozenset()


def distribution_of(name: Name) -> str:
    """The package's name for a relation, for the plain names of the workload."""
    catalog = f"0-{name.catalog}-" if name.catalog else ""
    return canonicalize_name(f"{PREFIX}-{catalog}{name.database}-{name.relation}")


def sightings_in(log: Sequence[Mapping[str, Any]], event: str) -> Sequence[Sighting]:
    return [
        Sighting(line["at"], line["filename"], line["sha256"])
        for line in log
        if line["event"] == event
    ]


def read_index_file(path: Path, *, offered: bool) -> IndexFile:
    data = path.read_bytes()
    sha256 = hashlib.sha256(data).hexdigest()
    return IndexFile(path.name, sha256, offered, read_wheel_content(data))
