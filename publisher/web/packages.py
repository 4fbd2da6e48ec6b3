"""/packages/: what a person sees of each package, from the index, its newest wheel and the state."""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from packaging.utils import canonicalize_name
from packaging.version import Version
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from codegen.errors import NotOurWheel
from codegen.wheel import read_wheel
from lakeschema.avro.errors import MalformedAvroSchema
from lakeschema.avro.model import Record
from lakeschema.avro.parsing import parse_schema
from lakeschema.catalog.identifiers import RelationName
from publisher.index.protocol import IndexFile, IndexRefused
from publisher.index.simple_page import ListedFile, ProjectPage
from publisher.index.static import StaticIndex
from publisher.web.answers import Body, page_answer
from publisher.web.dashboard import package_address
from publisher.web.fields import field_rows
from publisher.web.package_page import (
    Described,
    PackageView,
    package_page,
    unknown_package_page,
)
from publisher.web.status import RelationSummary

log = logging.getLogger(__name__)

_REMEMBERED = 32
_TRIED_WHEELS = 5
_ALIKE = 10
_STEM = 4
_HOST = re.compile(r"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?", re.ASCII)


class PackagePages:
    """Handlers; a page is rendered once for what it shows, a wheel read once for all pages."""

    def __init__(
        self, index: StaticIndex, summarize: Callable[[RelationName], RelationSummary | None]
    ) -> None:
        self._index = index
        self._summarize = summarize
        # A file never changes, nor does what is rendered of equal values.
        self._described = lru_cache(_REMEMBERED)(self._read)
        self._rendered = lru_cache(_REMEMBERED)(self._render)

    def package(self, request: Request) -> Response:
        asked = request.path_params["project"]
        name = canonicalize_name(asked)
        page = self._index.page(name)
        if page is None:
            alike = names_alike(name, self._index.projects())
            unknown = Body.of(unknown_package_page(asked[:200], alike))
            return page_answer(request, unknown, "text/html", status=404)
        if name != asked:
            return RedirectResponse(package_address(name), 301)
        file = self._newest_of_ours(page)
        described = self._described(file) if file else None
        summary = self._summarize(described.contents.relation) if described else None
        neighbours = (*summary.upstreams, *summary.downstreams) if summary else ()
        packaged = frozenset(n.distribution for n in neighbours if self._index.has(n.distribution))
        body = self._rendered(page, _simple_url(request), file, summary, packaged)
        return page_answer(request, body, "text/html")

    def _newest_of_ours(self, page: ProjectPage) -> ListedFile | None:
        """Yanked or not: a dropped relation's package still says what it was."""
        wheels = [file for file in page.files if file.filename.endswith(".whl")]
        newest = sorted(wheels, key=lambda file: Version(file.version), reverse=True)
        for file in newest[:_TRIED_WHEELS]:
            # A file that is gone may come back: nothing is remembered of it.
            with contextlib.suppress(IndexRefused):
                if self._described(file) is not None:
                    return file
        return None

    def _read(self, file: ListedFile) -> Described | None:
        stored = IndexFile(file.filename, file.version, file.url, file.sha256)
        try:
            contents = read_wheel(self._index.fetch(stored))
            schema = parse_schema(contents.schema_text)
        except (NotOurWheel, MalformedAvroSchema) as error:
            log.info("wheel not shown", extra={"wheel": file.filename, "why": str(error)})
            return None
        if not isinstance(schema, Record):
            return None
        return Described(contents, schema.doc or "", field_rows(schema))

    def _render(
        self,
        page: ProjectPage,
        simple_url: str,
        file: ListedFile | None,
        summary: RelationSummary | None,
        packaged: frozenset[str],
    ) -> Body:
        described = self._described(file) if file else None
        return Body.of(package_page(PackageView(page, simple_url, described, summary, packaged)))


def to_package(request: Request) -> Response:
    """From the address with a slash at its end."""
    return RedirectResponse(package_address(canonicalize_name(request.path_params["project"])), 301)


def to_all_packages(request: Request) -> Response:  # noqa: ARG001
    return RedirectResponse("/", 302)


def names_alike(name: str, projects: Sequence[str]) -> Sequence[str]:
    """The projects that share most words' beginnings with a name, the likeliest first."""
    asked = _stems(name)
    shared = {project: asked & _stems(project) for project in projects}
    # What every project has, such as the prefix, tells nothing.
    common = frozenset.intersection(*shared.values()) if len(shared) > 1 else frozenset()
    scored = ((len(stems - common), project) for project, stems in shared.items())
    likeliest = sorted(scored, key=lambda each: (-each[0], each[1]))[:_ALIKE]
    return [project for score, project in likeliest if score]


def _stems(name: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in name.split("-"))


def _simple_url(request: Request) -> str:
    """Where the reader's installer finds the index: the address that the reader used."""
    host = request.headers.get("host", "")
    if not _HOST.fullmatch(host):
        server: tuple[str, int | None] = request.scope.get("server") or ("127.0.0.1", None)
        host = server[0] if server[1] is None else f"{server[0]}:{server[1]}"
    return f"{request.url.scheme}://{host}/simple/"
