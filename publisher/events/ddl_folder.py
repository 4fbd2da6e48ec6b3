"""A watched folder of DDL files as an event source: hints for relations whose facts changed.

The position holds the hashes of the facts, so the next start finds changes that were made while the
service did not run.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from watchfiles import watch

from lakeschema.catalog.ddl_files import DdlFilesCatalog
from lakeschema.catalog.errors import CatalogUnavailable
from lakeschema.catalog.facts_json import facts_hash
from lakeschema.catalog.identifiers import RelationName
from publisher.events.protocol import FIRST_START, Batch, RelationHint, SourceUnavailable

DDL_FOLDER = "ddl-folder"
_DEBOUNCE_MILLISECONDS = 50
_STEP_MILLISECONDS = 20
_MAX_WAIT_SECONDS = 2.0


class DdlFolderSource:
    """A folder as a source. Only one thread may poll it, but other threads may use ``catalog``.

    The operating system reports changed files. The source also reads the files every two seconds,
    because some file systems report no changes.
    """

    def __init__(
        self,
        catalog: DdlFilesCatalog,
        *,
        name: str = DDL_FOLDER,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._catalog = catalog
        self._name = name
        self._clock = clock
        self._stop = threading.Event()

    @property
    def name(self) -> str:
        return self._name

    def poll(self, position: str | None, timeout_seconds: float) -> Batch | None:
        deadline = self._clock() + timeout_seconds
        try:
            return self._poll(position, deadline)
        except CatalogUnavailable as error:
            raise SourceUnavailable(self._name, error.reason, error.hint) from error

    def acknowledge(self, position: str) -> None:
        """Does nothing: a folder keeps no position."""

    def close(self) -> None:
        self._stop.set()

    def _poll(self, position: str | None, deadline: float) -> Batch | None:
        known = None if position is None else _parse_position(position)
        if known is None:
            reason = FIRST_START if position is None else "the position is unreadable"
            return Batch((), (), _position_text(self._read_hashes()), gap=reason, behind=0)
        while True:
            found = self._read_hashes()
            changed = sorted(
                name for name in known.keys() | found.keys() if known.get(name) != found.get(name)
            )
            if changed:
                hints = tuple(RelationHint(RelationName.parse(name)) for name in changed)
                return Batch(hints, (), _position_text(found), seen=len(changed), behind=0)
            left = deadline - self._clock()
            if left <= 0 or self._stop.is_set():
                return None
            self._wait(min(left, _MAX_WAIT_SECONDS))

    def _read_hashes(self) -> dict[str, str]:
        relations = self._catalog.read_all()
        return {str(name): facts_hash(relation)[:16] for name, relation in relations.items()}

    def _wait(self, seconds: float) -> None:
        """Returns when a file in the folder changes, or after ``seconds``."""
        for _ in watch(
            self._catalog.path,
            watch_filter=lambda _, path: Path(path).suffix == ".sql",
            debounce=_DEBOUNCE_MILLISECONDS,
            step=_STEP_MILLISECONDS,
            rust_timeout=max(1, int(seconds * 1000)),
            yield_on_timeout=True,
            stop_event=self._stop,
            raise_interrupt=False,
        ):
            return


def _position_text(hashes: Mapping[str, str]) -> str:
    return json.dumps({"facts": hashes}, separators=(",", ":"), sort_keys=True)


def _parse_position(position: str) -> dict[str, str] | None:
    try:
        return {str(name): str(hash_) for name, hash_ in json.loads(position)["facts"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
