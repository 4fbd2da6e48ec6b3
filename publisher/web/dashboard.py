"""One page of HTML for people: how the daemon is, which relations are in trouble, which packages.

All that is shown is untrusted input and is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from publisher.web.markup import document, link, row, table, text
from publisher.web.status import RelationStatus, Status

MAX_ROWS = 500

_FOR_INSTALLERS = (
    f'<p class="soft">For installers: {link("/simple/", "/simple/")}, '
    f"{link('/constraints.txt', '/constraints.txt')}</p>"
)


def dashboard(status: Status, projects: Sequence[str] | None, search: str) -> bytes:
    """``projects`` is None where the packages lie on an index of someone else."""
    body = (
        f"<header><h1>schema-publisher</h1>{_state(status)}</header><main>{_figures(status)}"
        f"{_relations(status.relations, linked=projects is not None)}"
        f"{_packages(projects, search)}</main>"
    )
    return document("schema-publisher", body)


def package_address(distribution: str) -> str:
    return f"/packages/{quote(distribution, safe='')}"


def _state(status: Status) -> str:
    if status.live and status.ready:
        return '<p class="yes">Ready.</p>'
    what = "Not ready" if status.live else "Stopped"
    return f'<p class="no">{what}: {text(status.reason)}</p>'


def _figures(status: Status) -> str:
    pairs = (
        f"<div><dt>{text(name)}</dt><dd>{text(str(value))}</dd></div>"
        for name, value in status.figures.items()
    )
    return f'<dl class="figures">{"".join(pairs)}</dl>' if status.figures else ""


def _relations(relations: Sequence[RelationStatus], *, linked: bool) -> str:
    if not relations:
        return ""
    rows = (
        row(text(r.relation), text(r.status), _package(r, linked=linked), text(r.reason))
        for r in relations[:MAX_ROWS]
    )
    shown = table("relations", ("Relation", "Status", "Package", "Why"), rows)
    return f'<h2 id="relations">Relations in trouble</h2>{shown}{_cut(len(relations))}'


def _package(relation: RelationStatus, *, linked: bool) -> str:
    name = relation.distribution
    if name is None:
        return ""
    shown = link(package_address(name), name) if linked else text(name)
    return f"{shown} {text(relation.version or '')}"


def _packages(projects: Sequence[str] | None, search: str) -> str:
    if projects is None:
        return ""
    found = [project for project in projects if search.lower() in project]
    form = (
        '<form action="/" method="get"><label>Search '
        f'<input type="search" name="q" value="{text(search)}"></label></form>'
    )
    items = (f"<li>{link(package_address(p), p)}</li>" for p in found[:MAX_ROWS])
    shown = f"<ul>{''.join(items)}</ul>" if found else "<p>None.</p>"
    heading = f"<h2>Packages ({len(found)} of {len(projects)})</h2>"
    return f"{heading}{form}{shown}{_cut(len(found))}{_FOR_INSTALLERS}"


def _cut(count: int) -> str:
    return f"<p>… and {count - MAX_ROWS} more.</p>" if count > MAX_ROWS else ""
