"""The static index as it is served: what is made of all its projects is made once for many readers."""

from __future__ import annotations

from publisher.index.static import StaticIndex
from publisher.web.constraints import constraints
from publisher.web.shared_answer import SharedAnswer


class ServedIndex:
    def __init__(self, files: StaticIndex) -> None:
        self.files = files
        self.projects = SharedAnswer(files.projects)
        self.constraints = SharedAnswer(self._constraints)

    def _constraints(self) -> bytes:
        pages = (self.files.page(project) for project in self.projects())
        return constraints(page for page in pages if page is not None).encode()
