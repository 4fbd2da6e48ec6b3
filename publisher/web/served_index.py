"""The static index as it is served: what is made of all its projects is made once for many readers."""

from __future__ import annotations

import logging

from publisher.index.protocol import PackageIndexError
from publisher.index.static import StaticIndex
from publisher.web.constraints import constraints
from publisher.web.shared_answer import SharedAnswer

log = logging.getLogger(__name__)


class ServedIndex:
    def __init__(self, files: StaticIndex) -> None:
        self.files = files
        self.projects = SharedAnswer(files.projects)
        self.constraints = SharedAnswer(self._constraints)

    def _constraints(self) -> bytes:
        pages, unreadable = [], []
        for project in self.projects():
            try:
                page = self.files.page(project)
            except PackageIndexError as error:
                log.warning("project left out of constraints", extra={"why": str(error)})
                unreadable.append(project)
                continue
            if page is not None:
                pages.append(page)
        return constraints(pages, unreadable).encode()
