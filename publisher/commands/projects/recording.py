"""Who applies a project, when, and from which commit."""

from __future__ import annotations

import getpass
import secrets
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from publisher.commands.projects.values import Project, Record

_SECONDS = 30.0
_CHANGED = "+changes"
UNKNOWN = "unknown"


def record_for(project: Project, by: str | None, commit: str | None) -> Record:
    """The record of a run that begins now.

    By default, Git gives the commit, and the operating system gives the user's name.
    """
    return Record(
        project.name,
        commit or commit_of(project.folder),
        by or _user(),
        datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        secrets.token_hex(8),
    )


def commit_of(folder: Path) -> str:
    """The folder's Git commit, with ``+changes`` if its files differ from it; "unknown" without Git."""
    head = _git(folder, "rev-parse", "HEAD")
    if not head:
        return UNKNOWN
    return head + (_CHANGED if _git(folder, "status", "--porcelain", "--", ".") else "")


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        # A container's user may have no name.
        return UNKNOWN
