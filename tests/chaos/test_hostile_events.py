from __future__ import annotations

import json
from random import Random

import pytest

from tests.chaos.histories import ID
from tests.chaos.hostile_events import forged_messages, garbage_messages, invented_names
from tests.chaos.lake import Name, Table
from tests.chaos.stack import EXPOSED, INNOCENT

MAX_MESSAGE_BYTES = 1_048_576 - 1_000
"""A broker's default limit, minus the overhead of a record."""
LAKE = {
    Name(database, f"t{number}"): Table(ID)
    for database in (EXPOSED, INNOCENT)
    for number in range(10)
}


def every_forged_message() -> list[bytes]:
    return [
        message for seed in range(100) for message in forged_messages(LAKE, EXPOSED, Random(seed))
    ]


@pytest.mark.thorough
def test_a_broker_takes_every_message() -> None:
    garbage = [message for seed in range(30) for message in garbage_messages(Random(seed))]

    assert max(map(len, [*every_forged_message(), *garbage])) <= MAX_MESSAGE_BYTES


@pytest.mark.thorough
def test_no_forged_message_names_an_innocent() -> None:
    databases = {json.loads(message)["databaseName"] for message in every_forged_message()}

    assert databases == {EXPOSED, "\ud800"}


@pytest.mark.thorough
def test_forged_messages_name_existing_and_invented_relations() -> None:
    names = {
        Name(event["databaseName"], event["tableName"])
        for event in map(json.loads, every_forged_message())
        if "tableName" in event
    }

    assert names & set(LAKE)
    assert names & set(invented_names(EXPOSED))


def test_a_seed_draws_the_same_messages_again() -> None:
    assert forged_messages(LAKE, EXPOSED, Random(7)) == forged_messages(LAKE, EXPOSED, Random(7))
    assert garbage_messages(Random(7)) == garbage_messages(Random(7))
