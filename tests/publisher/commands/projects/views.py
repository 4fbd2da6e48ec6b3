"""Definitions of views, and the steps between them, without a catalog."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lakeschema.catalog.column_types import BIGINT
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.metastore_views import facts_of
from lakeschema.catalog.relations import Column, Dialect
from lakeschema.catalog.stored_views import StoredView, view_for_hive
from publisher.commands.projects.applying import Applied, apply_cone
from publisher.commands.projects.stepping import Steps, steps_to
from publisher.commands.projects.values import Definition, Live, Project, Record, Step, ViewSource
from tests.publisher.commands.projects.fake_metastore import FakeMetastore

A, B, C = (RelationName.of("shop", name) for name in "abc")
RECORD = Record("shop-views", "0123abc", "ada", "2026-01-01T00:00:00Z", "first")


def stored(name: RelationName, text: str = "SELECT 1", column: str = "id") -> StoredView:
    columns = [Column(column, BIGINT)]
    return view_for_hive(name, columns, (text, text), {"comment": "ours"}, "team")


def definition(view: StoredView, *reads: RelationName) -> Definition:
    path = f"views/{view.name.name}.sql"
    source = ViewSource(view.name, path, view.original_text, view.owner)
    return Definition(source, view, facts_of(view), reads)


def chain(text: str) -> Mapping[RelationName, Definition]:
    """``c`` reads ``b``, which reads ``a``."""
    made = (
        definition(stored(A, text)),
        definition(stored(B, text), A),
        definition(stored(C, text), B),
    )
    return {each.facts.name: each for each in made}


def project_of(definitions: Mapping[RelationName, Definition]) -> Project:
    from pathlib import Path

    sources = [each.source for each in definitions.values()]
    return Project(
        Path(), "shop-views", "1.0.0", "shop", "team", Dialect.HIVE, (), Path("s.toml"), sources
    )


def steps(
    store: FakeMetastore, definitions: Mapping[RelationName, Definition], *, drops: bool = False
) -> Steps:
    live = Live(store.read(list(store.views)), frozenset({Namespace(("shop",))}), has_records=True)
    return steps_to(project_of(definitions), definitions, live, drops=drops)


def applied(
    store: FakeMetastore, definitions: Mapping[RelationName, Definition], record: Record = RECORD
) -> Sequence[Applied]:
    return apply_cone(store, steps(store, definitions).steps, record)


def planned(store: FakeMetastore, definitions: Mapping[RelationName, Definition]) -> Sequence[Step]:
    return steps(store, definitions).steps
