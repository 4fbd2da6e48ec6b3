"""Statements on catalogs that write down each call."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lakeschema.catalog.abilities import BrowsedCatalog
from lakeschema.catalog.catalog_identifiers import CatalogIdentifier
from lakeschema.catalog.errors import (
    CatalogError,
    NamespaceExists,
    NamespaceMissing,
    NamespaceNotEmpty,
    Refusal,
    RelationMissing,
    SessionRefused,
)
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.name_resolution import Resolved
from lakeschema.catalog.registered_catalogs import RegisteredCatalog, open_session
from lakeschema.catalog.session_commands import (
    Answer,
    CatalogShown,
    CatalogsShown,
    Described,
    NamespaceChanged,
    NamesShown,
    SessionChanged,
    run,
)
from lakeschema.catalog.session_statements import read_statement
from lakeschema.catalog.sessions import CatalogTraits, Rules
from tests.lakeschema.catalog.recording_catalogs import (
    FlatCatalog,
    LoadingCatalog,
    NestedCatalog,
    PathCatalog,
)


class Lake:
    """A session over a nested catalog, one with paths, a flat one, and one that cannot be loaded."""

    def __init__(self, rules: Rules = Rules.PROPOSAL) -> None:
        self.calls: list[str] = []
        nested = NestedCatalog("hive", self.calls, [("a",), ("a", "b"), ("app",), ("dim",)])
        self.catalogs: dict[str, BrowsedCatalog] = {
            "hive": nested,
            "files": PathCatalog("files", self.calls),
            "flat": FlatCatalog("flat", self.calls),
            "tables": LoadingCatalog("tables", self.calls),
        }
        registered = {
            name: RegisteredCatalog(catalog, CatalogTraits(folds_case=name == "hive"))
            for name, catalog in self.catalogs.items()
        }
        broken = RegisteredCatalog(None, CatalogTraits(not_loaded="its class is missing"))
        self.session = open_session({**registered, "broken": broken}, rules)

    def run(self, text: str) -> Answer:
        statement = read_statement(text, self.session.rules)
        self.session, answer = run(statement, self.session, self.catalogs)
        return answer


def names(answer: Answer) -> list[str]:
    assert isinstance(answer, NamesShown)
    return [".".join(levels) for levels in answer.names]


@pytest.mark.parametrize(
    ("text", "call", "found"),
    [
        ("SHOW NAMESPACES", "hive.listNamespaces()", ["a", "app", "dim"]),
        ("SHOW NAMESPACES IN hive.A", "hive.listNamespaces([a])", ["a.b"]),
        ("SHOW NAMESPACES LIKE 'A%'", "hive.listNamespaces(Nil, prefix a)", ["a", "app"]),
        ("SHOW NAMESPACES LIKE '%p'", "hive.listNamespaces()", ["app"]),
        ("SHOW TABLES IN hive.a", "hive.listTables([a])", ["a.t"]),
        ("SHOW TABLES IN files", "files.listTables()", ["t"]),
        ("SHOW TABLES IN files LIKE 'x%'", "files.listTables()", []),
        ("SHOW VIEWS IN hive.A", "hive.listViews([a])", ["a.v"]),
        ("SHOW FUNCTIONS IN hive.a", "hive.listFunctions([a])", ["a.f"]),
    ],
)
def test_a_listing_is_one_call(text: str, call: str, found: list[str]) -> None:
    lake = Lake()

    assert names(lake.run(text)) == found
    assert lake.calls == [call]


@pytest.mark.parametrize(
    ("text", "call", "answer"),
    [
        (
            "CREATE NAMESPACE New",
            "hive.createNamespace([new])",
            NamespaceChanged("hive", ("new",), "created"),
        ),
        (
            "CREATE NAMESPACE files.X.y",
            "files.createNamespace([X, y])",
            NamespaceChanged("files", ("X", "y"), "created"),
        ),
        (
            "CREATE NAMESPACE IF NOT EXISTS a",
            "hive.createNamespace([a])",
            NamespaceChanged("hive", ("a",), "unchanged"),
        ),
        (
            "DROP NAMESPACE app",
            "hive.dropNamespace([app])",
            NamespaceChanged("hive", ("app",), "dropped"),
        ),
        (
            "DROP NAMESPACE IF EXISTS nope",
            "hive.dropNamespace([nope])",
            NamespaceChanged("hive", ("nope",), "unchanged"),
        ),
        ("USE A.B", "hive.loadNamespace([a, b])", SessionChanged("hive", ("a", "b"), True)),
    ],
)
def test_a_change_is_one_call(text: str, call: str, answer: Answer) -> None:
    lake = Lake()

    assert lake.run(text) == answer
    assert lake.calls == [call]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("CREATE NAMESPACE a", NamespaceExists),
        ("DROP NAMESPACE nope", NamespaceMissing),
        ("DROP NAMESPACE a", NamespaceNotEmpty),
        ("USE nope", NamespaceMissing),
    ],
)
def test_what_the_catalog_refuses_changes_nothing(text: str, error: type[CatalogError]) -> None:
    lake = Lake()
    before = lake.session

    with pytest.raises(error):
        lake.run(text)

    assert lake.session == before
    assert len(lake.calls) == 1


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("USE CATALOG nope", Refusal.UNKNOWN_CATALOG, "'nope' is not a catalog"),
        ("USE a IN nope", Refusal.UNKNOWN_CATALOG, "'nope' is not a catalog"),
        ("SHOW TABLES IN a", Refusal.UNKNOWN_CATALOG, "'a' is not a catalog"),
        ("USE CATALOG broken", Refusal.NOT_LOADED, "catalog broken cannot be loaded: its class"),
        ("SHOW TABLES IN broken.a", Refusal.NOT_LOADED, "catalog broken cannot be loaded"),
        ("RESOLVE broken.a.t", Refusal.NOT_LOADED, "catalog broken cannot be loaded"),
        ("SHOW NAMESPACES IN flat", Refusal.NO_NAMESPACES, "catalog flat has no namespaces"),
        ("SHOW TABLES IN flat.a", Refusal.NO_NAMESPACES, "catalog flat has no namespaces, and"),
        ("RESOLVE flat.a.t", Refusal.NO_NAMESPACES, "catalog flat has no namespaces, and"),
        ("SHOW VIEWS IN flat", Refusal.NO_ABILITY, "catalog flat cannot list views"),
        ("SHOW FUNCTIONS IN flat", Refusal.NO_ABILITY, "catalog flat cannot list functions"),
        ("CREATE NAMESPACE flat.a", Refusal.NO_ABILITY, "catalog flat cannot create namespaces"),
        ("DROP NAMESPACE flat.a", Refusal.NO_ABILITY, "catalog flat cannot drop namespaces"),
        ("RESOLVE 's3://b/p'", Refusal.NO_PATHS, "catalog hive does not identify tables by paths"),
    ],
)
def test_a_catalog_never_sees_what_it_cannot_have(text: str, kind: Refusal, message: str) -> None:
    lake = Lake()

    with pytest.raises(SessionRefused) as refused:
        lake.run(text)

    assert refused.value.kind is kind
    assert message in str(refused.value)
    assert refused.value.hint
    assert lake.calls == []


def test_a_namespace_without_its_catalog_is_told_how_to_be_written() -> None:
    with pytest.raises(SessionRefused) as refused:
        Lake().run("SHOW TABLES IN a.b")

    assert "write IN hive.a.b" in refused.value.hint


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("DESCRIBE tables.t", "tables.loadTable(t)"),
        ("DESCRIBE files.'s3://b/t/'", "files.loadPath(s3://b/t/)"),
    ],
)
def test_a_relation_is_loaded_by_one_call(text: str, call: str) -> None:
    lake = Lake()

    answer = lake.run(text)

    assert isinstance(answer, Described)
    assert [column.name for column in answer.relation.columns] == ["id"]
    assert lake.calls == [call]


@pytest.mark.parametrize(
    ("text", "error", "message", "hint"),
    [
        ("DESCRIBE tables.x", RelationMissing, "relation x: there is no such", "IN tables"),
        ("DESCRIBE files.'s3://b/x'", RelationMissing, "relation `s3://b/x`: there", "IN files"),
        ("DESCRIBE flat.t", SessionRefused, "catalog flat cannot load tables", "RESOLVE shows"),
    ],
)
def test_a_relation_that_cannot_be_loaded_is_told(
    text: str, error: type[CatalogError], message: str, hint: str
) -> None:
    with pytest.raises(error) as refused:
        Lake().run(text)

    assert message in str(refused.value)
    assert hint in refused.value.hint


def test_sparks_temporary_views_have_no_description() -> None:
    lake = Lake(Rules.SPARK)
    lake.session = replace(lake.session, temporary_views=frozenset({"v"}))

    with pytest.raises(SessionRefused, match="V is a temporary view of the session"):
        lake.run("DESCRIBE V")


def test_each_catalog_keeps_its_namespace() -> None:
    lake = Lake()
    lake.run("CREATE NAMESPACE files.x")

    assert lake.run("USE x IN files") == SessionChanged("files", ("x",), False)
    assert lake.run("USE a") == SessionChanged("hive", ("a",), True)
    assert lake.run("USE files") == SessionChanged("files", ("x",), True)
    assert lake.run("RESOLVE t") == Resolved("files", CatalogIdentifier(("x",), "t"))
    assert lake.run("USE hive") == SessionChanged("hive", ("a",), True)


def test_spark_keeps_the_namespace_only_while_the_catalog_stays() -> None:
    lake = Lake(Rules.SPARK)
    lake.run("CREATE NAMESPACE files.x")
    lake.run("USE files.x")

    assert lake.run("USE files") == SessionChanged("files", ("x",), True)
    assert lake.run("USE spark_catalog") == SessionChanged("hive", (), True)
    assert lake.run("USE files") == SessionChanged("files", (), True)


def test_spark_finds_names_by_a_glob_in_any_letter_case() -> None:
    lake = Lake(Rules.SPARK)

    assert names(lake.run("SHOW NAMESPACES IN spark_catalog LIKE 'A*|dim'")) == ["a", "app", "dim"]
    assert lake.calls == ["hive.listNamespaces()"]


def test_catalogs_are_shown_with_their_abilities() -> None:
    lake = Lake()
    lake.run("USE a")

    answer = lake.run("SHOW CATALOGS")

    assert isinstance(answer, CatalogsShown)
    hive = next(each for each in answer.catalogs if each.name == "hive")
    assert (hive.is_current, hive.namespace) == (True, ("a",))
    abilities = {each.name: each.abilities for each in answer.catalogs}
    assert abilities["flat"] == ("tables",)
    assert abilities["files"] == (
        "tables",
        "namespaces",
        "views",
        "functions",
        "create and drop namespaces",
        "paths",
    )
    broken = next(each for each in answer.catalogs if each.name == "broken")
    assert (broken.abilities, broken.not_loaded) == ((), "its class is missing")
    assert [c.name for c in _catalogs(lake.run("SHOW CATALOGS LIKE 'f%'"))] == ["files", "flat"]


def _catalogs(answer: Answer) -> list[CatalogShown]:
    assert isinstance(answer, CatalogsShown)
    return list(answer.catalogs)


class Plain:
    """A ``Catalog`` with only the methods of every adapter."""

    def __init__(self, calls: list[str]) -> None:
        self.calls = calls

    def namespaces(self) -> list[Namespace]:
        self.calls.append("namespaces")
        return [Namespace(("a", "b")), Namespace(("a", "c")), Namespace(("d",))]

    def relations(self, namespace: Namespace) -> list[RelationName]:
        self.calls.append("relations")
        return [RelationName(namespace.levels, "t")]

    def read(self, names: object) -> dict[RelationName, object]:
        self.calls.append("read")
        return {}

    def current_event_id(self) -> int | None:
        return None


@pytest.mark.parametrize(
    ("text", "call", "found"),
    [
        # The parent of a namespace is one, too.
        ("SHOW NAMESPACES", "namespaces", ["a", "d"]),
        ("SHOW NAMESPACES IN plain.a", "namespaces", ["a.b", "a.c"]),
        ("SHOW NAMESPACES IN plain.a LIKE 'c%'", "namespaces", ["a.c"]),
        ("SHOW TABLES IN plain.a.b", "relations", ["a.b.t"]),
    ],
)
def test_every_adapter_can_be_listed(text: str, call: str, found: list[str]) -> None:
    calls: list[str] = []
    plain: BrowsedCatalog = Plain(calls)  # type: ignore[assignment]  # `read` gives nothing
    session = open_session({"plain": RegisteredCatalog(plain, CatalogTraits())}, Rules.PROPOSAL)

    _, answer = run(read_statement(text), session, {"plain": plain})

    assert names(answer) == found
    assert calls == [call]


def test_a_namespace_of_an_adapter_must_exist() -> None:
    plain: BrowsedCatalog = Plain([])  # type: ignore[assignment]  # `read` gives nothing
    session = open_session({"plain": RegisteredCatalog(plain, CatalogTraits())}, Rules.PROPOSAL)

    session, _ = run(read_statement("USE a"), session, {"plain": plain})
    with pytest.raises(NamespaceMissing, match="catalog plain refused namespace x: there is no"):
        run(read_statement("USE x"), session, {"plain": plain})

    assert session.current_namespace == ("a",)
