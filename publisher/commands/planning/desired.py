"""Compares a whole desired state, from scripts or a catalog, with another catalog.

Namespaces that the desired state does not describe are left alone. Facts that engines add, such as
properties of tables and Hive's expanded texts of views, do not count as differences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from lakeschema.catalog.ddl_change import DdlChange, Script, apply_ddl
from lakeschema.catalog.ddl_state import NamedInDdl
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.listing import list_relations
from lakeschema.catalog.relations import Catalog, Column, Dialect, Relation, ViewText
from lakeschema.translation.deriving.deriver import Deriver
from lakeschema.translation.deriving.made_tables import query_columns

_READ_BATCH = 500


@dataclass(frozen=True, slots=True)
class Desired:
    """The relations that should exist.

    Attributes:
        namespaces: the namespaces that are completely described.
        statements: the places that define each relation, as in ``DdlChange``; empty for a catalog.
        dialect: the views' dialect; None if the scripts do not state it, so that each view keeps
            its dialect.
    """

    relations: Mapping[RelationName, Relation]
    namespaces: frozenset[Namespace]
    statements: Mapping[RelationName, Sequence[str]] = field(default_factory=dict)
    dialect: Dialect | None = None


def desired_of_scripts(
    scripts: Sequence[Script],
    dialect: Dialect | None,
    deriver: Deriver,
    catalogs: Mapping[str, NamedInDdl],
) -> Desired:
    """The result of scripts in an empty catalog.

    ``deriver`` finds the columns of CREATE TABLE AS SELECT. ``catalogs`` is the same as in
    ``apply_ddl``.

    Raises:
        MalformedDdl: the first statement that cannot be read or applied.
    """
    columns = query_columns(deriver)
    made = apply_ddl(None, scripts, dialect, query_columns=columns, catalogs=catalogs)
    return Desired(made.relations, made.namespaces, made.statements, dialect)


def desired_of_catalog(catalog: Catalog) -> Desired:
    """All relations of the catalog.

    Raises:
        CatalogUnavailable: the catalog does not answer.
    """
    listing = list_relations(catalog)
    namespaces = frozenset(catalog.namespaces()) - listing.refused.keys()
    found = _read(catalog, listing.names)
    return Desired(found, namespaces, dict.fromkeys(found, ()))


def difference(desired: Desired, actual: Catalog) -> DdlChange:
    """The change from ``actual`` to the desired state.

    Raises:
        CatalogUnavailable, CatalogRefused: ``actual`` does not answer, or does not list a
            namespace.
    """
    there = set(actual.namespaces())
    existing = {n for space in desired.namespaces & there for n in actual.relations(space)}
    now = _read(actual, sorted(existing & desired.relations.keys()))
    changed = {
        name: made
        for name, relation in desired.relations.items()
        if (made := _made_of(relation, now.get(name), desired.dialect)) != now.get(name)
    }
    removed = frozenset(existing - desired.relations.keys())
    statements = {name: desired.statements.get(name, ()) for name in (*changed, *removed)}
    return DdlChange(changed, removed, {}, statements)


def _read(catalog: Catalog, names: Sequence[RelationName]) -> dict[RelationName, Relation]:
    found: dict[RelationName, Relation] = {}
    for start in range(0, len(names), _READ_BATCH):
        found.update(catalog.read(names[start : start + _READ_BATCH]))
    return found


def _made_of(desired: Relation, now: Relation | None, dialect: Dialect | None) -> Relation:
    """The relation that an engine would make from ``now`` to satisfy ``desired``."""
    if now is None or now.is_view != desired.is_view:
        return desired
    made = replace(desired, properties={**now.properties, **desired.properties})
    if made.view is not None and now.view is not None:
        return _view_made_of(made, made.view, now, now.view, dialect)
    return replace(
        made,
        columns=_as_they_are(desired.columns, now.columns),
        partition_columns=_as_they_are(desired.partition_columns, now.partition_columns),
        serde_properties={**now.serde_properties, **desired.serde_properties},
    )


def _view_made_of(
    made: Relation, view: ViewText, now: Relation, view_now: ViewText, dialect: Dialect | None
) -> Relation:
    view = replace(view, dialect=dialect or view_now.dialect)
    texts = {_words(view_now.text), _words(view_now.original_text)}
    names = [(c.name.lower(), c.comment) for c in made.columns]
    names_now = [(c.name.lower(), c.comment) for c in now.columns]
    if _words(view.text) not in texts or view.dialect is not view_now.dialect:
        return replace(made, view=view)
    return replace(
        made,
        # An engine records the columns of a view whose DDL names none.
        columns=now.columns if not names or names == names_now else made.columns,
        view=view_now,
    )


def _as_they_are(desired: Sequence[Column], now: Sequence[Column]) -> tuple[Column, ...]:
    """The columns with the present letter case if names are equal, and with their former names."""
    known = {column.name.lower(): column for column in now}
    found = ((c, known.get(c.name.lower(), replace(c, former_names=()))) for c in desired)
    return tuple(replace(c, name=k.name, former_names=k.former_names) for c, k in found)


def _words(text: str) -> str:
    """The text without differences in blanks, which have no meaning outside quotes."""
    return text.strip() if any(mark in text for mark in "'\"`") else " ".join(text.split())
