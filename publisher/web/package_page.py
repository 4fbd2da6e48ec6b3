"""A package for people: how to install it, its fields, versions, neighbours and origin, as HTML.

Everything shown may come from untrusted sources, and is escaped where it is put in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from codegen.package import PackageContents
from publisher.index.simple_page import ProjectPage
from publisher.web.dashboard import package_address
from publisher.web.fields import FieldRow
from publisher.web.markup import document, link, row, table, text
from publisher.web.release_list import ListedVersion, release_list, versions_of
from publisher.web.status import Neighbour, RelationSummary

_MAX_NEIGHBOURS: Final = 500
_MAX_SYMBOLS: Final = 40
_MAX_TEXT: Final = 20_000


@dataclass(frozen=True, slots=True)
class Described:
    """What the newest readable wheel of a package says."""

    contents: PackageContents
    documentation: str
    rows: Sequence[FieldRow]


@dataclass(frozen=True, slots=True)
class PackageView:
    """All that its page shows of a package.

    Attributes:
        simple_url: of the index, as the reader's installer reaches it.
        described: None where no wheel of it is one of ours.
        packaged: which of the neighbours' distributions have a page.
    """

    page: ProjectPage
    simple_url: str
    described: Described | None
    summary: RelationSummary | None
    packaged: frozenset[str]


def package_page(view: PackageView) -> bytes:
    name = view.page.name
    versions = versions_of(view.page)
    told = view.described.contents.changelog if view.described else ()
    sections = [
        ("install", "Install", _install(view, versions)),
        ("fields", "Fields", _fields(view.described)),
        ("versions", f"Versions ({len(versions)})", release_list(name, versions, told)),
        ("relations", "Relations", _relations(view)),
        ("provenance", "Provenance", _provenance(view.described)),
    ]
    shown = [section for section in sections if section[2]]
    contents = "".join(f"<li>{link(f'#{id_}', heading)}</li>" for id_, heading, _ in shown)
    body = "".join(
        f'<section><h2 id="{id_}">{text(heading)}</h2>{html}</section>'
        for id_, heading, html in shown
    )
    return document(
        name,
        f'<header><nav aria-label="Site">{link("/", "schema-publisher")} / packages</nav>'
        f"<h1>{text(name)}</h1>{_lead(view)}"
        f'<nav aria-label="On this page"><ul>{contents}</ul></nav></header>'
        f"<main>{_notes(view, versions)}{body}</main>",
    )


def unknown_package_page(name: str, alike: Sequence[str]) -> bytes:
    """For an address that no package has."""
    items = "".join(f"<li>{link(package_address(other), other)}</li>" for other in alike)
    hint = f"<p>Packages with names like it:</p><ul>{items}</ul>" if alike else ""
    return document(
        "No such package",
        f'<header><nav aria-label="Site">{link("/", "schema-publisher")} / packages</nav>'
        "<h1>No such package</h1></header><main>"
        f"<p>This index has no package called <code>{text(name)}</code>. A relation has none before "
        "its first derivation succeeds, while it cannot be derived, and where it is withheld; "
        "<code>schema-publisher explain RELATION</code> says which.</p>"
        f"{hint}<p>{link('/', 'All packages')}</p></main>",
    )


# The head


def _lead(view: PackageView) -> str:
    if view.described is None:
        return '<p class="soft">No wheel here says what it is of.</p>'
    contents = view.described.contents
    kind = contents.provenance.get("kind")
    what = "view" if kind == "view" else "table"
    doc = view.described.documentation
    shown = f"<p>{text(_cut(doc))}</p>" if doc else ""
    return (
        f'<p class="soft">Typed records of the {what} <code>{text(str(contents.relation))}</code>, '
        f"version {text(contents.version)}</p>{shown}"
    )


def _notes(view: PackageView, versions: Sequence[ListedVersion]) -> str:
    notes = []
    if versions and all(version.yanked is not None for version in versions):
        notes.append(
            "Every version is yanked: pins go on working, and nothing new is resolved to it."
        )
    summary = view.summary
    if summary is not None and summary.reason:
        notes.append(f"The relation is {summary.status}: {summary.reason}")
    return "".join(f'<p class="note" role="note">{text(note)}</p>' for note in notes)


# How to install it


def _install(view: PackageView, versions: Sequence[ListedVersion]) -> str:
    offered = [version for version in versions if version.yanked is None] or versions
    if not offered:
        return ""
    name = view.page.name
    newest = offered[0]
    whole = newest.yanked is not None or newest.number.startswith("0.")
    pin = f"{name}=={newest.number}" if whole else f"{name}=={_minor(newest.number)}.*"
    # Isolated: an index that the reader's environment adds would answer for the name, too.
    pip = f'pip --isolated install --index-url {view.simple_url} "{pin}"'
    uv = (
        "[[tool.uv.index]]\n"
        'name = "schemas"\n'
        f'url = "{view.simple_url}"\n'
        "explicit = true\n\n"
        "[tool.uv.sources]\n"
        f'{name} = {{ index = "schemas" }}\n\n'
        "[project]\n"
        f'dependencies = ["{pin}"]'
    )
    described = view.described
    usage = (
        f"<p>Then</p>{_code(f'from {described.contents.import_package} import RECORD')}"
        if described
        else ""
    )
    return (
        "<p>From this index alone, so that the name is never looked up anywhere else:</p>"
        f"{_code(pip)}"
        f"<p>or with uv, in <code>pyproject.toml</code>:</p>{_code(uv)}{usage}"
        f'<p class="soft">{_pin_words(newest)} Hashes of everything here: '
        f"{link('/constraints.txt', 'constraints.txt')}.</p>"
    )


def _pin_words(version: ListedVersion) -> str:
    if version.yanked is not None:
        return "A yanked version is installed by its whole number alone."
    if version.number.startswith("0."):
        # Sequential numbers say nothing of what a change breaks.
        return "These numbers only count: any step may break a reader, so pin the whole of it."
    return (
        "This pin takes patches only, which change documentation; "
        f"<code>~={text(_minor(version.number))}</code> takes new fields too, and neither ever a "
        "breaking change."
    )


def _minor(number: str) -> str:
    return ".".join([*number.split("."), "0"][:2])


def _code(content: str) -> str:
    return f"<pre><code>{text(content)}</code></pre>"


# Fields


def _fields(described: Described | None) -> str:
    if described is None:
        return ""
    heads = ("Field", "Type", "Null", "Default", "Documentation")
    return table("fields", heads, map(_field_row, described.rows))


def _field_row(field: FieldRow) -> str:
    indent = f' class="d{min(field.depth, 4)}"' if field.depth else ""
    attribute = (
        f'<br><span class="soft">in Python: <code>{text(field.attribute)}</code></span>'
        if field.attribute
        else ""
    )
    default = "" if field.default is None else f"<code>{text(_cut(field.default, 200))}</code>"
    return (
        f'<tr id="{_field_id(field.path)}"><th scope="row"{indent}>'
        f"<code>{text(field.path)}</code>{attribute}</th>"
        f"<td>{text(field.type)}{_symbols(field.symbols)}{''.join(map(_elsewhere, field.fields_at))}</td>"
        f"<td>{'required' if field.required else 'optional'}</td><td>{default}</td>"
        f'<td class="wide">{text(_cut(field.documentation))}</td></tr>'
    )


def _field_id(path: str) -> str:
    return text(f"field-{path}")


def _symbols(symbols: Sequence[str]) -> str:
    if not symbols:
        return ""
    listed = ", ".join(text(symbol) for symbol in symbols)
    if len(symbols) <= _MAX_SYMBOLS:
        return f'<br><span class="soft">{listed}</span>'
    return f"<details><summary>{len(symbols)} symbols</summary>{listed}</details>"


def _elsewhere(path: str) -> str:
    if not path:
        return '<br><span class="soft">the fields of this very record</span>'
    return f'<br><span class="soft">its fields: {link(f"#field-{path}", path)}</span>'


# Relations


def _relations(view: PackageView) -> str:
    summary = view.summary
    if summary is None:
        if view.described is None:
            return ""
        stated = _mapping(view.described.contents.provenance.get("upstreams"))
        return _neighbours("Reads", [Neighbour(name, "") for name in stated], frozenset())
    return _neighbours("Reads", summary.upstreams, view.packaged) + _neighbours(
        "Read by", summary.downstreams, view.packaged
    )


def _neighbours(heading: str, neighbours: Sequence[Neighbour], packaged: frozenset[str]) -> str:
    items = [
        link(package_address(n.distribution), n.relation)
        if n.distribution in packaged
        else f'{text(n.relation)} <span class="soft">(no package)</span>'
        if n.distribution
        else text(n.relation)
        for n in neighbours[:_MAX_NEIGHBOURS]
    ]
    if len(neighbours) > _MAX_NEIGHBOURS:
        items.append(f"… and {len(neighbours) - _MAX_NEIGHBOURS} more")
    listed = "".join(f"<li>{item}</li>" for item in items)
    return f"<h3>{heading}</h3>" + (f"<ul>{listed}</ul>" if items else "<p>Nothing.</p>")


# Provenance


def _provenance(described: Described | None) -> str:
    if described is None:
        return ""
    stated = described.contents.provenance
    generator = _mapping(stated.get("generator"))
    fingerprints = _mapping(stated.get("fingerprints"))
    facts = [
        ("Fingerprint, CRC-64-AVRO", fingerprints.get("crc-64-avro")),
        ("Fingerprint, SHA-256", fingerprints.get("sha-256")),
        ("Generator", f"{generator.get('name', '')} {generator.get('version', '')}".strip()),
        ("Metastore event", stated.get("event_id")),
        *((str(key), value) for key, value in _mapping(stated.get("labels")).items()),
    ]
    pairs = (
        f"<div><dt>{text(name)}</dt><dd><code>{text(_cut(str(value)))}</code></dd></div>"
        for name, value in facts
        if value is not None and value != ""
    )
    view_text = stated.get("view_text")
    query = ""
    if isinstance(view_text, str) and view_text:
        query = f"<h3>Text of the view</h3>{_code(_cut(view_text))}"
    return f"<dl>{''.join(pairs)}</dl>{query}{_lineage(stated)}"


def _lineage(stated: Mapping[str, Any]) -> str:
    columns = _mapping(stated.get("lineage"))
    sources = (
        (column, [str(source) for source in listed])
        for column, listed in columns.items()
        if isinstance(listed, list) and listed
    )
    rows = [row(f"<code>{text(column)}</code>", _list(listed)) for column, listed in sources]
    if not rows:
        return ""
    shown = table("lineage", ("Column", "Comes from"), rows)
    return (
        f'<details><summary id="lineage">Where each column comes from ({len(rows)})</summary>'
        f"{shown}</details>"
    )


def _list(names: Iterable[str]) -> str:
    return "<br>".join(_codes(names))


def _codes(names: Iterable[str]) -> Iterator[str]:
    return (f"<code>{text(name)}</code>" for name in names)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _cut(value: str, limit: int = _MAX_TEXT) -> str:
    return value if len(value) <= limit else value[: limit - 1] + "…"
