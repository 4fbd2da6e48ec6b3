"""The snapshot in a child process: Spark's memory and its crashes do not affect the daemon."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from pathlib import Path

from publisher.daemon.engine import Engine

log = logging.getLogger(__name__)


class SnapshotProcess:
    def __init__(self, engine: Engine, config: Path | None) -> None:
        self._engine = engine
        self._command = [sys.executable, "-m", "publisher", "snapshot", "--enqueue-only"]
        self._command += ["--config", str(config)] if config is not None else []
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._stopping = False

    def run(self) -> None:
        """Compares on Spark, or in this process if that fails, so that no difference is missed."""
        with self._lock:
            if self._stopping:
                return
            self._child = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
            )
        exit_status = self._child.wait()
        if exit_status != 0 and not self._stopping:
            log.warning("snapshot on Spark failed; comparing here", extra={"exit": exit_status})
            self._engine.snapshot()
        self._engine.wake()

    def stop(self) -> None:
        with self._lock:
            self._stopping = True
            if self._child is not None and self._child.poll() is None:
                self._child.terminate()
