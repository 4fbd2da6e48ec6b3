"""A Delta table's columns from its log: the newest ``metaData`` of commits or a checkpoint.

Delta protocol, "Delta Table Specification". Table features do not matter here, since they change
how data is read, not where the schema is.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from lakeschema.catalog.own_schemas import OwnSchema
from lakeschema.catalog.spark_schema import columns_from_json
from lakeschema.table_files.access import Location
from lakeschema.table_files.errors import MalformedFile, UnreadableFile
from lakeschema.table_files.storage import Storage

LOG = "_delta_log"
_COMMIT = re.compile(r"(\d{20})\.json")
_COMPACTED = re.compile(r"(\d{20})\.(\d{20})\.compacted\.json")
_CHECKPOINT = re.compile(
    r"(\d{20})\.checkpoint(?:\.(?P<part>\d{10})\.(?P<parts>\d{10})|\.[0-9a-f-]{36})?\.(?:parquet|json)"
)
_METADATA = "metaData"
_RESTORE = "restore the table's log, or drop the table"


def read_log(storage: Storage, table: Location, max_bytes: int) -> OwnSchema:
    """The schema in the log of this table's folder.

    Raises:
        UnreadableFile: a file is missing, too large or malformed.
    """
    folder = table.child(LOG)
    log = _Log.of(storage.names(folder))
    for name in log.newest_first(folder):
        metadata = _metadata(storage, folder.child(name), max_bytes)
        if metadata is not None:
            return _own_schema(metadata, name)
    raise UnreadableFile(f"{folder} has no schema", _RESTORE)


@dataclass(frozen=True, slots=True)
class _Log:
    """The files of a log, by the version at which they end."""

    commits: dict[int, str] = field(default_factory=dict)
    compacted: dict[int, tuple[int, str]] = field(default_factory=dict)
    checkpoints: dict[int, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, names: Iterable[str]) -> _Log:
        log = cls()
        parts: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
        for name in sorted(names):
            if found := _COMMIT.fullmatch(name):
                log.commits[int(found[1])] = name
            elif found := _COMPACTED.fullmatch(name):
                log.compacted[int(found[2])] = int(found[1]), name
            elif found := _CHECKPOINT.fullmatch(name):
                if found["part"] is None:
                    log.checkpoints[int(found[1])] = [name]
                else:
                    parts[int(found[1]), int(found["parts"])].append(name)
        for (version, count), of_it in parts.items():
            # A writer that crashed leaves only some of the parts.
            if len(of_it) == count:
                log.checkpoints.setdefault(version, of_it)
        return log

    def newest_first(self, folder: Location) -> Iterator[str]:
        """Files that together have all actions of the table, the newest first.

        Raises:
            UnreadableFile: a file is missing.
        """
        if not (self.commits or self.checkpoints):
            raise UnreadableFile(f"{folder} has no Delta log", _RESTORE)
        version = max((*self.commits, *self.checkpoints))
        while version >= 0:
            if version in self.checkpoints:
                yield from self.checkpoints[version]
                return
            if version in self.commits:
                yield self.commits[version]
                version -= 1
            elif version in self.compacted:
                first, name = self.compacted[version]
                yield name
                version = min(first, version) - 1
            else:
                raise UnreadableFile(f"{folder} lacks its version {version}", _RESTORE)


def _metadata(storage: Storage, place: Location, max_bytes: int) -> Mapping[str, Any] | None:
    """The ``metaData`` action of a file, or None."""
    with closing(storage.open(place)) as file:
        if place.name.endswith(".parquet"):
            return _of_parquet(file, place)
        try:
            return _of_lines(file, place.name, max_bytes)
        except (ValueError, TypeError, RecursionError):
            raise MalformedFile(place.name, "is not a log of Delta") from None


def _of_lines(file: BinaryIO, name: str, max_bytes: int) -> Mapping[str, Any] | None:
    left = max_bytes
    while line := file.readline(left + 1):
        left -= len(line)
        if left < 0:
            raise UnreadableFile(
                f"{name} is larger than {max_bytes} bytes",
                "raise catalog.table_files.max_megabytes",
            )
        # Most lines name a data file, and need no parsing.
        if b'"metaData"' in line:
            action = json.loads(line)
            found = action.get(_METADATA) if isinstance(action, dict) else None
            if isinstance(found, dict):
                return found
    return None


def _of_parquet(file: BinaryIO, place: Location) -> Mapping[str, Any] | None:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise UnreadableFile(
            f"{place} is read with pyarrow, which is not installed",
            "install schema-publisher with its extra tables",
        ) from None
    wanted = [f"{_METADATA}.{name}" for name in ("schemaString", "description")]
    try:
        for batch in ParquetFile(file).iter_batches(columns=wanted):
            for found in batch.column(_METADATA).drop_null().to_pylist():
                if found["schemaString"] is not None:
                    return dict(found)
    except (ArrowException, OSError, KeyError):
        raise MalformedFile(place.name, "is not a checkpoint of Delta") from None
    return None


def _own_schema(metadata: Mapping[str, Any], name: str) -> OwnSchema:
    text, description = metadata.get("schemaString"), metadata.get("description")
    columns = columns_from_json(text) if isinstance(text, str) else None
    if columns is None:
        raise MalformedFile(name, "has a schema that cannot be read")
    if not columns:
        raise UnreadableFile(
            f"{name} states a schema without columns", "write to the table, or add columns to it"
        )
    return OwnSchema(columns, description if isinstance(description, str) else None)
