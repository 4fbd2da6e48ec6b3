"""The facts about earlier versions that decide a draft's number, however many versions there are."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lakeschema.avro.model import INT, LONG, STRING, Field, Record
from lakeschema.avro.printing import to_text
from lakeschema.catalog.identifiers import RelationName
from publisher.publishing.history import MAX_COMPARED, newest_published, published_texts
from publisher.publishing.packaging import version_after
from publisher.publishing.packaging_protocol import Predecessors, PublishedText
from publisher.publishing.versioning import VersioningMode
from publisher.state.records import VersionRecord, VersionStatus

INTEGER, BIG, TEXT = (Record("R", "n", (Field("a", type_),)) for type_ in (INT, LONG, STRING))
GROWN = Record("R", "n", (Field("a", STRING), Field("b", INT, 0)))


def version(
    number: str, schema: Record | None, status: VersionStatus = VersionStatus.PUBLISHED
) -> VersionRecord:
    text = None if schema is None else to_text(schema)
    return VersionRecord(
        "d", number, RelationName.of("db", "t"), status, None, text, None, f"d-{number}.whl"
    )


def numbers(history: Sequence[VersionRecord]) -> list[str]:
    return [text.number for text in published_texts(history)]


def test_versions_of_earlier_majors_are_not_sent() -> None:
    history = [version("1.0.0", INTEGER), version("2.0.0", TEXT), version("1.10.0", BIG)]

    assert numbers([*history, version("2.1.0", GROWN)]) == ["2.1.0", "2.0.0"]


def test_of_a_long_major_the_newest_are_sent() -> None:
    history = [version(f"0.0.{patch}", TEXT) for patch in range(3 * MAX_COMPARED)]

    found = numbers(history)

    assert len(found) == MAX_COMPARED
    assert found[0] == f"0.0.{3 * MAX_COMPARED - 1}"
    newest = newest_published(history)
    assert newest is not None
    assert found[0] == newest.number


def test_a_major_whose_versions_are_unusable_or_unknown_does_not_hide_the_one_before_it() -> None:
    conflict = version("3.0.0", TEXT, VersionStatus.CONFLICT)

    assert numbers([version("1.0.0", TEXT), version("2.0.0", None), conflict]) == ["1.0.0"]


def test_nothing_is_sent_before_the_first_version() -> None:
    assert numbers([]) == numbers([version("1.0.0", TEXT, VersionStatus.RESERVED)]) == []


@pytest.mark.parametrize("mode", ["semantic", "sequential"])
@pytest.mark.parametrize("schema", [INTEGER, BIG, TEXT, GROWN])
def test_the_next_number_is_that_after_all_versions(mode: VersioningMode, schema: Record) -> None:
    history = [
        version("0.0.1", INTEGER),
        version("1.0.0", BIG),
        version("2.0.0", TEXT),
        version("2.0.1", TEXT, VersionStatus.CONFLICT),
        version("2.1.0", GROWN, VersionStatus.LOST),
        version("3.0.0", GROWN, VersionStatus.CONFLICT),
    ]
    every = [
        PublishedText(v.number, v.schema_text or "", v.surface_hash)
        for v in history
        if v.status is VersionStatus.PUBLISHED
    ]
    taken = tuple(v.number for v in history)

    after_all, after_sent = (
        version_after(Predecessors(tuple(texts), taken, mode), schema, lambda _: "")
        for texts in (every, published_texts(history))
    )

    assert after_sent == after_all
    assert after_sent[0] not in taken
