"""One page of HTML for people: how the daemon is, which relations are in trouble, which packages.

All that is shown comes from strangers and is escaped; the page runs no script.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from html import escape
from urllib.parse import quote

from publisher.web.status import RelationStatus, Status

MAX_ROWS = 500

STYLE = """
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#1a1a1a}
h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #ddd;vertical-align:top}
td{overflow-wrap:anywhere}
dl{display:flex;flex-wrap:wrap;gap:1rem 2.5rem}dt{color:#666}dd{margin:0;font-size:1.4rem}
.no{color:#a40000}.yes{color:#0a6b2b}
@media(prefers-color-scheme:dark){body{background:#16181a;color:#e6e6e6}a{color:#8ab4f8}
th,td{border-color:#3a3d40}dt{color:#a0a0a0}.no{color:#ff8a80}.yes{color:#81c995}}
"""

_STYLE_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
CONTENT_SECURITY_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)


def dashboard(status: Status, projects: Sequence[str] | None, search: str) -> bytes:
    """``projects`` is None where the packages lie on an index of someone else."""
    body = (
        f"<h1>schema-publisher</h1>{_state(status)}{_figures(status)}"
        f"{_relations(status.relations)}{_packages(projects, search)}"
    )
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>schema-publisher</title><style>{STYLE}</style></head>"
        f"<body>{body}</body></html>"
    ).encode("utf-8", "replace")


def _state(status: Status) -> str:
    if status.live and status.ready:
        return '<p class="yes">Ready.</p>'
    what = "Not ready" if status.live else "Stopped"
    return f'<p class="no">{what}: {escape(status.reason)}</p>'


def _figures(status: Status) -> str:
    pairs = (
        f"<div><dt>{escape(name)}</dt><dd>{escape(str(value))}</dd></div>"
        for name, value in status.figures.items()
    )
    return f"<dl>{''.join(pairs)}</dl>" if status.figures else ""


def _relations(relations: Sequence[RelationStatus]) -> str:
    if not relations:
        return ""
    rows = (
        (escape(r.relation), escape(r.status), _package(r), escape(r.reason))
        for r in relations[:MAX_ROWS]
    )
    return f"<h2>Relations</h2>{_table(('Relation', 'Status', 'Package', 'Why'), rows)}" + _cut(
        len(relations)
    )


def _package(relation: RelationStatus) -> str:
    if relation.distribution is None:
        return ""
    return f"{_link(relation.distribution)} {escape(relation.version or '')}"


def _packages(projects: Sequence[str] | None, search: str) -> str:
    if projects is None:
        return ""
    found = [project for project in projects if search.lower() in project]
    form = (
        '<form action="/" method="get"><label>Search '
        f'<input type="search" name="q" value="{escape(search)}"></label></form>'
    )
    rows = ((_link(project),) for project in found[:MAX_ROWS])
    shown = _table(("Package",), rows) if found else "<p>None.</p>"
    return f"<h2>Packages ({len(found)} of {len(projects)})</h2>{form}{shown}{_cut(len(found))}"


def _link(distribution: str) -> str:
    return f'<a href="/simple/{quote(distribution)}/">{escape(distribution)}</a>'


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Cells are HTML already."""
    head = "".join(f"<th>{h}</th>" for h in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cut(count: int) -> str:
    return f"<p>… and {count - MAX_ROWS} more.</p>" if count > MAX_ROWS else ""
