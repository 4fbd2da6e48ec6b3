"""Runs the snapshot in a child process, so that Spark's memory and crashes do not affect the daemon."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from pathlib import Path

from publisher.daemon.engine import Engine

log = logging.getLogger(__name__)

_LEASE_CHECK_SECONDS = 1.0
_TERMINATION_SECONDS = 10.0


class SnapshotProcess:
    def __init__(self, engine: Engine, config: Path | None) -> None:
        self._engine = engine
        self._command = [sys.executable, "-m", "publisher", "snapshot", "--enqueue-only"]
        self._command += ["--runner", "spark"]
        self._command += ["--config", str(config)] if config is not None else []
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._stopping = False

    def run(self) -> None:
        """Compares on Spark; if Spark fails, compares in this process, so that no difference is missed."""
        with self._lock:
            if self._stopping:
                return
            self._child = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
            )
        exit_status = self._child.wait()
        if exit_status != 0 and not self._stopping:
            log.warning("snapshot on Spark failed; comparing here", extra={"exit": exit_status})
            self._wait_for_lease()
            if not self._stopping:
                self._engine.compare_catalog()
        self._engine.wake()

    def _wait_for_lease(self) -> None:
        """Waits until the lease of a killed child ends: the child could not release it."""
        while self._engine.snapshot_is_running() and not self._stopping:
            self._engine.runtime.clock.sleep(_LEASE_CHECK_SECONDS)

    def stop(self) -> None:
        """Ends the child process, which then releases its lease."""
        with self._lock:
            self._stopping = True
            child = self._child
        if child is None or child.poll() is not None:
            return
        child.terminate()
        try:
            child.wait(_TERMINATION_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
