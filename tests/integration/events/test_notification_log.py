"""The metastore's own log on a real server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from deploy.local_stack import Metastore
from deploy.metastore_ddl import MetastoreDdl
from lakeschema.catalog.identifiers import Namespace, RelationName
from publisher.events.log_position import LogPosition
from publisher.events.notification_log import NotificationLogSource
from publisher.events.protocol import Batch, Hint, NamespaceHint, RelationHint


@pytest.fixture
def source(metastore: Metastore) -> Iterator[NotificationLogSource]:
    source = NotificationLogSource(metastore.uri)
    yield source
    source.close()


@pytest.fixture
def ddl(metastore: Metastore) -> Iterator[MetastoreDdl]:
    with MetastoreDdl(metastore.uri) as ddl:
        yield ddl


def start(source: NotificationLogSource) -> str:
    batch = source.poll(None, 0)
    assert batch is not None
    assert batch.gap == "first start"
    assert not batch.hints
    return batch.position


def heard(source: NotificationLogSource, position: str) -> tuple[list[Hint], str]:
    """Everything until the log is quiet."""
    hints: list[Hint] = []
    while True:
        batch = source.poll(position, 0.1)
        if batch is None:
            return hints, position
        assert batch.gap is None
        assert not batch.dead_letters
        hints.extend(batch.hints)
        position = batch.position


def relations(hints: list[Hint]) -> list[RelationName]:
    return [hint.relation for hint in hints if isinstance(hint, RelationHint)]


def test_create_alter_rename_and_drop_are_heard(
    source: NotificationLogSource, ddl: MetastoreDdl, database: str
) -> None:
    position = start(source)
    t, u = RelationName.of(database, "t"), RelationName.of(database, "u")

    ddl.create_table(database, "T", [("id", "int")])
    ddl.replace_columns(database, "t", [("id", "bigint")])
    ddl.rename(database, "t", "u")
    ddl.drop(database, "u")

    hints, _ = heard(source, position)
    assert relations(hints) == [t, t, t, u, u]
    ids = [hint.event_id for hint in hints if hint.event_id is not None]
    assert ids == sorted(ids)
    assert ids[-1] == ddl.current_event_id()


def test_an_alter_that_changes_nothing_is_no_hint(
    source: NotificationLogSource, ddl: MetastoreDdl, database: str
) -> None:
    ddl.create_table(database, "t", [("id", "int")])
    position = start(source)

    ddl.alter(database, "t", ddl.table(database, "t"))
    touched = ddl.table(database, "t")
    touched.parameters["numRows"] = "7"
    ddl.alter(database, "t", touched)

    batch = source.poll(position, 0.1)
    assert batch is not None
    assert (batch.hints, batch.seen) == ((), 2)


def test_partitions_and_data_are_no_hints(
    source: NotificationLogSource, spark: SparkSession, database: str
) -> None:
    spark.sql(f"CREATE TABLE {database}.t (id INT, p INT) USING parquet PARTITIONED BY (p)")
    position = start(source)

    spark.sql(f"ALTER TABLE {database}.t ADD PARTITION (p=1)")
    spark.sql(f"INSERT INTO {database}.t VALUES (1, 2)")
    spark.sql(f"ALTER TABLE {database}.t DROP PARTITION (p=1)")

    batch = source.poll(position, 0.2)
    assert batch is not None
    assert batch.hints == ()
    assert batch.seen >= 3


def test_sparks_create_or_replace_view_is_heard(
    source: NotificationLogSource, spark: SparkSession, database: str
) -> None:
    spark.sql(f"CREATE VIEW {database}.v AS SELECT 1 AS a")
    position = start(source)

    spark.sql(f"CREATE OR REPLACE VIEW {database}.v AS SELECT 2 AS b")

    hints, _ = heard(source, position)
    assert set(relations(hints)) == {RelationName.of(database, "v")}


def test_a_dropped_database_is_heard_with_its_tables(
    source: NotificationLogSource, ddl: MetastoreDdl
) -> None:
    position = start(source)

    ddl.create_database("doomed")
    ddl.create_table("doomed", "t", [("id", "int")])
    ddl.drop_database("doomed")

    hints, _ = heard(source, position)
    assert next(type(hint) for hint in hints) is NamespaceHint
    assert RelationName.of("doomed", "t") in relations(hints)
    last = hints[-1]
    assert isinstance(last, NamespaceHint)
    assert last.namespace == Namespace(("doomed",))


def test_a_restart_goes_on_where_the_state_was(
    metastore: Metastore, source: NotificationLogSource, ddl: MetastoreDdl, database: str
) -> None:
    position = start(source)
    ddl.create_table(database, "a", [("id", "int")])
    _, position = heard(source, position)
    ddl.create_table(database, "b", [("id", "int")])

    again = NotificationLogSource(metastore.uri)

    hints, _ = heard(again, position)
    again.close()
    assert relations(hints) == [RelationName.of(database, "b")]


def test_an_uncommitted_batch_comes_again(
    source: NotificationLogSource, ddl: MetastoreDdl, database: str
) -> None:
    position = start(source)
    ddl.create_table(database, "a", [("id", "int")])

    first, _ = heard(source, position)
    second, _ = heard(source, position)

    assert first == second
    assert len(first) == 1


def test_a_position_ahead_of_the_log_is_a_gap(
    source: NotificationLogSource, ddl: MetastoreDdl
) -> None:
    ahead = LogPosition(ddl.current_event_id() + 1000, 0).to_text()

    batch = source.poll(ahead, 0)

    assert batch is not None
    assert batch.gap is not None
    assert "replaced" in batch.gap
    assert LogPosition.from_text(batch.position).last == ddl.current_event_id()


def test_events_of_another_log_are_a_gap(
    source: NotificationLogSource, ddl: MetastoreDdl, database: str
) -> None:
    ddl.create_table(database, "a", [("id", "int")])
    current = ddl.current_event_id()
    foreign = LogPosition(current, current - 1, {current: ("0123456789abcdef",)}).to_text()

    batch = source.poll(foreign, 0)

    assert batch is not None
    assert batch.gap is not None
    assert "not those read before" in batch.gap


def test_what_happens_while_waiting_ends_the_wait(
    source: NotificationLogSource, ddl: MetastoreDdl, database: str
) -> None:
    position = start(source)
    assert source.poll(position, 0.05) is None

    ddl.create_table(database, "a", [("id", "int")])
    batch: Batch | None = source.poll(position, 30)

    assert batch is not None
    assert relations(list(batch.hints)) == [RelationName.of(database, "a")]
