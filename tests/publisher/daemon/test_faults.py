"""What the page of a broken, dropped or filled relation says about the cause."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lakeschema.catalog.identifiers import RelationName
from publisher.daemon.adapters import open_catalog
from publisher.daemon.definitions import Definitions
from publisher.daemon.faults import failing_word
from publisher.daemon.relation_details import DetailsReader
from publisher.outages import Outages
from publisher.selection import EVERYTHING
from publisher.settings import load_settings
from publisher.web.addresses import Link
from publisher.web.details import RelationDetails
from publisher.web.relation_page import relation_page
from tests.publisher.commands.folder import Folder
from tests.publisher.web.html_outline import Outline

BEFORE = """\
CREATE TABLE shop.orders (id bigint, status string, `<b>` int);
CREATE TABLE shop.other (id bigint);
CREATE VIEW shop.open AS SELECT id FROM shop.orders
WHERE stat = 'open';
CREATE VIEW shop.gone AS SELECT id FROM shop.other;
"""
AFTER = BEFORE.replace("status string, `<b>` int", "day date")
WITHOUT = AFTER[: AFTER.index("CREATE VIEW shop.gone")]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    folder = Folder(tmp_path_factory.mktemp("shop"))
    for ddl in (BEFORE, AFTER, WITHOUT, WITHOUT):
        folder.write_ddl(ddl)
        assert folder.run("snapshot").status == 0
    return folder


@pytest.fixture(params=[True, False], ids=["hears statements", "hears none"])
def reader(shop: Folder, request: pytest.FixtureRequest) -> Iterator[DetailsReader]:
    with shop.state() as state, open_catalog(load_settings(shop.config)) as catalog:
        definitions = Definitions(catalog, Outages())
        yield DetailsReader(
            state, definitions, EVERYTHING, "acme-schema", hears_statements=request.param
        )


def read(reader: DetailsReader, name: str) -> RelationDetails:
    found = reader.read(RelationName.parse(name), f"acme-schema-{name.replace('.', '-')}", 0.0)
    assert found is not None
    return found


def test_a_broken_view_shows_the_failing_word_and_what_its_upstreams_lost(
    reader: DetailsReader,
) -> None:
    details = read(reader, "shop.open")
    page = relation_page(details, Link("")).decode()

    assert details.definition.marked[1] == "stat"
    assert "<mark>stat</mark>" in page
    assert details.meant == ("status",)
    (loss,) = details.losses
    assert (loss.before, loss.number, set(loss.removed)) == (
        "1.0.0",
        "2.0.0",
        {"status", "_x3Cb_x3E"},
    )
    outline = Outline(page)
    assert outline.faults == []
    assert "Similar columns: status (removed)." in outline.text
    assert "/packages/acme-schema-shop-orders/diff/1.0.0...2.0.0" in outline.links


def test_a_dropped_view_says_what_it_read_and_that_its_versions_are_yanked(
    reader: DetailsReader,
) -> None:
    details = read(reader, "shop.gone")
    text = Outline(relation_page(details, Link("")).decode()).text

    assert details.are_yanked
    assert [each.relation for each in details.reads.relations] == ["shop.other"]
    assert "Reads (1), as of version 1.0.0" in text


def test_a_table_says_whether_it_is_known_what_fills_it(reader: DetailsReader) -> None:
    text = Outline(relation_page(read(reader, "shop.orders"), Link("")).decode()).text

    assert ("has seen no statement that fills it" in text) == reader.hears_statements
    assert ("this deployment reads no statements" in text) != reader.hears_statements
    assert "Reads (0)" not in text
    assert (
        "Filled by" not in Outline(relation_page(read(reader, "shop.open"), Link("")).decode()).text
    )


@pytest.mark.parametrize(
    ("reason", "word"),
    [
        ("s.v: column b does not exist at line 2, column 3", "`b c`"),
        ("column b does not exist at line 2, column 3 (the columns are a)", "`b c`"),
        ("unexpected ')' at line 1, column 9", ")"),
        ("at line 3, column 1", None),
        ("at line 1, column 99", None),
        ("at line 0, column 0", None),
        (" at line 1, column 1 of another text", None),
        ("column b does not exist", None),
    ],
)
def test_the_failing_word_is_found_by_line_and_column(reason: str, word: str | None) -> None:
    text = "SELECT a) FROM\nt.`b c` WHERE"

    found = failing_word(reason, text)

    assert (None if found is None else text[slice(*found)]) == word
