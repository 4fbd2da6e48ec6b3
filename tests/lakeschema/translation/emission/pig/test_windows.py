"""Window functions in Pig: piggybank's Over, or a group if the frame is the whole partition."""

from __future__ import annotations

import pytest

from tests.lakeschema.translation.emission.pig.pig_batches import refusal, refusal_of_steps, steps


def computed(call: str) -> tuple[str, str]:
    """The statement that computes the values, and how the call's is read from them."""
    found = steps(f"SELECT {call} AS x FROM visits")
    (values,) = (text for text in found if text.startswith("visits_computed = "))
    *_, columns, _ = found
    return values, columns.rpartition(", ")[2].partition(" AS ")[0]


@pytest.mark.parametrize(
    ("call", "over", "value"),
    [
        ("sum(year) OVER ()", "SUM(visits_windowed.value_1) AS result_1", "result_1"),
        ("sum(year) OVER (PARTITION BY who)", "SUM(visits_windowed.value_1) AS result_1", "result_1"),
        ("count(*) OVER (PARTITION BY who)", "COUNT(visits_windowed.value_1) AS result_1", "result_1"),
        ("max(year > 3) OVER (PARTITION BY who)", "(MAX(visits_windowed.value_1) is null ? (boolean)null : (MAX(visits_windowed.value_1) == 1 ? true : false)) AS result_1", "result_1"),
        ("max(who) OVER ()", "(chararray)MAX(visits_windowed.value_1) AS result_1", "result_1"),
        ("stddev(year) OVER (PARTITION BY who)", "hive_stddev(visits_windowed.value_1)", "result_1"),
        ("sum(year) OVER (ORDER BY year)", "pig_over_long(in_order.value_1, 'sum(long)', -1, 0)", "last_result_1"),
        ("avg(year) OVER (ORDER BY who)", "pig_over_double(in_order.value_1, 'avg(long)', -1, 0)", "last_result_1"),
        ("max(year) OVER (ORDER BY who ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING)", "pig_over_int(in_order.value_1, 'max(int)', 1, 2)", "result_1"),
        ("min(year) OVER (ORDER BY who ROWS UNBOUNDED PRECEDING)", "pig_over_int(in_order.value_1, 'min(int)', -1, 0)", "result_1"),
        ("count(year) OVER (ORDER BY who ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)", "pig_over_long(in_order.value_1, 'count', 0, -1)", "result_1"),
        ("row_number() OVER (ORDER BY who)", "pig_over_int(in_order, 'row_number', -1, 0)", "row_place"),
        ("row_number() OVER ()", "{ in_order = visits_windowed; GENERATE", "row_place"),
        ("rank() OVER (ORDER BY who)", "pig_over_int(in_order, 'rank', -1, -1, 2, 3)", "result_1"),
        ("rank() OVER (ORDER BY year DESC)", "in_order = ORDER visits_windowed BY nulls_1, key_1 DESC;", "result_1"),
        ("dense_rank() OVER (ORDER BY who)", "pig_over_int(in_order, 'dense_rank', -1, -1, 2, 3)", "result_1"),
        ("percent_rank() OVER (ORDER BY who)", "pig_over_int(in_order, 'rank', -1, -1, 2, 3)", "(row_count == 1L ? 0.0 : (double)(result_1 - 1) / (double)(row_count - 1L))"),
        ("cume_dist() OVER (ORDER BY who)", "COUNT_STAR(visits_windowed) AS row_count", "(double)last_place / (double)row_count"),
        ("lag(year) OVER (ORDER BY who)", "pig_over_int(in_order.value_1, 'lag', -1, -1, 1)", "result_1"),
        ("lead(year, 2, 0) OVER (ORDER BY who)", "pig_over_int(in_order.value_1, 'lead', -1, -1, 2, 0)", "result_1"),
        ("first_value(who) OVER (ORDER BY year)", "pig_over_chararray(in_order.value_1, 'first_value', -1, 0)", "result_1"),
        ("first_value(year > 3) OVER (ORDER BY who)", "pig_over_boolean(in_order.value_1, 'first_value', -1, 0)", "result_1"),
        ("last_value(year, false) OVER (ORDER BY who)", "pig_over_int(in_order.value_1, 'last_value', -1, 0)", "last_result_1"),
    ],
)  # fmt: skip
def test_a_window_function_has_hives_frame_and_peers(call: str, over: str, value: str) -> None:
    values, found = computed(call)

    assert over in values
    assert found == value


def test_the_first_buckets_have_the_rows_that_are_left_over() -> None:
    _, value = computed("ntile(4) OVER (ORDER BY who)")

    assert value == (
        "(int)(((long)row_place - 1L) < ((row_count % 4L) * ((row_count / 4L) + 1L))"
        " ? ((long)row_place - 1L) / ((row_count / 4L) + 1L) + 1L"
        " : (row_count % 4L) + (((long)row_place - 1L) - ((row_count % 4L) * ((row_count / 4L) + 1L)))"
        " / (row_count / 4L) + 1L)"
    )


def test_peers_have_what_the_last_of_them_has() -> None:
    found = steps("SELECT sum(year) OVER (PARTITION BY who ORDER BY year) AS x FROM visits")

    assert "visits_peers = GROUP visits_computed BY (part_1, row_rank);" in found
    assert any(
        "ORDER visits_computed BY row_place DESC; last_one = LIMIT" in text for text in found
    )


def test_calls_of_one_window_are_computed_together_and_of_two_apart() -> None:
    window = "OVER (PARTITION BY who)"
    together = steps(f"SELECT sum(year) {window} AS a, max(year) {window} AS b FROM visits")
    apart = steps(f"SELECT sum(year) {window} AS a, max(year) OVER () AS b FROM visits")

    groups = [[text for text in found if " = GROUP " in text] for found in (together, apart)]
    assert list(map(len, groups)) == [1, 2]


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("max(year) OVER (ORDER BY year RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)", "the frame RANGE"),
        ("max(year) OVER (ORDER BY year ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING)", "the frame ROWS"),
        ("ntile(year) OVER (ORDER BY who)", "ntile of a computed number"),
        ("lead(year, year) OVER (ORDER BY who)", "lead by a computed number"),
        ("lag(year, 1, year) OVER (ORDER BY who)", "lag with a computed default"),
        ("first_value(year) OVER (ORDER BY who ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)", "first_value has no value in Pig where its frame would begin"),
        ("first_value(year, true) OVER (ORDER BY who)", "first_value that skips nulls"),
        ("stddev(year) OVER (ORDER BY who)", "stddev is not in Pig's windows"),
        ("percentile(year, 0.5) OVER ()", "percentile of several arguments is not in Pig's windows"),
        ("max(split(who, ',')) OVER (ORDER BY who)", "max of values of this type"),
        ("max(year > 3) OVER (ORDER BY who)", "max of values of this type"),
        ("sum(year) OVER (PARTITION BY split(who, ','))", "PARTITION BY of array<string>"),
    ],
)  # fmt: skip
def test_a_window_that_pig_lacks_is_refused_with_the_reason(call: str, reason: str) -> None:
    assert reason in refusal_of_steps(f"SELECT {call} AS x FROM visits")


def test_windows_over_rows_with_nested_arrays_are_refused() -> None:
    table = "CREATE TABLE wide (k INT, nested ARRAY<ARRAY<INT>>)"

    message = refusal("SELECT count(*) OVER (ORDER BY k) AS n FROM wide", views=[table])

    assert "windows over rows with array<array<int>>" in message
