"""The behaviour of every catalog, whatever its source.

``Lake`` describes the required relations; each kind of catalog creates them in its own way.
"""

from __future__ import annotations

import pytest

from lakeschema.catalog.column_types import BIGINT, INT, STRING, ArrayType, DecimalType, StructType
from lakeschema.catalog.facts_json import facts_hash
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Catalog, Relation


class CatalogBehaviour:
    """A subclass gives ``catalog`` and ``namespace``.

    The namespace holds a table ``members``, commented "who is in", of id bigint ("the key"), name
    string, scores array<decimal(5,2)> and home struct<street:string,number:int>, partitioned by
    day string, with the property ``team`` = ``red``; and a view ``names`` over it.
    """

    @pytest.fixture
    def catalog(self) -> Catalog:
        raise NotImplementedError

    @pytest.fixture
    def namespace(self) -> str:
        raise NotImplementedError

    def test_a_namespace_is_listed(self, catalog: Catalog, namespace: str) -> None:
        assert Namespace((namespace,)) in catalog.namespaces()

    def test_tables_and_views_are_listed_together(self, catalog: Catalog, namespace: str) -> None:
        listed = catalog.relations(Namespace((namespace,)))

        assert sorted(name.name for name in listed) == ["members", "names"]

    def test_an_unknown_namespace_holds_nothing(self, catalog: Catalog) -> None:
        assert list(catalog.relations(Namespace(("no_such_namespace",)))) == []

    def test_missing_relations_are_left_out(self, catalog: Catalog, namespace: str) -> None:
        members = RelationName.of(namespace, "members")
        missing = [
            RelationName.of(namespace, "nobody"),
            RelationName.of("no_such_namespace", "members"),
            RelationName.of(namespace, "x" * 300),
            RelationName.of(namespace, "a.b"),
            RelationName.of("members"),
            RelationName.of("far", namespace, "members"),
        ]

        assert list(catalog.read([*missing, members])) == [members]

    def test_a_table_has_its_columns_in_order_with_their_types(
        self, catalog: Catalog, namespace: str
    ) -> None:
        name = RelationName.of(namespace, "members")

        table = catalog.read([name])[name]

        id_, person, scores, home = table.columns
        assert (id_.name, id_.type, id_.comment) == ("id", BIGINT, "the key")
        assert (person.name, person.type, person.comment) == ("name", STRING, None)
        assert scores.type == ArrayType(DecimalType(5, 2))
        assert isinstance(home.type, StructType)
        assert [(f.name, f.type) for f in home.type.fields] == [("street", STRING), ("number", INT)]
        assert [(c.name, c.type) for c in table.partition_columns] == [("day", STRING)]
        assert not table.is_view

    def test_a_table_has_its_comment_and_properties(self, catalog: Catalog, namespace: str) -> None:
        name = RelationName.of(namespace, "members")

        table = catalog.read([name])[name]

        assert table.comment == "who is in"
        assert table.properties["team"] == "red"
        assert "comment" not in table.properties

    def test_a_view_has_its_text(self, catalog: Catalog, namespace: str) -> None:
        name = RelationName.of(namespace, "names")

        view = catalog.read([name])[name]

        assert view.view is not None
        assert "members" in view.view.text
        assert view.serde is None

    def test_reading_twice_gives_the_same_facts(self, catalog: Catalog, namespace: str) -> None:
        names = catalog.relations(Namespace((namespace,)))

        first = {name: facts_hash(relation) for name, relation in catalog.read(names).items()}
        second = {name: facts_hash(relation) for name, relation in catalog.read(names).items()}

        assert first == second
        assert len(first) == 2

    def test_a_name_asked_for_twice_is_read_once(self, catalog: Catalog, namespace: str) -> None:
        name = RelationName.of(namespace, "members")

        assert list(catalog.read([name, name])) == [name]


class ContainmentBehaviour:
    """A subclass gives ``catalog`` and ``namespace``, which holds a table ``sound`` and a relation
    ``unsound`` that the catalog lists and cannot give.
    """

    @pytest.fixture
    def catalog(self) -> Catalog:
        raise NotImplementedError

    @pytest.fixture
    def namespace(self) -> str:
        raise NotImplementedError

    def read(self, catalog: Catalog, namespace: str) -> dict[str, Relation]:
        names = catalog.relations(Namespace((namespace,)))
        return {name.name: relation for name, relation in catalog.read(names).items()}

    def test_what_cannot_be_given_says_why_and_hides_no_other(
        self, catalog: Catalog, namespace: str
    ) -> None:
        found = self.read(catalog, namespace)

        assert sorted(found) == ["sound", "unsound"]
        assert found["unsound"].unreadable
        assert found["sound"].unreadable is None
        assert [column.name for column in found["sound"].columns] == ["id"]

    def test_the_reason_is_the_same_each_time(self, catalog: Catalog, namespace: str) -> None:
        first, second = (self.read(catalog, namespace) for _ in range(2))

        assert facts_hash(first["unsound"]) == facts_hash(second["unsound"])

    def test_a_missing_relation_is_left_out_beside_it(
        self, catalog: Catalog, namespace: str
    ) -> None:
        missing, unsound = (RelationName.of(namespace, name) for name in ("nobody", "unsound"))

        assert list(catalog.read([missing, unsound])) == [unsound]
