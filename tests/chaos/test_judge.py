"""The judge accepts right histories and finds each kind of wrong one."""

from __future__ import annotations

from dataclasses import replace

from tests.chaos.evidence import Evidence, Sighting
from tests.chaos.histories import (
    ID,
    MEMBER,
    OF_CITY,
    OF_ID,
    VIEW,
    WITH_CITY,
    drop,
    evidence,
    executed,
    sightings,
    table,
    view,
    wheel,
)
from tests.chaos.judge import Verdict, is_settled, judge
from tests.chaos.lake import Content, Name, Statement, Table

ALTERED = executed(table(ID), table(WITH_CITY, verb="alter"))
TO_AND_FRO = executed(table(ID), table(WITH_CITY, verb="alter"), table(ID, verb="alter"))
VIEW_TEXT = "SELECT `t1`.`city` FROM `lake`.`t1`"


def verdicts(found: Evidence) -> set[Verdict]:
    return {finding.verdict for finding in judge(found)}


def test_every_state_published_once_and_in_order_is_right() -> None:
    found = evidence(ALTERED, [wheel("1.0.0", OF_ID), wheel("1.1.0", OF_CITY)])

    assert not judge(found)
    assert is_settled(found)


def test_a_state_that_nobody_saw_may_be_left_out() -> None:
    assert not judge(evidence(TO_AND_FRO, [wheel("1.0.0", OF_ID)]))


def test_a_state_that_comes_back_is_a_version_of_its_own() -> None:
    files = [wheel("1.0.0", OF_ID), wheel("1.1.0", OF_CITY), wheel("2.0.0", OF_ID)]

    assert not judge(evidence(TO_AND_FRO, files))


def test_a_view_follows_the_types_of_its_table() -> None:
    other = (("id", "bigint"), ("city", "int"))
    statements = executed(table(WITH_CITY), view(("city",)), table(other, verb="alter"))
    before, after = (Content((("city", kind),), VIEW_TEXT) for kind in ("string", "int"))
    files = [
        wheel("1.0.0", OF_CITY),
        wheel("2.0.0", Content((("id", "long"), ("city", "int")), None)),
        wheel("1.0.0", before, VIEW),
        wheel("2.0.0", after, VIEW),
    ]

    # The view arrives after the last statement: no later state exists that it could show.
    assert not judge(evidence(statements, files))
    assert verdicts(evidence(statements, files[:3])) == {Verdict.LOST}


def test_a_view_whose_table_is_gone_is_expected_nowhere() -> None:
    statements = executed(table(WITH_CITY), view(("city",)), drop())

    assert not judge(evidence(statements, []))


def test_a_missing_package_is_lost() -> None:
    found = evidence(executed(table(ID)), [])

    assert verdicts(found) == {Verdict.LOST}
    assert not is_settled(found)


def test_an_old_newest_version_is_lost() -> None:
    assert verdicts(evidence(ALTERED, [wheel("1.0.0", OF_ID)])) == {Verdict.LOST}


def test_a_package_that_is_withdrawn_while_its_relation_exists_is_lost() -> None:
    found = evidence(executed(table(ID)), [wheel("1.0.0", OF_ID, offered=False)])

    assert verdicts(found) == {Verdict.LOST}


def test_one_content_twice_in_a_row_is_doubled() -> None:
    files = [wheel("1.0.0", OF_ID), wheel("1.0.1", OF_ID)]

    assert verdicts(evidence(executed(table(ID)), files)) == {Verdict.DOUBLED}


def test_a_content_that_came_back_is_not_doubled_if_a_fault_removed_what_was_between() -> None:
    found = evidence(TO_AND_FRO, [wheel("1.0.0", OF_ID), wheel("2.0.0", OF_ID)])
    between = wheel("1.1.0", OF_CITY).filename

    assert verdicts(found) == {Verdict.DOUBLED}
    assert not judge(replace(found, removed=frozenset({between})))


def test_a_relation_made_again_as_it_was_needs_no_second_version() -> None:
    statements = executed(table(ID), drop(), table(ID))

    assert not judge(evidence(statements, [wheel("1.0.0", OF_ID)]))
    files = [wheel("1.0.0", OF_ID), wheel("1.0.1", OF_ID)]
    assert verdicts(evidence(statements, files)) == {Verdict.DOUBLED}


