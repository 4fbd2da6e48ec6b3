"""How a running daemon ends when it is stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.publisher.commands.folder import Folder

_PATIENCE_SECONDS = 60


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists a process's threads")
def test_a_signal_that_another_thread_receives_ends_the_daemon(folder: Folder) -> None:
    folder.write_settings(rest="[http]\nport = 0\n")
    command = [sys.executable, "-m", "publisher", "run", "--config", str(folder.config)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as daemon:
        try:
            assert daemon.stdout is not None
            assert daemon.stdout.readline()
            threads = {int(task.name) for task in Path(f"/proc/{daemon.pid}/task").iterdir()}
            # The kernel delivers a process's signal to the thread whose number is named.
            os.kill(max(threads - {daemon.pid}), signal.SIGTERM)

            assert daemon.wait(_PATIENCE_SECONDS) == 0
        finally:
            daemon.kill()
