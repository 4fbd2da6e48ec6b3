"""The static index for HTTP: answers about all projects are computed once for many readers."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from publisher.index.protocol import PackageIndexError
from publisher.index.static import StaticIndex
from publisher.state.search_words import search_key
from publisher.web.newest_version import NewestVersion, newest_version, summary_in
from publisher.web.pins import Pins, pin_newest
from publisher.web.shared_answer import SharedAnswer

_MAX_SUMMARIES: Final = 4_096
_SUMMARY_WITHIN_BYTES: Final = 4_096

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NamedProjects:
    """All projects of the index. ``keys`` are their search keys, in the same order."""

    projects: Sequence[str]
    keys: Sequence[str]


class ServedIndex:
    def __init__(self, files: StaticIndex) -> None:
        self.files = files
        self.projects = SharedAnswer(files.projects)
        self.named_projects = SharedAnswer(self._named_projects)
        self.pins = SharedAnswer(self._pins)
        # A file never changes, so its summary stays valid.
        self._summary = lru_cache(_MAX_SUMMARIES)(self._read_summary)

    def newest(self, project: str) -> NewestVersion | None:
        """The newest version; None if the project's page is unreadable or empty."""
        try:
            page = self.files.page(project)
        except PackageIndexError:
            return None
        return None if page is None else newest_version(page, self._summary)

    def _read_summary(self, filename: str) -> str:
        path = self.files.file_path(filename)
        try:
            with path.with_name(f"{path.name}.metadata").open("rb") as stream:
                return summary_in(stream.read(_SUMMARY_WITHIN_BYTES))
        except OSError:
            return ""

    def _named_projects(self) -> NamedProjects:
        projects = self.projects()
        return NamedProjects(projects, [search_key(project) for project in projects])

    def _pins(self) -> Pins:
        pages, unreadable = [], []
        for project in self.projects():
            try:
                page = self.files.page(project)
            except PackageIndexError as error:
                log.warning("project left out of the pins", extra={"why": str(error)})
                unreadable.append(project)
                continue
            if page is not None:
                pages.append(page)
        return pin_newest(pages, unreadable)
