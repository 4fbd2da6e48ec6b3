from __future__ import annotations

from lakeschema.catalog.relations import Dialect
from tests.judges.functions.call_seeds import Seed, call
from tests.judges.functions.varied_calls import Calls


def test_the_same_calls_are_made_each_time() -> None:
    one, other = (Calls("concat", Dialect.SPARK, "") for _ in range(2))

    assert one.first(24) == other.first(24)


def test_no_call_is_made_twice() -> None:
    source = Calls("concat", Dialect.HIVE, "")
    made = [*source.first(24), *source.rest()]
    source.accept(made[0])
    for _ in range(5):
        made += source.more(24)

    texts = [str(seed) for seed in made]

    assert len(texts) > 60
    assert len(texts) == len(set(texts))


def test_an_accepted_call_is_varied_in_one_place() -> None:
    source = Calls("substring", Dialect.SPARK, "")
    accepted = source.first(24)[0]
    source.accept(accepted)

    for seed in source.more(24):
        changed = [a != b for a, b in zip(seed.arguments, accepted.arguments, strict=True)]
        assert sum(changed) == 1


def test_what_is_accepted_without_arguments_is_tried_with_one() -> None:
    source = Calls("current_date", Dialect.SPARK, "")
    source.accept(call("current_date"))

    assert source.takes_no_argument
    assert {len(seed.arguments) for seed in source.more(24)} == {1}


def test_a_window_without_arguments_is_varied_in_its_window() -> None:
    source = Calls("row_number", Dialect.SPARK, "")
    source.accept(Seed("row_number() OVER (ORDER BY r)", ()))

    texts = {str(seed) for seed in source.more(24)}

    assert len(texts) == 24
    assert all(" OVER (" in text for text in texts)


def test_calls_do_not_grow_without_end() -> None:
    source = Calls("coalesce", Dialect.SPARK, "")
    for _ in range(20):
        for seed in source.more(24):
            source.accept(seed)

    assert max(len(str(seed)) for seed in source.more(24)) < 400