def test_a_content_that_the_catalog_never_had_is_a_ghost() -> None:
    forged = wheel("1.0.0", Content((("forged", "string"),), None))
    files = [forged, wheel("2.0.0", OF_ID)]

    assert verdicts(evidence(executed(table(ID)), files)) == {Verdict.GHOST}


def test_the_content_of_the_relation_of_the_same_name_in_another_catalog_is_mixed_up() -> None:
    twin = Name(MEMBER.database, MEMBER.relation, "second")
    statements = executed(table(ID), table(WITH_CITY, twin))
    right = [wheel("1.0.0", OF_ID), wheel("1.0.0", OF_CITY, twin)]
    wrong = [*right, wheel("1.1.0", OF_CITY)]

    assert not judge(evidence(statements, right))
    assert verdicts(evidence(statements, wrong)) == {Verdict.MIXED, Verdict.LOST}


def test_a_relation_of_one_catalog_has_no_package_for_its_twin() -> None:
    twin = Name(MEMBER.database, MEMBER.relation, "second")
    statements = executed(table(ID), table(ID, twin))

    assert verdicts(evidence(statements, [wheel("1.0.0", OF_ID)])) == {Verdict.LOST}


def test_a_relation_that_the_catalog_never_had_is_a_ghost() -> None:
    files = [wheel("1.0.0", OF_ID), wheel("1.0.0", OF_ID, Name("lake", "invented"))]

    assert verdicts(evidence(executed(table(ID)), files)) == {Verdict.GHOST}


def test_a_hostile_relation_may_have_any_package() -> None:
    files = [wheel("1.0.0", OF_ID), wheel("1.0.0", OF_ID, Name("exposed", "hostile7_enum"))]

    assert not judge(evidence(executed(table(ID)), files))


def test_a_mixture_of_two_states_is_a_ghost() -> None:
    """The view with the columns of one moment and the types of another."""
    other = (("id", "int"), ("city", "int"))
    reading = view(("id", "city"))
    statements = executed(table(WITH_CITY), reading, table(other, verb="alter"))
    text = "SELECT `t1`.`id`, `t1`.`city` FROM `lake`.`t1`"
    mixed = Content((("id", "long"), ("city", "int")), text)
    after = Content((("id", "int"), ("city", "int")), text)
    table_after = Content((("id", "int"), ("city", "int")), None)
    files = [wheel("1.0.0", mixed, VIEW), wheel("2.0.0", after, VIEW), wheel("1.0.0", table_after)]

    assert verdicts(evidence(statements, files)) == {Verdict.GHOST}


def test_a_dropped_relation_that_is_still_offered_is_a_ghost_where_the_index_yanks() -> None:
    statements = executed(table(ID), drop())
    files = [wheel("1.0.0", OF_ID)]

    assert verdicts(evidence(statements, files)) == {Verdict.GHOST}
    assert not is_settled(evidence(statements, files))
    assert not judge(evidence(statements, files, yanks=False))
    assert not judge(evidence(statements, [wheel("1.0.0", OF_ID, offered=False)]))


def test_an_older_state_above_a_newer_one_is_out_of_order() -> None:
    files = [wheel("1.0.0", OF_CITY), wheel("2.0.0", OF_ID)]

    assert verdicts(evidence(ALTERED, files)) == {Verdict.REORDERED, Verdict.LOST}


def test_a_number_that_arrives_after_a_higher_one_is_out_of_order() -> None:
    files = [wheel("1.0.0", OF_ID), wheel("1.1.0", OF_CITY)]
    arrived = [
        Sighting(30.0, files[0].filename, files[0].sha256),
        Sighting(25.0, files[1].filename, files[1].sha256),
    ]

    assert verdicts(evidence(ALTERED, files, arrived)) == {Verdict.REORDERED}


def test_versions_are_ordered_as_numbers() -> None:
    changes = [table(ID if n % 2 else WITH_CITY, verb="alter") for n in range(11)]
    statements = executed(table(ID), *changes)
    files = [wheel(f"{n + 1}.0.0", OF_CITY if n % 2 else OF_ID) for n in range(12)]

    assert not judge(evidence(statements, files))


