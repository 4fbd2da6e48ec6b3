from __future__ import annotations

from tests.chaos.evidence import Sighting
from tests.chaos.histories import (
    ID,
    MEMBER,
    OF_CITY,
    OF_ID,
    WITH_CITY,
    drop,
    evidence,
    executed,
    table,
    wheel,
)
from tests.chaos.latency import Publication, Quantiles, publications, quantiles, quantiles_by_phase


def test_a_publication_takes_from_the_acknowledgement_to_the_arrival() -> None:
    statements = executed(table(ID), table(WITH_CITY, verb="alter"))
    files = [wheel("1.0.0", OF_ID), wheel("1.1.0", OF_CITY)]

    found = [
        (each.acknowledged, each.seconds) for each in publications(evidence(statements, files))
    ]

    assert found == [(11.0, 4.0), (21.0, 4.0)]


def test_a_state_that_was_replaced_waited_until_a_newer_one_was_there() -> None:
    statements = executed(table(ID), table(WITH_CITY, verb="alter"))
    file = wheel("1.0.0", OF_CITY)
    late = evidence(statements, [file], [Sighting(60.0, file.filename, file.sha256)])

    assert [(p.acknowledged, p.seconds) for p in publications(late)] == [(11.0, 49.0), (21.0, 39.0)]


def test_a_state_that_the_index_shows_already_waits_for_nothing() -> None:
    statements = executed(table(ID), table(WITH_CITY, verb="alter"), table(ID, verb="alter"))

    found = list(publications(evidence(statements, [wheel("1.0.0", OF_ID)])))

    assert [p.acknowledged for p in found if p.shown] == [11.0]
    assert 31.0 not in [p.acknowledged for p in found]


def test_a_state_waits_until_the_relation_returns_to_what_the_index_shows() -> None:
    statements = executed(
        table(ID), table(WITH_CITY, verb="alter"), table(ID, verb="alter"), drop()
    )

    found = list(publications(evidence(statements, [wheel("1.0.0", OF_ID)])))

    assert [(p.acknowledged, p.seconds, p.shown) for p in found] == [
        (11.0, 4.0, True),
        (21.0, 9.0, False),
    ]


def test_a_state_that_was_dropped_before_it_was_shown_waited_until_then() -> None:
    statements = executed(table(ID), drop(), table(WITH_CITY))
    file = wheel("1.0.0", OF_CITY)
    late = evidence(statements, [file], [Sighting(60.0, file.filename, file.sha256)])

    found = [(p.acknowledged, p.seconds, p.shown) for p in publications(late)]

    assert found == [(11.0, 9.0, False), (31.0, 29.0, True)]
    assert quantiles_by_phase(list(publications(late)), {"quiet": (0.0, 20.0)}) == {"quiet": None}


def test_quantiles_are_of_what_was_given() -> None:
    assert quantiles([]) is None
    assert quantiles([float(n) for n in range(1, 101)]) == Quantiles(100, 50.5, 96.0, 100.0)


def test_a_publication_belongs_to_the_phase_of_its_statement() -> None:
    found = [Publication(MEMBER, at, seconds) for at, seconds in ((5.0, 1.0), (15.0, 9.0))]

    by_phase = quantiles_by_phase(found, {"quiet": (0.0, 10.0), "chaos": (10.0, 20.0)})

    assert by_phase["quiet"] == Quantiles(1, 1.0, 1.0, 1.0)
    assert by_phase["chaos"] == Quantiles(1, 9.0, 9.0, 9.0)
