"""Reads the DDL that a command's arguments name: files, folders, standard input, statements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

from lakeschema.catalog.ddl_change import Script
from publisher.commands.failures import OUTSIDE_FAILED, USAGE_ERROR, Refused

STANDARD_INPUT = "standard input"
INLINE = "inline DDL"


def read_scripts(arguments: Iterable[str], standard_input: BinaryIO) -> Sequence[Script]:
    """One script for each file, and for each ``.sql`` file of a folder in the order of paths.

    ``-`` is the standard input; an argument with a blank that is not a path is DDL itself.

    Raises:
        Refused: a file is missing, unreadable, or not UTF-8.
    """
    scripts: list[Script] = []
    for argument in arguments:
        path = Path(argument)
        if argument == "-":
            scripts.append(Script(STANDARD_INPUT, _text(STANDARD_INPUT, standard_input.read())))
        elif _is_inline(argument):
            scripts.append(Script(INLINE, argument))
        elif path.is_dir():
            scripts += [_file(file) for file in _sql_files(path)]
        else:
            scripts.append(_file(path))
    return scripts


def _is_inline(argument: str) -> bool:
    try:
        return len(argument.split()) > 1 and not Path(argument).exists()
    except OSError:  # too long for a path
        return True


def _sql_files(folder: Path) -> Sequence[Path]:
    files = sorted(folder.rglob("*.sql"))
    if not files:
        raise Refused(USAGE_ERROR, f"{folder} has no .sql files")
    return files


def _file(path: Path) -> Script:
    try:
        return Script(str(path), _text(str(path), path.read_bytes()))
    except OSError as error:
        hint = "write a file, a folder, - for standard input, or a statement in quotes"
        raise Refused(OUTSIDE_FAILED, f"{path}: {error.strerror}", hint) from error


def _text(label: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refused(USAGE_ERROR, f"{label}: DDL must be UTF-8") from None
