"""Which table files may be read, and limits on size and time."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from lakeschema.table_files.errors import UnreadableFile

SCHEMES = ("file", "s3", "s3a", "gs", "abfs", "abfss")
"""The default schemes; ``hdfs`` needs Hadoop's own libraries."""
DEFAULT_LOCATIONS = tuple(f"{scheme}:" for scheme in SCHEMES)

_URI = re.compile(r"([a-z][a-z0-9+.-]*):(?://([^/]*))?(/.*)?", re.DOTALL | re.IGNORECASE)
_CREDENTIALS = ("AWS_", "AZURE_", "GOOGLE_", "HADOOP_")
_SURROUNDINGS = frozenset({
    "HOME", "CLASSPATH", "JAVA_HOME", "ARROW_LIBHDFS_DIR", "SSL_CERT_FILE", "SSL_CERT_DIR",
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a storage: ``s3://lake/t`` is the host ``lake`` and the path ``/t``.

    The path is literal, as in Hadoop: no character of it is encoded.
    """

    scheme: str
    host: str
    path: str

    def __str__(self) -> str:
        return f"{self.scheme}:{f'//{self.host}' if self.host else ''}{self.path}"

    def child(self, name: str) -> Location:
        return Location(self.scheme, self.host, f"{self.path.rstrip('/')}/{name}")

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class FileAccess:
    """The files that a child process may read.

    Attributes:
        locations: prefixes of URIs, each a scheme, as ``s3:``, or a folder, as ``s3://lake/sales``.
        max_bytes: the limit for one file, unpacked.
    """

    locations: tuple[str, ...] = DEFAULT_LOCATIONS
    max_bytes: int = 256 * 1024**2

    def location(self, text: str) -> Location:
        """The place in a metastore's text.

        Raises:
            UnreadableFile: the location is invalid, or reading it is not allowed.
        """
        location = parse_location(text)
        if not any(_covers(parse_location(prefix), location) for prefix in self.locations):
            raise UnreadableFile(
                f"{location} is outside catalog.table_files.locations",
                "add its folder there if its files may be read",
            )
        return location


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Limits for reading files.

    ``timeout_seconds`` is for one table; ``at_once`` is the number of tables read in parallel.
    """

    access: FileAccess = FileAccess()
    timeout_seconds: float = 30.0
    at_once: int = 4


DEFAULT_LIMITS = ReadingLimits()


def parse_location(text: str) -> Location:
    """Reads a URI, or a path such as ``/lake/t`` in the local file system.

    Raises:
        UnreadableFile: the text is not a URI, or has parts that a folder's URI never has.
    """
    found = _URI.fullmatch(text if not text.startswith("/") else f"file:{text}")
    if found is None:
        raise UnreadableFile("the metastore does not name the place of its files", _CORRECT)
    scheme, host, path = found[1].lower(), found[2] or "", found[3] or ""
    # Passwords before the host, and options after the path, which Arrow would read.
    if ":" in host.partition("@")[0] and "@" in host:
        raise UnreadableFile("the place of its files contains a password", _CORRECT)
    if any(part in {".", ".."} for part in path.split("/")) or not path.isprintable():
        raise UnreadableFile("the place of its files is not a plain path", _CORRECT)
    return Location(scheme, host, path)


_CORRECT = "correct the table's location in the metastore"


def _covers(prefix: Location, location: Location) -> bool:
    if prefix.scheme != location.scheme:
        return False
    if not prefix.host and not prefix.path:
        return True
    folder = prefix.path.rstrip("/")
    return prefix.host == location.host and f"{location.path}/".startswith(f"{folder}/")


def surroundings(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables in which storage clients find credentials, proxies and libraries."""
    return {
        key: value
        for key, value in environment.items()
        if key in _SURROUNDINGS or key.startswith(_CREDENTIALS)
    }
