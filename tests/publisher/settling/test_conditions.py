"""Each status in words, with the action that a person can take."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.selection import Selection
from publisher.settling.conditions import condition, withheld_because
from publisher.state.records import Output, RelationRecord, Urgency, WorkRecord

NAME = RelationName.of("shop", "orders")
DERIVED = RelationRecord(
    NAME, status=Status.OK, stale=False, output=Output("i", "c"), published_hash="c", facts_hash="f"
)
UPSTREAMS = [RelationName.of("shop", f"t{n}") for n in range(5)]


@pytest.mark.parametrize("status", Status)
@pytest.mark.parametrize("stale", [True, False])
@pytest.mark.parametrize("content", [None, "c"])
@pytest.mark.parametrize("reason", ["", "why"])
@pytest.mark.parametrize("missing_since", [None, 1.0])
def test_every_state_of_a_relation_has_a_meaning(
    status: Status, stale: bool, content: str | None, reason: str, missing_since: float | None
) -> None:
    record = RelationRecord(
        NAME,
        status=status,
        stale=stale,
        output=None if content is None else Output("i", content),
        reason=reason,
        missing_since=missing_since,
    )

    found = condition(record, withheld_because(record, Selection()))

    assert found.meaning
    assert not found.meaning.endswith(".")
    assert not found.remedy.endswith(".")


def test_what_is_well_has_nothing_to_do() -> None:
    assert condition(DERIVED).remedy == ""
    assert "will be published" in condition(replace(DERIVED, published_hash="older")).meaning
    assert condition(None).remedy == ""


def test_what_cannot_be_read_again_keeps_its_package_and_says_why() -> None:
    work = WorkRecord(NAME, 0.0, 0.0, 1, 1, "its files are away", Urgency.SNAPSHOT, failures=1)

    found = condition(DERIVED, work=work)

    assert "the schema of the last reading" in found.meaning
    assert "its files are away" in found.remedy
    assert condition(DERIVED, work=replace(work, failures=0)).remedy == ""


@pytest.mark.parametrize(
    "status",
    [
        Status.BROKEN,
        Status.UNSUPPORTED,
        Status.UNREACHABLE,
        Status.CYCLE,
        Status.QUARANTINED,
        Status.MISSING,
    ],
)
def test_what_failed_has_something_to_do(status: Status) -> None:
    assert condition(replace(DERIVED, status=status, output=None)).remedy


def test_what_reads_something_that_fails_names_that() -> None:
    broken = replace(DERIVED, status=Status.BROKEN, output=None)

    assert "repair shop.t0, shop.t1 first" in condition(broken, failing=UPSTREAMS[:2]).remedy
    assert "shop.t2 and 2 more" in condition(broken, failing=UPSTREAMS).remedy


def test_what_is_withheld_says_by_which_setting_and_how_to_publish_it() -> None:
    withheld = replace(DERIVED, output=Output("i"))

    by_settings = withheld_because(withheld, Selection(exclude=("shop.*",)))
    by_itself = withheld_because(withheld, Selection())

    assert "artifacts.exclude" in condition(withheld, by_settings).meaning
    assert "schema-publisher.publish" in condition(withheld, by_itself).remedy
    assert withheld_because(DERIVED, Selection(exclude=("shop.*",))) == ""


def test_a_command_in_a_remedy_is_safe_to_copy_into_a_shell() -> None:
    name = RelationName.of("shop", "x'; rm -rf ~; '")

    remedy = condition(RelationRecord(name, status=Status.MISSING, stale=False)).remedy

    assert shlex.split(remedy.partition("has it: ")[2])[-1] == str(name)
