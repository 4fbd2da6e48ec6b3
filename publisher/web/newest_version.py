"""A package's line in a list: its newest version, the upload time, and a summary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from publisher.index.simple_page import ProjectPage
from publisher.web.release_list import UploadTime, upload_time
from publisher.web.versions import list_versions


@dataclass(frozen=True, slots=True)
class NewestVersion:
    """The newest version that is not yanked, else the newest of all; ``summary`` may be empty."""

    number: str
    uploaded: UploadTime | None
    is_yanked: bool
    summary: str


def newest_version(page: ProjectPage, summary_of: Callable[[str], str]) -> NewestVersion | None:
    """The line of a project; None without versions.

    ``summary_of`` gives the summary in a file's metadata, by the file's name.
    """
    versions = list_versions(page)
    offered = [version for version in versions if version.yanked is None] or versions
    if not offered:
        return None
    newest = offered[0]
    file = newest.files[0]
    is_yanked = newest.yanked is not None
    uploaded = upload_time(file.upload_time)
    return NewestVersion(newest.number, uploaded, is_yanked, summary_of(file.filename))


def summary_in(metadata: bytes) -> str:
    """The value of the header Summary in a wheel's METADATA; "" if it is missing."""
    for line in metadata.decode("utf-8", "replace").splitlines():
        name, _, text = line.partition(": ")
        if name == "Summary":
            return text.strip()
        if not line:
            break
    return ""
