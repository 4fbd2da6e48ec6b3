"""The start page's figures lead to what they count, and each problem names who owns it."""

from __future__ import annotations

from publisher.web.dashboard import dashboard
from publisher.web.listing import CatalogueFigures
from publisher.web.overview import Held, Overview
from publisher.web.status import FoundRelations, RelationStatus, ServiceStatus
from tests.publisher.web.html_outline import Outline

STATUS = ServiceStatus(
    figures={"relations BROKEN": 2, "relations <b>": 1, "versions": 7},
    relations=(
        RelationStatus("shop.daily", "BROKEN", "gone", owner="<b>sales"),
        RelationStatus("shop.paid", "BROKEN", "shop.paid: gone"),
    ),
)
HELD = Overview(0.0, CatalogueFigures(), held=(Held("deletions", "", ""),))


def shown(overview: Overview | None) -> Outline:
    return Outline(dashboard(STATUS, overview, None, "").decode())


def test_a_status_leads_to_the_relations_that_have_it() -> None:
    page = shown(None)

    assert [link for link in page.links if "status" in link] == ["/catalog?status=BROKEN"]
    assert "versions7" in page.text


def test_the_number_of_held_changes_is_told_even_if_it_is_none() -> None:
    none, one = shown(Overview(0.0, CatalogueFigures())), shown(HELD)

    assert "changes held0" in none.text
    assert "#held" not in none.links
    assert "changes held1" in one.text
    assert "#held" in one.links
    assert "held" in one.ids


def test_a_problem_names_its_owner() -> None:
    text = shown(None).text

    assert "gone<b>sales" in text
    assert "gonenot set" in text
    assert "shop.paid: gone" not in text


def test_a_search_without_a_hit_says_when_a_new_relation_is_known() -> None:
    page = dashboard(STATUS, None, FoundRelations(), "new_table").decode()

    assert "schema-publisher resync RELATION" in Outline(page).text
