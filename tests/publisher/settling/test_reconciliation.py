from hypothesis import given
from hypothesis import strategies as st

from lakeschema.catalog.identifiers import RelationName
from publisher.settling.reconciliation import (
    NO_LIMIT,
    ConfirmMissing,
    DeletionLimit,
    HoldDeletions,
    ReadAgain,
    reconcile,
)


def name(number: int, database: str = "d") -> RelationName:
    return RelationName.of(database, f"t{number}")


hashes = st.dictionaries(st.integers(0, 8).map(name), st.sampled_from("xyz"))


def test_nothing_follows_from_equal_catalogs() -> None:
    same = {name(1): "x"}

    assert reconcile(same, same, NO_LIMIT) == ()


def test_a_new_a_changed_and_an_unlisted_relation_are_each_looked_at() -> None:
    steps = reconcile({name(1): "x", name(2): "y"}, {name(2): "z", name(3): "x"}, NO_LIMIT)

    assert steps == (ReadAgain(name(1)), ReadAgain(name(2)), ConfirmMissing(name(3)))


def test_many_deletions_in_one_database_wait_for_a_person_and_hold_up_no_other() -> None:
    big = {name(n): "x" for n in range(20)}
    other = {name(n, "other"): "x" for n in range(200)}
    listed = {n: h for n, h in other.items() if n != name(0, "other")}

    steps = reconcile(listed, {**big, **other}, DeletionLimit(at_least=10, share=0.2))

    assert steps == (ConfirmMissing(name(0, "other")), HoldDeletions(("d",), 20, 20))


def test_an_empty_catalog_deletes_nothing_by_itself() -> None:
    known = {name(n, f"d{n}"): "x" for n in range(40)}

    steps = reconcile({}, known, DeletionLimit())

    assert steps == (HoldDeletions(None, 40, 40),)


def test_confirmed_deletions_go_on() -> None:
    known = {name(n): "x" for n in range(40)}

    steps = reconcile({}, known, DeletionLimit(), released=frozenset({("d",)}))

    assert len(steps) == 40


@given(hashes, hashes)
def test_every_difference_has_exactly_one_step(
    listed: dict[RelationName, str], known: dict[RelationName, str]
) -> None:
    steps = reconcile(listed, known, NO_LIMIT)

    differing = {n for n in {*listed, *known} if listed.get(n) != known.get(n)}
    touched = [s.relation for s in steps if not isinstance(s, HoldDeletions)]
    assert sorted(touched) == sorted(differing)
