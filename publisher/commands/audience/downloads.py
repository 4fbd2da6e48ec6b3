"""Reads how often each package was downloaded: a table, a JSON object, or a web server's access log.

The end of the file's name decides the format. ``.csv`` has the columns ``project`` (or
``distribution``, ``package``) and ``downloads`` (or ``count``). Other columns are ignored, and the
numbers of one package are added. ``.json`` has an object of numbers by package, at the top or below
``downloads``. Any other file is a log in the Common or Combined Log Format, in which each answered
GET of a wheel counts.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote

from packaging.utils import canonicalize_name

from publisher.commands.failures import OUTSIDE_FAILED, USAGE_ERROR, Refused
from publisher.index.wheel_files import MalformedWheel, parse_filename

SETTING = "plan.downloads"
MAX_BYTES = 1024**3
MAX_JSON_BYTES = 64 * 1024**2
_MAX_LINE = 65_536
_PROJECT = ("project", "distribution", "package", "name")
_NUMBER = ("downloads", "download_count", "count")
_REQUEST = re.compile(r'"GET ([^" ]+\.whl)(?:\?[^" ]*)?(?: HTTP/[0-9.]+)?" (\d{3}) ')

Counts: TypeAlias = Counter[str]


def read_downloads(path: Path) -> Mapping[str, int]:
    """The number of downloads by the package's normalised name.

    Raises:
        Refused: the file is missing, too large, or not in the format of its name.
    """
    read = _READERS.get(path.suffix.lower(), _of_log)
    try:
        limit = MAX_JSON_BYTES if read is _of_json else MAX_BYTES
        if path.stat().st_size > limit:
            raise Refused(USAGE_ERROR, f"{SETTING}: {path} is larger than {limit} bytes")
        return read(path)
    except OSError as error:
        raise Refused(OUTSIDE_FAILED, f"{SETTING}: {path}: {error.strerror}") from error
    except (ValueError, RecursionError, csv.Error) as error:
        raise Refused(USAGE_ERROR, f"{SETTING}: {path}: {error}") from error


def _of_csv(path: Path) -> Counts:
    counts: Counts = Counter()
    # After an error the reader would keep the file open.
    with closing(_lines(path)) as lines:
        rows = csv.DictReader(lines)
        project = _column(rows.fieldnames or (), _PROJECT)
        number = _column(rows.fieldnames or (), _NUMBER)
        for row in rows:
            counts[canonicalize_name(row[project] or "")] += _whole(row[number], rows.line_num)
    return counts


def _column(headings: Iterable[str], wanted: tuple[str, ...]) -> str:
    found = {heading.strip().lower(): heading for heading in headings}
    for name in wanted:
        if name in found:
            return found[name]
    raise ValueError(f"expected a column {' or '.join(wanted)}")


def _whole(text: str | None, line: int) -> int:
    if text is None or not re.fullmatch(r"[ ]*[0-9]{1,15}[ ]*", text):
        raise ValueError(f"line {line}: expected a number of downloads, got {text!r:.60}")
    return int(text)


def _of_json(path: Path) -> Counts:
    match json.loads(path.read_bytes()):
        case {"downloads": dict(stated)} | dict(stated):
            pass
        case _:
            raise ValueError("expected an object of downloads by package")
    counts: Counts = Counter()
    for name, number in stated.items():
        if type(number) is not int or number < 0:
            raise ValueError(f"expected a number of downloads for {name!r:.100}")
        counts[canonicalize_name(name)] += number
    return counts


def _of_log(path: Path) -> Counts:
    counts: Counts = Counter()
    for line in _lines(path):
        request = _REQUEST.search(line)
        if request is None or request[2] not in {"200", "206"}:
            continue
        try:
            named = parse_filename(unquote(request[1].rpartition("/")[2]))
        except MalformedWheel:
            continue
        counts[named.distribution] += 1
    return counts


def _lines(path: Path) -> Generator[str, None, None]:
    with path.open("rb") as stream:
        while line := stream.readline(_MAX_LINE):
            yield line.decode("utf-8", "replace")


_READERS: Mapping[str, Callable[[Path], Counts]] = {".csv": _of_csv, ".json": _of_json}
