from __future__ import annotations

from pathlib import Path
from random import Random

from tests.chaos.histories import (
    ID,
    MEMBER,
    OF_CITY,
    OF_ID,
    WITH_CITY,
    drop,
    executed,
    table,
)
from tests.chaos.history import executed_statements, history_of
from tests.chaos.journal import Journal, read_journal
from tests.chaos.lake import (
    Definition,
    Lake,
    Name,
    Statement,
    View,
    apply,
    columns_of,
    statement_from_json,
    statement_to_json,
    upstreams_of,
)
from tests.chaos.random_statements import RandomStatements


def drawn(seed: int, count: int) -> list[Statement]:
    """Random statements, each on the lake that the statements before it made."""
    statements = RandomStatements("lake", Random(seed))
    lake: dict[Name, Definition] = {}
    found = []
    for _ in range(count):
        found.append(statements.draw(lake))
        lake = apply(lake, found[-1])
    return found


def lakes(statements: list[Statement]) -> list[Lake]:
    lake: dict[Name, Definition] = {}
    found: list[Lake] = []
    for statement in statements:
        lake = apply(lake, statement)
        found.append(lake)
    return found


def test_a_relation_has_an_epoch_for_each_content_and_for_each_absence() -> None:
    statements = executed(table(ID), table(WITH_CITY, verb="alter"), drop(), table(ID))

    epochs = history_of(statements).epochs[MEMBER]

    assert [epoch.content for epoch in epochs] == [OF_ID, OF_CITY, None, OF_ID]
    assert [epoch.issued for epoch in epochs] == [10.0, 20.0, 30.0, 40.0]


def test_a_statement_that_changes_nothing_begins_no_epoch() -> None:
    statements = executed(table(ID), table(ID, verb="alter"))

    assert len(history_of(statements).epochs[MEMBER]) == 1


def test_the_log_gives_back_what_took_effect(tmp_path: Path) -> None:
    times = iter(float(n) for n in range(10))
    log = Journal(tmp_path / "ddl.jsonl", lambda: next(times))
    outcomes = ["acknowledged", "not applied", "applied"]
    for number, outcome in enumerate(outcomes, start=1):
        log.write("issued", number=number, **statement_to_json(table(ID)))
        log.write(outcome, number=number)

    found = executed_statements(read_journal(log.path))

    assert [(each.issued, each.acknowledged) for each in found] == [(0.0, 1.0), (4.0, 5.0)]
    assert {each.statement for each in found} == {table(ID)}


def test_a_seed_gives_the_same_statements_again() -> None:
    assert drawn(7, 200) == drawn(7, 200)
    assert drawn(7, 200) != drawn(8, 200)


def test_random_statements_use_every_verb_and_survive_json() -> None:
    statements = drawn(7, 400)

    assert {statement.verb for statement in statements} == {"create", "alter", "drop", "rename"}
    assert [statement_from_json(statement_to_json(each)) for each in statements] == statements


def test_random_views_read_views_and_never_themselves() -> None:
    seen = lakes(drawn(7, 400))

    depths = {len(list(upstreams_of(lake, name))) for lake in seen for name in lake}
    assert max(depths) >= 3
    assert not [name for lake in seen for name in lake if name in upstreams_of(lake, name)]


def test_some_random_views_read_what_is_gone() -> None:
    seen = lakes(drawn(7, 400))

    assert [name for lake in seen for name in lake if columns_of(lake, name) is None]


def test_views_read_tables_of_the_same_database_in_another_catalog() -> None:
    first = RandomStatements("lake", Random(1))
    second = RandomStatements("lake", Random(2), "second")
    lake: dict[Name, Definition] = {}
    for statements in [first, second] * 60:
        lake = apply(lake, statements.draw(lake))

    crossing = {n: each for n, each in lake.items() if isinstance(each, View) and each.crosses}
    assert {name.catalog for name in crossing} == {"", "second"}
    for name, view in crossing.items():
        assert view.upstream.catalog != name.catalog
        assert f"FROM `{view.upstream.catalog or 'hive'}`.`lake`." in view.text


def test_a_name_of_another_catalog_is_read_back_from_the_log() -> None:
    view = View(Name("lake", "t1", "second"), ("id",), crosses=True)
    statement = Statement("create", ((Name("lake", "v2"), view),))

    assert statement_from_json(statement_to_json(statement)) == statement
