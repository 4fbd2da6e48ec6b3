"""How much of a catalog gets packages, and the changes that would cover the rest."""

from __future__ import annotations

from io import StringIO

import pytest

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.commands.coverage import Coverage, Reason
from publisher.commands.output.console import ConsoleOutput
from tests.publisher.commands.folder import Folder

DDL = """\
CREATE TABLE shop.orders (id bigint, note string);
CREATE VIEW shop.ids AS SELECT id FROM shop.orders;
CREATE VIEW shop.wrong AS SELECT nothing FROM shop.orders;
CREATE VIEW shop.first AS SELECT id, ours(note) AS x FROM shop.orders;
CREATE VIEW shop.second AS
  SELECT note, ours(note) AS y FROM shop.orders;
CREATE VIEW shop.other AS SELECT theirs(id) AS z FROM shop.orders;
"""


@pytest.mark.thorough
def test_like_reasons_count_together_and_the_costliest_comes_first(folder: Folder) -> None:
    folder.write_ddl(DDL)
    folder.run("snapshot")

    (found,) = folder.run("coverage", "--json").lines

    assert (found["relations"], found["covered"]) == (6, 2)
    assert found["reasons"][0] == {
        "status": "UNSUPPORTED",
        "reason": "function ours is not declared",
        "relations": 2,
        "examples": ["shop.first", "shop.second"],
    }
    assert [(r["status"], r["reason"], r["relations"]) for r in found["reasons"][1:]] == [
        ("BROKEN", "column nothing does not exist", 1),
        ("UNSUPPORTED", "function theirs is not declared", 1),
    ]


def shown(coverage: Coverage) -> str:
    stream = StringIO()
    ConsoleOutput(stream, is_terminal=False).coverage(coverage)
    return stream.getvalue()


def test_people_read_a_share_and_a_table() -> None:
    names = (RelationName.of("shop", "first"), RelationName.of("shop", "second"))
    reason = Reason(Status.UNSUPPORTED, "function ours is not declared", 4, names)

    text = shown(Coverage(6, 2, (reason,)))

    assert text.startswith("2 of 6 relations covered (33.3%)\n")
    assert "function ours is not declared" in text
    assert "shop.first, shop.second" in text


@pytest.mark.parametrize(
    ("coverage", "text"),
    [
        (Coverage(1, 1, ()), "1 of 1 relation covered (100.0%)\n"),
        (Coverage(0, 0, ()), "0 of 0 relations covered\n"),
    ],
)
def test_a_catalog_without_trouble_is_one_line(coverage: Coverage, text: str) -> None:
    assert shown(coverage) == text
