"""One error about several invalid values."""

from __future__ import annotations

import copy
import pickle

from codegen.runtime.errors import InvalidValue, InvalidValues, invalid


def test_one_fault_is_an_error_of_its_own() -> None:
    fault = InvalidValue("a", "expected int, got 'x'")

    assert invalid([fault]) is fault
    assert fault.faults == (fault,)


def test_several_faults_are_listed_and_the_first_one_is_the_errors_own() -> None:
    faults = [InvalidValue("a", "expected int, got 'x'"), InvalidValue("b[2].c", "is not set")]

    error = invalid(faults)

    assert isinstance(error, InvalidValues)
    assert (error.path, error.reason) == ("a", "expected int, got 'x'")
    assert error.faults == tuple(faults)
    assert str(error).splitlines() == [
        "2 values are invalid:", "  a: expected int, got 'x'", "  b[2].c: is not set",
    ]  # fmt: skip


def test_the_text_of_many_faults_is_bounded() -> None:
    error = invalid([InvalidValue(f"a[{n}]", "expected int, got 'x'") for n in range(1_000)])

    assert len(error.faults) == 1_000
    assert len(str(error).splitlines()) == 22
    assert str(error).endswith("  and 980 more")


def test_an_error_of_several_faults_pickles_and_copies() -> None:
    error = invalid([InvalidValue("a", "is not set"), InvalidValue("b", "is not set")])

    for same in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(same) is InvalidValues
        assert [str(fault) for fault in same.faults] == ["a: is not set", "b: is not set"]
