from __future__ import annotations

from itertools import pairwise

from tests.chaos.schedule import Kind, plan

KINDS = (
    Kind("kill a", "a", 3, 0.2, 4.0),
    Kind("pause a", "a", 1, 1.0, 12.0),
    Kind("kill b", "b", 1, 0.2, 4.0),
)
GAPS = {"a": 10.0, "b": 10.0}


def test_a_seed_gives_the_same_schedule_again() -> None:
    assert plan(KINDS, GAPS, "7", 900) == plan(KINDS, GAPS, "7", 900)
    assert plan(KINDS, GAPS, "7", 900) != plan(KINDS, GAPS, "8", 900)


def test_faults_of_one_target_follow_each_other_and_end_in_time() -> None:
    planned = plan(KINDS, GAPS, "7", 900)

    assert sorted(planned) == ["a", "b"]
    for faults in planned.values():
        assert len(faults) > 20
        assert all(one.at + one.seconds < other.at + 0.01 for one, other in pairwise(faults))
        assert faults[-1].at + faults[-1].seconds < 900


def test_every_kind_of_a_target_is_drawn() -> None:
    planned = plan(KINDS, GAPS, "7", 900)

    assert {fault.kind for fault in planned["a"]} == {"kill a", "pause a"}


def test_another_target_beside_it_changes_nothing_for_a_target() -> None:
    assert plan(KINDS[2:], GAPS, "7", 900)["b"] == plan(KINDS, GAPS, "7", 900)["b"]
