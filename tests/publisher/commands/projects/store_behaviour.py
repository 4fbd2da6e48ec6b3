"""What every ``ViewStore`` does, a real metastore and the fake alike."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lakeschema.catalog.column_types import BIGINT, STRING
from lakeschema.catalog.errors import CatalogRefused
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.metastore_views import facts_of
from lakeschema.catalog.relations import Column
from lakeschema.catalog.stored_views import StoredView, view_for_hive
from publisher.commands.projects.applying import ViewStore

KEY = "schema-publisher.applied.id"


class ViewStoreBehaviour:
    """Subclasses have the fixtures ``store`` and ``database``."""

    def test_a_view_is_read_back_as_it_was_created(self, store: ViewStore, database: str) -> None:
        view = view_of(database)

        store.create(view)

        found = store.read([view.name])[view.name]
        assert found.facts == facts_of(view)
        assert found.owner == "team"
        assert found.properties.items() >= view.properties.items()

    def test_a_missing_view_is_not_read(self, store: ViewStore, database: str) -> None:
        assert store.read([RelationName.of(database, "missing")]) == {}

    def test_a_name_that_is_taken_is_refused(self, store: ViewStore, database: str) -> None:
        store.create(view_of(database))

        with pytest.raises(CatalogRefused):
            store.create(replace(view_of(database), properties={KEY: "another"}))

    def test_a_view_is_replaced_and_restored(self, store: ViewStore, database: str) -> None:
        view = view_of(database)
        store.create(view)
        before = store.read([view.name])[view.name]
        other = replace(
            view,
            columns=(Column("name", STRING),),
            original_text="SELECT 'a'",
            expanded_text="SELECT 'a' AS name",
            properties={KEY: "second", "new": "1"},
            owner="others",
        )

        store.replace(other, before, KEY)

        found = store.read([view.name])[view.name]
        assert found.facts == facts_of(other)
        assert found.owner == "others"
        assert "comment" not in found.properties
        store.restore(view.name, before.serialized)
        restored = store.read([view.name])[view.name]
        assert (restored.facts, restored.owner) == (before.facts, before.owner)
        assert restored.properties[KEY] == "first"

    def test_a_view_that_another_apply_wrote_meanwhile_is_not_replaced(
        self, store: ViewStore, database: str
    ) -> None:
        view = view_of(database)
        store.create(view)
        before = store.read([view.name])[view.name]
        store.replace(replace(view, properties={KEY: "another"}), before, KEY)

        with pytest.raises(CatalogRefused):
            store.replace(replace(view, properties={KEY: "second"}), before, KEY)

        assert store.read([view.name])[view.name].properties[KEY] == "another"

    def test_properties_are_replaced_alone(self, store: ViewStore, database: str) -> None:
        view = view_of(database)
        store.create(view)
        before = store.read([view.name])[view.name]

        store.set_properties(before, {KEY: "first"}, KEY)

        found = store.read([view.name])[view.name]
        assert found.facts == replace(before.facts, comment=None)

    def test_a_view_is_dropped_and_a_missing_one_too(self, store: ViewStore, database: str) -> None:
        view = view_of(database)
        store.create(view)

        store.drop(view.name)
        store.drop(view.name)

        assert store.read([view.name]) == {}


def view_of(database: str) -> StoredView:
    name = RelationName.of(database, "made")
    texts = ("SELECT 1 AS Id", "SELECT 1 AS `Id`")
    properties = {"comment": "ours", KEY: "first"}
    return view_for_hive(name, [Column("Id", BIGINT)], texts, properties, "team")
