"""The parts of Trino's archive that a judge needs: its own libraries and a few connectors.

The archive is 800 MB. Plugins share jars by hard links, so the targets of the links must be read, too.
"""

from __future__ import annotations

import logging
import shutil
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from deploy.cache import ensure_entry, fingerprint
from deploy.errors import UnexpectedJars
from deploy.jars import read_checksums, retrieve
from deploy.jdk import SOURCES, Jdk

VERSION = "476"
PLUGINS = ("memory", "tpch")
MORE_PLUGINS = (*PLUGINS, "hive", "tpcds")
"""More plugins, with another 300 MB of jars; most users do not need them."""
_ROOT = f"trino-server-{VERSION}"
_ARCHIVE = f"{_ROOT}.tar.gz"
_VERSIONS = SOURCES / "trino-ivy.xml"
_CHECKSUMS = SOURCES / "trino-checksums.txt"
_log = logging.getLogger(__name__)


def trino_files(jdk: Jdk, plugins: Sequence[str] = PLUGINS) -> Path:
    """A folder with ``lib`` and ``plugin``, made once for each choice of plugins."""

    def prepare(directory: Path) -> None:
        archive = _in_maven_repository()
        if archive is None:
            _log.info("downloading Trino %s, once", VERSION)
            retrieve(jdk, _VERSIONS, directory)
            archive = directory / _ARCHIVE
        _require_checksum(archive)
        unpack(archive, directory, plugins)
        (directory / _ARCHIVE).unlink(missing_ok=True)

    key = fingerprint(_VERSIONS.read_bytes(), _CHECKSUMS.read_bytes(), *plugins)
    return ensure_entry(f"trino-{key}", prepare)


def _in_maven_repository() -> Path | None:
    """The archive in Maven's local repository, if Maven has downloaded it."""
    place = Path.home() / ".m2" / "repository" / "io" / "trino" / "trino-server" / VERSION
    return place / _ARCHIVE if (place / _ARCHIVE).exists() else None


def _require_checksum(archive: Path) -> None:
    expected = read_checksums(_CHECKSUMS)[_ARCHIVE]
    digest = sha256()
    with archive.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    if digest.hexdigest() != expected:
        line = f"{_ARCHIVE}: expected {expected}, got {digest.hexdigest()}"
        raise UnexpectedJars(_CHECKSUMS, (line,))


def unpack(archive: Path, directory: Path, plugins: Sequence[str] = PLUGINS) -> None:
    """Writes ``lib`` and the plugins into the directory, each link as a link."""
    wanted = (f"{_ROOT}/lib/", *(f"{_ROOT}/plugin/{name}/" for name in plugins))
    places: dict[str, list[str]] = {}
    for member in _files(archive):
        if member.name.startswith(wanted):
            source = member.linkname if member.islnk() else member.name
            places.setdefault(source, []).append(member.name)
    _write(archive, directory, places)


def _files(archive: Path) -> Iterator[tarfile.TarInfo]:
    with tarfile.open(archive, "r|gz") as opened:
        for member in opened:
            if member.isfile() or member.islnk():
                yield member


def _write(archive: Path, directory: Path, places: Mapping[str, Sequence[str]]) -> None:
    with tarfile.open(archive, "r|gz") as opened:
        for member in opened:
            content = (
                opened.extractfile(member) if member.isreg() and member.name in places else None
            )
            if content is None:
                continue
            first, *others = (directory / Path(n).relative_to(_ROOT) for n in places[member.name])
            first.parent.mkdir(parents=True, exist_ok=True)
            with first.open("wb") as file:
                shutil.copyfileobj(content, file)
            for other in others:
                other.parent.mkdir(parents=True, exist_ok=True)
                other.hardlink_to(first)