def test_other_bytes_under_a_name_that_was_seen_are_changed() -> None:
    file = wheel("1.0.0", OF_ID)
    changed = replace(file, sha256="another")

    found = evidence(executed(table(ID)), [changed], sightings([file]))

    assert verdicts(found) == {Verdict.CHANGED}


def test_two_uploads_of_other_bytes_under_one_name_are_changed() -> None:
    file = wheel("1.0.0", OF_ID)
    sent = [*sightings([file]), *sightings([replace(file, sha256="another")])]

    assert verdicts(evidence(executed(table(ID)), [file], sent=sent)) == {Verdict.CHANGED}


def test_a_file_that_arrived_and_is_gone_is_changed() -> None:
    files = [wheel("1.0.0", OF_ID), wheel("1.1.0", OF_CITY)]

    found = evidence(ALTERED, files[1:], sightings(files))

    assert verdicts(found) == {Verdict.CHANGED}


def test_a_part_of_a_wheel_that_a_killed_index_left_counts_for_nothing() -> None:
    sent = wheel("1.0.0", OF_ID)
    torn = replace(sent, sha256="of the first half", content=None)
    files = [torn, wheel("1.0.1", OF_ID)]

    found = evidence(executed(table(ID)), files, sightings(files[1:]), sightings([sent, files[1]]))

    assert not judge(found)


def test_an_index_that_did_not_settle_in_time_is_stuck() -> None:
    found = evidence(executed(table(ID)), [wheel("1.0.0", OF_ID)], settled=None)

    assert verdicts(found) == {Verdict.STUCK}


def test_a_state_that_waited_beyond_the_bound_was_stuck() -> None:
    right = evidence(ALTERED, [wheel("1.0.0", OF_ID), wheel("1.1.0", OF_CITY)])

    assert not judge(replace(right, bound_seconds=4.0))
    assert verdicts(replace(right, bound_seconds=3.9)) == {Verdict.STUCK}


def test_a_catalog_that_is_not_what_the_log_says_makes_the_run_void() -> None:
    right = evidence(executed(table(ID)), [wheel("1.0.0", OF_ID)])

    assert verdicts(replace(right, catalog={})) == {Verdict.VOID}


def test_a_file_that_nobody_saw_on_its_way_makes_the_run_void() -> None:
    found = evidence(executed(table(ID)), [wheel("1.0.0", OF_ID)], arrived=[])

    assert verdicts(found) == {Verdict.VOID}


def test_a_renamed_table_is_dropped_under_its_old_name_and_new_under_the_other() -> None:
    new = Name("lake", "t9")
    renamed = Statement("rename", ((MEMBER, None), (new, Table(ID))))
    statements = executed(table(ID), renamed)
    old = wheel("1.0.0", OF_ID, offered=False)

    assert not judge(evidence(statements, [old, wheel("1.0.0", OF_ID, new)]))
    assert verdicts(evidence(statements, [old])) == {Verdict.LOST}


def test_damage_in_a_folder_is_not_settled_until_it_is_mended() -> None:
    files = [wheel("1.0.0", OF_ID), wheel("1.1.0", OF_CITY)]
    arrived = sightings(files)
    damaged = replace(files[0], sha256="0" * 64, content=None)

    assert is_settled(evidence(ALTERED, files, arrived))
    assert not is_settled(evidence(ALTERED, [damaged, files[1]], arrived))
    assert not is_settled(evidence(ALTERED, files[1:], arrived))
    assert not is_settled(gone := evidence(ALTERED, files[1:], arrived))
    assert verdicts(gone) == {Verdict.CHANGED}
    # A package server refuses a second upload of the same name.
    assert is_settled(evidence(ALTERED, [damaged, files[1]], arrived, yanks=False))


def test_a_removed_file_of_a_dropped_relation_is_not_missed() -> None:
    files = [wheel("1.0.0", OF_ID, offered=False)]
    found = evidence(executed(table(ID), drop()), [], sightings(files))
    removed = replace(found, removed=frozenset({files[0].filename}))

    assert verdicts(found) == {Verdict.CHANGED}
    assert not judge(removed)
    assert is_settled(removed)
