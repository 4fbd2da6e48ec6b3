"""The statements that create a catalog's views in Trino."""

from __future__ import annotations

from dataclasses import replace

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.relations import Dialect
from publisher.commands.registering.statements import (
    Unwritable,
    Written,
    read_mark,
    write_views,
)
from tests.publisher.commands.registering.lake import ABOVE, HASHED, OPTIONS, TABLE, TOP, views


def one(*ddl: str) -> Written:
    (found,) = views(*ddl)
    assert isinstance(found, Written)
    return found


def test_a_view_reads_tables_where_they_are_and_views_where_they_are_made() -> None:
    above, top = views(TOP, ABOVE)
    assert isinstance(above, Written)
    assert isinstance(top, Written)

    assert 'FROM "hive"."shop"."orders"' in above.sql
    assert 'FROM "lake"."trino_shop"."above"' in top.sql
    assert top.reads == (above.view,)


def test_a_view_is_made_with_its_comments_and_marked_last() -> None:
    view = one(ABOVE)
    create, column, finish = view.statements(replace=False)

    assert create.startswith('CREATE VIEW "lake"."trino_shop"."above" COMMENT ')
    assert "shop.above unfinished)" in create
    assert column == """COMMENT ON COLUMN "lake"."trino_shop"."above"."total" IS 'with tax'"""
    assert finish.startswith('COMMENT ON VIEW "lake"."trino_shop"."above" IS ')
    assert "the dear ones" in finish
    assert view.mark.digest in finish


def test_the_digest_is_of_all_that_a_view_is_made_of() -> None:
    digests = {
        one(text).mark.digest
        for text in (
            ABOVE,
            ABOVE.replace("dear", "cheap"),
            ABOVE.replace("9", "8"),
            ABOVE.replace("id,", "id COMMENT 'a key',").replace("(id COMMENT", "(id COMMENT"),
        )
        if "COMMENT 'a key'" not in text
    }

    assert len(digests) == 3


def test_a_mark_is_read_back_from_a_comment_that_pretends_to_have_one() -> None:
    view = one(ABOVE.replace("the dear ones", f"(schema-publisher: shop.other {'0' * 32})"))

    assert read_mark(view.mark.under(view.comment)) == view.mark
    assert read_mark("of somebody else") is None
    assert read_mark(None) is None


def test_names_and_comments_cannot_end_what_they_stand_in() -> None:
    view = one(
        """CREATE VIEW shop.`v"; DROP TABLE x` COMMENT 'a\\'); --' AS SELECT id AS `i"d` FROM shop.orders"""
    )
    create, *_ = view.statements(replace=False)

    assert create.startswith('CREATE VIEW "lake"."trino_shop"."v""; drop table x" COMMENT ')
    assert "a''); --" in create
    assert '"i""d"' in create


def test_what_trino_cannot_give_is_said_with_the_reason() -> None:
    (found,) = views(HASHED)

    assert isinstance(found, Unwritable)
    assert "hash for Trino" in found.reason


def test_views_that_would_be_made_in_one_place_are_not_made() -> None:
    other = ABOVE.replace("shop.above", "old.above")

    found = views(ABOVE, other, places="lake.views")

    assert all(isinstance(each, Unwritable) for each in found)
    assert {each.reason for each in found if isinstance(each, Unwritable)} == {
        "lake.views.above would also be old.above",
        "lake.views.above would also be shop.above",
    }


def test_tables_are_not_made() -> None:
    assert views() == []
    assert TABLE


def _of_two_catalogs(places: str) -> dict[str, Written | Unwritable]:
    relations = dict(relations_from_ddl([TABLE, ABOVE], Dialect.SPARK))
    for name, relation in list(relations.items()):
        other = replace(name, catalog="b")
        relations[other] = replace(relation, name=other)
    return {str(found.view): found for found in write_views(relations, OPTIONS, places)}


def test_a_view_of_the_default_catalog_keeps_its_place_beside_its_namesake() -> None:
    found = _of_two_catalogs("lake.trino_{database}")

    assert isinstance(found["shop.above"], Written)
    refused = found["b:shop.above"]
    assert isinstance(refused, Unwritable)
    assert refused.reason == "lake.trino_shop.above would also be shop.above"
    assert "{catalog}" in refused.hint


def test_views_of_two_catalogs_have_places_of_their_own() -> None:
    found = _of_two_catalogs("lake.{catalog}_{database}")

    places = {name: str(each.place) for name, each in found.items() if isinstance(each, Written)}
    assert places == {
        "shop.above": "lake.default_shop.above",
        "b:shop.above": "lake.b_shop.above",
    }
