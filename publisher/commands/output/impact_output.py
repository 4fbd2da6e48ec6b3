"""Shows the effects of a change as text, JSON or Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, TextIO, assert_never

from publisher.commands.impacting.values import Impact, Person
from publisher.commands.output.plan_sections import Section
from publisher.commands.output.tables import beginning
from publisher.commands.output.times import shown_time
from publisher.commands.planning.formats import ReportFormat
from publisher.lineage.hits import Governed, Hit, counted_reach
from publisher.lineage.lineage_json import statement_json

_HOW = {True: "view", False: "table"}


def write_impact(impact: Impact, chosen: ReportFormat, stream: TextIO) -> None:
    match chosen:
        case ReportFormat.JSON:
            print(json.dumps(_json(impact)), file=stream, flush=True)
        case ReportFormat.MARKDOWN:
            from publisher.commands.output.plan_markdown import write_page

            write_page("Impact", headline(impact), sections(impact), stream)
        case ReportFormat.TEXT:
            from publisher.commands.output.tables import plain_console, print_table, say

            console = plain_console(stream)
            say(console, headline(impact))
            for section in sections(impact):
                print_table(console, section.title, section.headings, section.rows)
        case _:
            assert_never(chosen)


def headline(impact: Impact) -> str:
    """The effects in one sentence."""
    parts = [*counted_reach(impact.hits)]
    if impact.people is not None:
        names = {person.name for person in impact.people}
        parts.append("1 person" if len(names) == 1 else f"{len(names)} people")
    return f"{impact.asked} reaches {', '.join(parts)}"


def sections(impact: Impact) -> Iterator[Section]:
    """The sections that have rows."""
    for section in _sections(impact):
        if section.rows:
            yield section


def _sections(impact: Impact) -> Iterator[Section]:
    gone = f"if {impact.asked} goes"
    yield Section(
        "reached, nearest first",
        ("distance", "relation", "kind", "columns", gone),
        [
            (
                str(hit.distance),
                str(hit.relation),
                _HOW[hit.is_view],
                "\n".join(hit.columns) or "all",
                _becomes(hit),
            )
            for hit in impact.hits
        ],
    )
    if impact.not_planned:
        yield Section("versions are not known", ("why",), [(impact.not_planned,)])
    yield Section(
        "packages",
        ("package", "newest", gone, "of"),
        [
            (hit.distribution, hit.version or "", hit.next_version or "", str(hit.relation))
            for hit in impact.hits
            if hit.version is not None or hit.next_version is not None
        ],
    )
    yield Section(
        "filled by statements",
        ("table", "last", "by", "statement"),
        [
            (
                str(hit.relation),
                shown_time(hit.filled_by.last_at),
                hit.filled_by.user,
                beginning(hit.filled_by.text),
            )
            for hit in impact.hits
            if hit.filled_by is not None
        ],
    )
    yield Section(
        f"people, of the last {impact.days} days of the log",
        ("distance", "who", "how", "relation", "statements", "last"),
        [_person_row(person) for person in impact.people or ()],
    )
    yield Section(
        "tags and masks",
        ("relation", "column", "tags", "masks"),
        [
            (str(hit.relation), each.column, ", ".join(each.tags), "\n".join(_masks(each)))
            for hit in impact.hits
            for each in hit.governed
        ],
    )


def _becomes(hit: Hit) -> str:
    if hit.breaks:
        return f"breaks: {hit.breaks}" if hit.distance else hit.breaks
    return f"{hit.next_version} ({hit.change})" if hit.next_version else ""


def _person_row(person: Person) -> Sequence[str]:
    return (
        str(person.distance),
        person.name,
        person.concern,
        person.relation,
        str(person.statements) if person.statements else "",
        person.last_day,
    )


def _masks(governed: Governed) -> Iterator[str]:
    """Each mask with its readers, such as ``hash (readers of no group, finance)``."""
    for mask, groups in governed.masks:
        yield f"{mask} ({', '.join(group or 'readers of no group' for group in groups)})"


def _json(impact: Impact) -> dict[str, Any]:
    asked = impact.asked
    people = None if impact.people is None else [_person_json(each) for each in impact.people]
    return {
        "asked": {"relation": str(asked.relation), "column": asked.column, "path": asked.path},
        "hits": [_hit_json(hit, with_policies=impact.is_governed) for hit in impact.hits],
        "people": people,
        "not_planned": impact.not_planned or None,
    }


def _hit_json(hit: Hit, *, with_policies: bool) -> dict[str, Any]:
    governed = [
        {"column": each.column, "tags": each.tags, "masks": dict(each.masks)}
        for each in hit.governed
    ]
    return {
        "relation": str(hit.relation),
        "kind": _HOW[hit.is_view],
        "distance": hit.distance,
        "columns": list(hit.columns) or None,
        "filled_by": None if hit.filled_by is None else statement_json(hit.filled_by),
        "package": None if hit.version is None else hit.distribution,
        "version": hit.version,
        "next_version": hit.next_version,
        "change": hit.change or None,
        "breaks": hit.breaks or None,
        **({"policies": governed} if with_policies else {}),
    }


def _person_json(person: Person) -> dict[str, Any]:
    return {
        "name": person.name,
        "concern": person.concern,
        "relation": person.relation,
        "distance": person.distance,
        "statements": person.statements,
        "last_day": person.last_day or None,
    }
