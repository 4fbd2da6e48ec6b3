"""Reads the packages of one prefix from a consumer's requirements or lock file.

The file is untrusted: nothing in it is fetched or executed, and sizes and the number of included
files are limited. Markers are ignored, since they are for another environment.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from publisher.index.wheel_files import MalformedWheel, parse_filename

MAX_FILE_BYTES = 8 * 1024 * 1024
MAX_FILES = 50
"""The maximum number of files, a requirements file and all files that it includes."""
MAX_LINE_CHARACTERS = 100_000
"""The maximum length of a line with its continuations; it suffices for a thousand hashes."""

EXPECTED = "expected requirements.txt, uv.lock, poetry.lock or pylock.toml"
_INCLUDE = re.compile(r"(?:-r|--requirement|-c|--constraint)(?:[ \t]*=[ \t]*|[ \t]*)(\S.*)")


class UnreadablePins(ValueError):
    """Raised for a file that is of another kind, damaged or too large; the message says which."""


@dataclass(frozen=True, slots=True)
class Pin:
    """A package in a file. ``distribution`` is normalised by PEP 503.

    Attributes:
        versions: the versions that the file allows; a lock file allows one.
    """

    distribution: str
    versions: SpecifierSet


def read_pins(path: Path, prefix: str) -> Sequence[Pin]:
    """The packages whose names begin with ``prefix`` and a hyphen, sorted, each once.

    Raises:
        UnreadablePins: the file cannot be used.
        OSError: a file cannot be read.
    """
    text = _read(path)
    if path.suffix in {".lock", ".toml"}:
        found: Iterable[Pin] = _locked(text, path)
    else:
        found = _required(path, text)
    ours = {pin for pin in found if pin.distribution.startswith(f"{prefix}-")}
    return sorted(ours, key=lambda pin: (pin.distribution, str(pin.versions)))


def _read(path: Path) -> str:
    with path.open("rb") as stream:
        data = stream.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise UnreadablePins(f"{path} is larger than {MAX_FILE_BYTES} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadablePins(f"{path} is not UTF-8: {EXPECTED}") from error


def _locked(text: str, path: Path) -> Iterator[Pin]:
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UnreadablePins(f"{path} is not TOML ({error}): {EXPECTED}") from error
    for entry in _entries(document, path):
        match entry:
            case {"name": str(name), "version": str(version)}:
                yield Pin(canonicalize_name(name), _exactly(version, path))
            case {"name": str()}:
                # The package is a folder or a repository, which has no version before it is built.
                pass
            case _:
                raise UnreadablePins(f"{path}: expected a package with a name and a version")


def _entries(document: Mapping[str, Any], path: Path) -> Sequence[object]:
    match document:
        case {"lock-version": str(), "packages": list(entries)}:
            return entries
        case {"version": int(), "requires-python": str(), "package": list(entries)}:
            return entries
        case {"metadata": {"lock-version": str()}, "package": list(entries)}:
            return entries
        case {"lock-version": str()} | {"version": int(), "requires-python": str()}:
            # The project has no dependencies.
            return ()
        case {"metadata": {"lock-version": str()}}:
            return ()
        case _:
            raise UnreadablePins(f"{path} is not a supported lock file: {EXPECTED}")


def _exactly(version: str, path: Path) -> SpecifierSet:
    try:
        return SpecifierSet(f"=={version}")
    except InvalidSpecifier as error:
        raise UnreadablePins(f"{path}: {version[:100]!r} is not a version") from error


@dataclass(slots=True)
class _Required:
    """The pins so far, of a file and its included files."""

    requirements: list[Pin] = field(default_factory=list)
    constraints: dict[str, SpecifierSet] = field(default_factory=dict)
    files: set[tuple[Path, bool]] = field(default_factory=set)

    def read(self, path: Path, text: str, *, is_constraint: bool) -> None:
        self.files.add((path.resolve(), is_constraint))
        if len(self.files) > MAX_FILES:
            raise UnreadablePins(f"{path}: more than {MAX_FILES} files are included")
        for line in _logical_lines(text, path):
            include = _INCLUDE.fullmatch(line)
            if include is not None:
                self._include(
                    path, include[1], is_constraint=is_constraint or line.startswith(("-c", "--c"))
                )
            elif not line.startswith("-"):
                self._add(path, line, is_constraint=is_constraint)

    def _include(self, path: Path, name: str, *, is_constraint: bool) -> None:
        if "://" in name:
            raise UnreadablePins(f"{path} includes {name[:100]!r}: addresses are not fetched")
        included = path.parent / name.strip("\"'")
        if (included.resolve(), is_constraint) not in self.files:
            self.read(included, _read(included), is_constraint=is_constraint)

    def _add(self, path: Path, line: str, *, is_constraint: bool) -> None:
        pin = _pin(path, line)
        if pin is None:
            return
        if is_constraint:
            before = self.constraints.get(pin.distribution, SpecifierSet())
            self.constraints[pin.distribution] = before & pin.versions
        else:
            self.requirements.append(pin)


def _required(path: Path, text: str) -> Iterator[Pin]:
    required = _Required()
    required.read(path, text, is_constraint=False)
    for pin in required.requirements:
        limits = required.constraints.get(pin.distribution, SpecifierSet())
        yield Pin(pin.distribution, pin.versions & limits)


def _logical_lines(text: str, path: Path) -> Iterator[str]:
    """Joins continued lines, and removes comments and blank lines."""
    parts: list[str] = []
    size = 0
    for line in [*text.splitlines(), ""]:
        is_comment = line.lstrip().startswith("#")
        body = "" if is_comment else line.removesuffix("\\")
        parts.append(body)
        size += len(body)
        if size > MAX_LINE_CHARACTERS:
            raise UnreadablePins(f"{path}: a line is longer than {MAX_LINE_CHARACTERS} characters")
        if line.endswith("\\") and not is_comment:
            continue
        joined = re.split(r"(?:^|[ \t])#", "".join(parts), maxsplit=1)[0].strip()
        parts, size = [], 0
        if joined:
            yield joined


def _pin(path: Path, line: str) -> Pin | None:
    """The pin in a line; None for a folder, a file or an address without a package name."""
    text = re.split(r"[ \t]--?[A-Za-z]", line, maxsplit=1)[0].strip()
    try:
        requirement = Requirement(text)
    except InvalidRequirement as error:
        if "/" in text or text.endswith((".whl", ".zip", ".gz")) or text.startswith("."):
            return None
        raise UnreadablePins(f"{path}: {text[:100]!r} is not a requirement: {EXPECTED}") from error
    name = canonicalize_name(requirement.name)
    if requirement.url is None:
        return Pin(name, requirement.specifier)
    return Pin(name, _of_address(requirement.url))


def _of_address(url: str) -> SpecifierSet:
    """The version in ``name @ https://…/name-1.0.0-py3-none-any.whl``; any for other file names."""
    try:
        named = parse_filename(url.partition("#")[0].rpartition("/")[2])
    except MalformedWheel:
        return SpecifierSet()
    return SpecifierSet(f"=={named.version}")
