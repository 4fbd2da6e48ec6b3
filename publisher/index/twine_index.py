"""Any twine-compatible server as a package index: uploads by twine, reads by the simple API.

Servers answer the upload of an existing file differently: pypiserver 400, devpi and Nexus 409,
GitLab and Artifactory 403 or 400, and some overwrite it. So a response only counts as *unavailable*
or *refused*; callers then read ``files``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import requests
from twine.exceptions import TwineException
from twine.package import PackageFile
from twine.repository import Repository

from codegen.package import Wheel
from lakeschema.http_sessions import bound_exchanges
from publisher.index.protocol import Damage, IndexFile, IndexRefused
from publisher.index.simple_client import (
    BasicOrNone,
    Server,
    SimpleClient,
    bounded_exchange,
    check_status,
)
from publisher.index.simple_page import ListedFile
from publisher.index.wheel_files import MalformedWheel, check_wheel, is_normalised


class TwineIndex:
    """An index on a twine server, with open sessions. Safe for threads."""

    def __init__(
        self,
        repository_url: str,
        simple_url: str,
        username: str | None = None,
        password: str | None = None,
        *,
        timeout_seconds: float = 30.0,
        file_hosts: Collection[str] = (),
    ) -> None:
        """Uses one server, with credentials from the arguments or else from the addresses.

        ``file_hosts`` has the same meaning as in ``SimpleClient``.

        Raises:
            ValueError: an address is not http or https.
        """
        self._server = Server.of(repository_url, username, password)
        self._timeout_seconds = timeout_seconds
        # The address has no credentials, because twine logs the username, which is an API key on some
        # servers.
        self._repository = _QuietRepository(self._server, timeout_seconds)
        simple = Server.of(simple_url, username, password)
        self._simple = SimpleClient(simple, timeout_seconds, file_hosts)

    def projects(self) -> Sequence[str]:
        return self._simple.projects()

    def require_root(self) -> None:
        """Checks that the index exists, since a missing index answers like a missing package."""
        self._simple.require_root()

    def files(self, distribution: str) -> Sequence[IndexFile]:
        if not is_normalised(distribution):
            return ()
        return tuple(_index_file(file) for file in self._simple.page(distribution).files)

    def fetch(self, file: IndexFile) -> bytes:
        return self._simple.file(file.url)

    def provenance(self, file: IndexFile) -> bytes | None:  # noqa: ARG002
        """Always None: servers accept only attestations of Sigstore, if any."""
        return None

    def upload(self, wheel: Wheel) -> None:
        try:
            check_wheel(wheel)
        except MalformedWheel as error:
            raise IndexRefused(self._server.url, str(error)) from error
        with tempfile.TemporaryDirectory(prefix="schema-publisher-") as folder:
            path = Path(folder) / wheel.filename
            path.write_bytes(wheel.data)
            self._post(path)

    def yank(self, file: IndexFile, reason: str | None) -> bool:  # noqa: ARG002
        """Does nothing and returns False, since upload APIs have no common way to yank."""
        return False

    def damages(
        self,
        distribution: str,  # noqa: ARG002
        published: Mapping[str, str],  # noqa: ARG002
        may_read: Callable[[int], bool],  # noqa: ARG002
    ) -> Sequence[Damage]:
        """Always empty: the server manages its files, and its pages state the hashes of the current files."""
        return ()

    def mend(
        self, distribution: str, published: Mapping[str, str], wheels: Sequence[Wheel]
    ) -> None:
        """Does nothing, because no damage is known."""

    def close(self) -> None:
        self._repository.close()
        self._simple.close()

    def _post(self, path: Path) -> None:
        try:
            package = PackageFile.from_filename(str(path), comment=None)
        except TwineException as error:
            raise IndexRefused(self._server.url, f"twine rejected the wheel: {error}") from error
        with (
            bounded_exchange(self._server.url, self._timeout_seconds),
            self._repository.upload(package) as response,
        ):
            check_status(self._server.url, response, self._server.credentials)


class _QuietRepository(Repository):
    """Twine's repository with a timeout, without its retries and its output to the terminal.

    The publisher itself retries, after it has read the index.
    """

    def __init__(self, server: Server, timeout_seconds: float) -> None:
        super().__init__(server.url, None, None, disable_progress_bar=True)
        self.session.auth = BasicOrNone(server.credentials)
        bound_exchanges(self.session)
        self._timeout_seconds = timeout_seconds

    def upload(self, package: PackageFile, max_redirects: int = 0) -> requests.Response:  # noqa: ARG002
        form = self._convert_metadata_to_list_of_tuples(package.metadata_dictionary())
        content = (
            package.basefilename,
            Path(package.filename).read_bytes(),
            "application/octet-stream",
        )
        return self.session.post(
            self.url,
            data=[*form, (":action", "file_upload"), ("protocol_version", "1")],
            files={"content": content},
            allow_redirects=False,
            stream=True,
            timeout=self._timeout_seconds,
        )


def _index_file(file: ListedFile) -> IndexFile:
    return IndexFile(file.filename, file.version, file.url, file.sha256, file.yanked)
