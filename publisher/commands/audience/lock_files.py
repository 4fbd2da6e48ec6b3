"""Finds the pins in registered requirements and lock files, named singly or by folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from publisher.commands.failures import OUTSIDE_FAILED, USAGE_ERROR, Refused
from publisher.commands.pins import Pin, UnreadablePins, read_pins

MAX_FILES = 5_000
SETTING = "plan.lock_files"
_NAMES = ("*requirements*.txt", "pylock*.toml", "uv.lock", "poetry.lock")


@dataclass(frozen=True, slots=True)
class RegisteredPin:
    file: str
    pin: Pin


def read_registered(paths: Sequence[Path], prefix: str) -> Sequence[RegisteredPin]:
    """The pins of packages with the prefix; a folder includes all its files at any depth.

    Raises:
        Refused: a file is missing, damaged or too large, or there are too many.
    """
    files = [file for path in paths for file in _files(path)]
    if len(files) > MAX_FILES:
        raise Refused(USAGE_ERROR, f"{SETTING}: more than {MAX_FILES} files")
    found: list[RegisteredPin] = []
    for file in dict.fromkeys(files):
        try:
            pins = read_pins(file, prefix)
        except UnreadablePins as error:
            raise Refused(USAGE_ERROR, f"{SETTING}: {error}") from error
        except OSError as error:
            raise Refused(OUTSIDE_FAILED, f"{SETTING}: {file}: {error.strerror}") from error
        found += [RegisteredPin(str(file), pin) for pin in pins]
    return found


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    # Each pattern walks the folder and follows no links to folders.
    found = {file for pattern in _NAMES for file in path.rglob(pattern) if file.is_file()}
    yield from sorted(found)
