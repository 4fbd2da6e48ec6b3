"""Looks up artifacts in repositories with Maven's layout, and classes in jars. Loads no class."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeAlias
from urllib.parse import urlsplit
from urllib.request import url2pathname

import requests

from lakeschema.http_sessions import BoundedSession
from lakeschema.translation.functions.artifacts import Artifact
from publisher.commands.failures import USAGE_ERROR, Refused
from publisher.commands.projects.values import Problem, Project

_SECONDS = 20.0
"""The timeout for an answer, and for each piece of a jar."""
_MAX_JAR = 500_000_000
_PIECE = 1 << 20
_MISSING = frozenset({404, 410})

Place: TypeAlias = str | Path
"""A repository: an address without a slash at its end, or a folder."""


class _Unusable(Exception):
    """A repository does not answer, or its answer is not a jar."""


@dataclass(frozen=True, slots=True)
class Repositories:
    """Repositories of artifacts.

    Attributes:
        places: in the order in which they are asked.
    """

    places: Sequence[Place]

    @classmethod
    def of(cls, project: Project) -> Repositories:
        """The repositories of a project; a relative path starts at the project's folder.

        Raises:
            Refused: an address has an unknown scheme, or contains a password.
        """
        return cls([_place(text, project.folder) for text in project.repositories])

    def problem(self, artifact: Artifact, classes: Collection[str]) -> str | None:
        """Why the artifact cannot be used; None if its jar, in the first repository with it, has all classes."""
        if not self.places:
            return "project.toml names no repositories"
        unusable: list[str] = []
        for place in self.places:
            try:
                with _jar(place, artifact) as jar:
                    if jar is not None:
                        return _missing_class(place, jar, classes)
            except _Unusable as error:
                unusable.append(str(error))
        return "; ".join(unusable) or f"it is not in {' or '.join(map(str, self.places))}"


def artifact_problems(project: Project, repositories: Repositories) -> Sequence[Problem]:
    """A problem for each artifact that no repository has, and for each class that its jar lacks."""
    asked: dict[tuple[Artifact, tuple[str, ...]], str | None] = {}
    problems: list[Problem] = []
    for view in project.views:
        for udf in view.udfs:
            key = (udf.artifact, tuple(sorted(udf.functions.values())))
            if key not in asked:
                asked[key] = repositories.problem(*key)
            why = asked[key]
            if why is not None:
                place = view.path.removesuffix(".sql") + ".toml"
                problems.append(Problem(place, f"{udf.artifact.coordinates}: {why}"))
    return problems


def _place(text: str, folder: Path) -> Place:
    parts = urlsplit(text)
    if parts.scheme in {"http", "https"}:
        if parts.username or parts.password or not parts.hostname:
            why = (
                f"repositories: expected an address without a name and password of {parts.hostname}"
            )
            raise Refused(USAGE_ERROR, why, "write the password into ~/.netrc")
        return text.rstrip("/")
    if parts.scheme == "file":
        return Path(url2pathname(parts.path))
    if "://" in text:
        why = f"repositories: expected https://, file:// or a folder, got {text!r}"
        raise Refused(USAGE_ERROR, why)
    return folder / Path(text).expanduser()


@contextmanager
def _jar(place: Place, artifact: Artifact) -> Iterator[IO[bytes] | None]:
    """The artifact's jar; None if the repository lacks it."""
    module, version = artifact.module, artifact.version
    path = "/".join((*artifact.organisation.split("."), module, version, f"{module}-{version}.jar"))
    if isinstance(place, Path):
        file = place / path
        if not file.is_file():
            yield None
            return
        with file.open("rb") as jar:
            yield jar
        return
    with tempfile.TemporaryFile() as jar:
        yield jar if _has_downloaded(f"{place}/{path}", jar) else None


def _has_downloaded(address: str, target: IO[bytes]) -> bool:
    """Downloads a file into ``target``; False if the server does not have the file."""
    session = BoundedSession(_SECONDS)
    try:
        found = session.head(address, allow_redirects=True, timeout=_SECONDS)
        if found.status_code in _MISSING:
            return False
        found.raise_for_status()
        with session.get(address, stream=True, timeout=_SECONDS) as answer:
            answer.raise_for_status()
            for piece in answer.iter_content(_PIECE):
                target.write(piece)
                if target.tell() > _MAX_JAR:
                    raise _Unusable(f"{address} is larger than {_MAX_JAR:,} bytes")
    except requests.RequestException as error:
        raise _Unusable(f"{address}: {error}") from error
    target.seek(0)
    return True


def _missing_class(place: Place, jar: IO[bytes], classes: Collection[str]) -> str | None:
    try:
        with zipfile.ZipFile(jar) as archive:
            names = frozenset(archive.namelist())
    except (zipfile.BadZipFile, OSError) as error:
        raise _Unusable(f"its jar in {place} cannot be read: {error}") from error
    missing = [name for name in classes if f"{name.replace('.', '/')}.class" not in names]
    return f"its jar in {place} has no class {', '.join(missing)}" if missing else None
