"""Runs a program as a server that ends when its parent does; only Python's library is imported.

Usage: ``python leashed_program.py USER FOLDER PROGRAM ARGUMENTS…``. Standard input is the leash, as in
``leashed_python.py``. SIGTERM becomes SIGINT, which PostgreSQL calls a fast shutdown. An empty USER means
the present user.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading


def main() -> None:
    user, folder, *command = sys.argv[1:]
    started = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, user=user or None, extra_groups=_groups(user)
    )
    signal.signal(signal.SIGTERM, lambda *_: started.send_signal(signal.SIGINT))
    threading.Thread(target=_end_without_parent, args=(started,), daemon=True).start()
    sys.exit(started.wait())


def _groups(user: str) -> list[str] | None:
    return [] if user else None


def _end_without_parent(started: subprocess.Popen[bytes]) -> None:
    if not os.read(0, 1):
        started.send_signal(signal.SIGQUIT)


if __name__ == "__main__":
    main()
