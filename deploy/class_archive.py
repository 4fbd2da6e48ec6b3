"""Class archives: the JVM maps their classes at a start, and need not load and verify them again.

This halves the time of a server's start. A trial run records an archive once per Java and classpath.
If the trial run fails, servers start without an archive.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from deploy.cache import discard_unused, ensure_entry, fingerprint
from deploy.errors import StackError
from deploy.jdk import Jdk

_log = logging.getLogger(__name__)
_FILE_NAME = "classes.jsa"
# Each archive is 50 MB, and every new environment has another classpath.
_KEPT_DAYS = 14

TrialRun = Callable[[Path, Sequence[str]], None]
"""Starts the server in a directory, with further JVM options, and stops it."""


def archive_options(
    server: str, jdk: Jdk, classpath: Sequence[Path], trial_run: TrialRun
) -> tuple[str, ...]:
    """The JVM options that use the archive of a server whose classpath starts with ``classpath``."""

    def record(directory: Path) -> None:
        _log.info("recording a class archive, so that %s starts faster, once", server)
        discard_unused("archive-*", days=_KEPT_DAYS)
        with tempfile.TemporaryDirectory() as trial:
            try:
                trial_run(Path(trial), [f"-XX:ArchiveClassesAtExit={directory / _FILE_NAME}"])
            except StackError as failure:
                _log.info("%s starts without a class archive: %s", server, failure)

    stats = [(jar, jar.stat()) for jar in classpath]
    key = fingerprint(
        # The JVM refuses an archive whose jars have moved or changed.
        *(f"{jar} {stat.st_size} {stat.st_mtime_ns}" for jar, stat in stats),
        f"{jdk.java} {jdk.version}",
    )
    entry = ensure_entry(f"archive-{server}-{key}", record)
    os.utime(entry)
    archive = entry / _FILE_NAME
    return (f"-XX:SharedArchiveFile={archive}",) if archive.exists() else ()
