"""Runs a Python module as a server that ends when its parent does.

Usage: ``python leashed_python.py MODULE ARGUMENTS…``. Standard input is the leash, as in
``java/Leash.java``: after a byte the server is free; if the input ends without a byte, the server ends.
"""

from __future__ import annotations

import os
import runpy
import sys
import threading


def main() -> None:
    threading.Thread(target=_exit_when_parent_is_gone, daemon=True).start()
    sys.argv = sys.argv[1:]
    # Python puts this file's folder first: our modules would shadow others of the same name.
    sys.path.pop(0)
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def _exit_when_parent_is_gone() -> None:
    if not os.read(0, 1):
        os._exit(143)


if __name__ == "__main__":
    main()
