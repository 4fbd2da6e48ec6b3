"""The missing relations that are checked, and the deletions that wait for a person."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from lakeschema.catalog.identifiers import Namespace, RelationName
from publisher.policy import NO_LIMIT, DeletionLimit
from publisher.settling.deletions import ConfirmMissing, HoldDeletions, plan_deletions


def name(number: int, database: str = "d") -> RelationName:
    return RelationName.of(database, f"t{number}")


def names(count: int, database: str = "d") -> frozenset[RelationName]:
    return frozenset(name(number, database) for number in range(count))


relations = st.frozensets(st.integers(0, 8).map(name))


def test_nothing_follows_from_equal_catalogs() -> None:
    assert plan_deletions(names(1), names(1), NO_LIMIT) == ()


def test_an_unlisted_relation_is_checked_and_a_new_one_is_not() -> None:
    steps = plan_deletions(frozenset({name(1), name(2)}), frozenset({name(2), name(3)}), NO_LIMIT)

    assert steps == (ConfirmMissing(name(3)),)


def test_many_deletions_in_one_database_wait_for_a_person_and_hold_up_no_other() -> None:
    big, other = names(20), names(200, "other")
    listed = other - {name(0, "other")}

    steps = plan_deletions(listed, big | other, DeletionLimit(at_least=10, share=0.2))

    assert steps == (ConfirmMissing(name(0, "other")), HoldDeletions(Namespace(("d",)), 20, 20))


def test_an_empty_catalog_deletes_nothing_by_itself() -> None:
    known = frozenset(name(n, f"d{n}") for n in range(40))

    steps = plan_deletions(frozenset(), known, DeletionLimit())

    assert steps == (HoldDeletions(None, 40, 40),)


def test_confirmed_deletions_continue() -> None:
    steps = plan_deletions(
        frozenset(), names(40), DeletionLimit(), released=frozenset({Namespace(("d",))})
    )

    assert steps == tuple(ConfirmMissing(each) for each in sorted(names(40)))


@given(relations, relations)
def test_every_unlisted_relation_has_exactly_one_step(
    listed: Iterable[RelationName], known: Iterable[RelationName]
) -> None:
    steps = plan_deletions(frozenset(listed), frozenset(known), NO_LIMIT)

    touched = [s.relation for s in steps if not isinstance(s, HoldDeletions)]
    assert sorted(touched) == sorted(frozenset(known) - frozenset(listed))
