"""Keeps the catalog between two batches of a stream, next to the stream's checkpoint.

There are two places. A batch writes the catalog to one place. The other place keeps the catalog
before the batch, in case the batch must be repeated.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lakeschema.analysis.catalog_left import CatalogLeft, from_lines, to_lines

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class CatalogLost(Exception):
    """The catalog before a batch is missing: its folder belongs to another stream, or was removed."""

    hint = "begin with an empty folder for the checkpoint: what was answered is not repeated"

    def __init__(self, path: str, batch: int, found: int | None) -> None:
        self.path = path
        self.batch = batch
        self.found = found
        super().__init__(path, batch, found)

    def __str__(self) -> str:
        return f"{self.path}: expected the catalog after batch {self.batch}, got that after {self.found}"


@dataclass(slots=True)
class CatalogBetween:
    """The catalogs of one stream; ``folder`` may be on any filesystem of the session."""

    session: SparkSession
    folder: str
    _last: tuple[int, CatalogLeft] | None = None

    def before(self, batch: int) -> CatalogLeft:
        """The catalog that the previous batch left.

        Raises:
            CatalogLost: the place of this catalog is empty, or has the catalog of another batch.
        """
        if batch == 0:
            return CatalogLeft()
        if self._last is not None and self._last[0] == batch - 1:
            return self._last[1]
        path = self._path(batch - 1)
        first, *lines = [row[0] for row in self.session.read.text(path).collect()] or ["{}"]
        found = json.loads(first).get("batch")
        if found != batch - 1:
            raise CatalogLost(path, batch - 1, found)
        return from_lines(lines)

    def keep(self, batch: int, left: CatalogLeft) -> None:
        """Stores the catalog that a batch leaves for the next."""
        import pyarrow as pa

        lines = pa.table({"line": [json.dumps({"batch": batch}), *to_lines(left)]})
        frame = self.session.createDataFrame(lines).coalesce(1)
        frame.write.mode("overwrite").text(self._path(batch))
        self._last = (batch, left)

    def _path(self, batch: int) -> str:
        return f"{self.folder}/{batch % 2}"
