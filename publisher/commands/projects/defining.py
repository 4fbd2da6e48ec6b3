"""Derives from a project's queries the definitions that a metastore can store.

Has no effect except that it reads the catalog.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from lakeschema.catalog.column_types import parse_type, print_type
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.metastore_views import facts_of
from lakeschema.catalog.relations import Catalog, Column, Dialect, Relation, ViewText
from lakeschema.catalog.stored_views import StoredView, view_for_hive, view_for_spark
from lakeschema.translation.deriving.deriver import Deriver
from lakeschema.translation.deriving.upstream_first import derive_all, upstreams_or_failure
from lakeschema.translation.model.errors import TranslationError
from lakeschema.translation.model.interface import Derivation, Interface, Options
from lakeschema.translation.model.outcome import Failed
from lakeschema.translation.products.expanded_text import expanded_text
from lakeschema.translation.products.pig_scripts import read_with_upstreams
from publisher.commands.arguments import names_near
from publisher.commands.projects.values import Definition, Problem, Project, ViewSource
from publisher.similar_names import did_you_mean, likely_names


@dataclass(frozen=True, slots=True)
class Defined:
    """The derived views of a project.

    Attributes:
        definitions: upstream first; a view with a problem has no definition.
    """

    definitions: Mapping[RelationName, Definition]
    problems: Sequence[Problem]


WithFunctions: TypeAlias = Callable[
    [Mapping[RelationName, Relation]], Mapping[RelationName, Relation]
]
"""Adds to relations the SQL functions of their catalog that their texts may call."""


def define(
    project: Project,
    catalog: Catalog,
    deriver: Deriver,
    options: Options,
    with_functions: WithFunctions,
) -> Defined:
    """Derives every view of the project against the catalog.

    Raises:
        CatalogUnavailable, CatalogRefused: the catalog does not answer.
    """
    written = with_functions(
        {view.name: _as_written(view, project.dialect) for view in project.views}
    )
    sources = {view.name: view for view in project.views}

    def read(names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        beneath = catalog.read([name for name in names if name not in written])
        return {**beneath, **{name: written[name] for name in names if name in written}}

    relations = read_with_upstreams(list(written), read, options)
    definitions: dict[RelationName, Definition] = {}
    problems: list[Problem] = []
    for name, outcome in derive_all(relations, deriver).items():
        source = sources.get(name)
        if source is None:
            continue
        if isinstance(outcome, Failed):
            problems.append(_failed(source, outcome, deriver, written, relations, catalog))
            continue
        try:
            made = _definition(source, outcome.derivation, written[name], options)
        except TranslationError as error:
            problems.append(Problem(source.path, str(error), error.hint))
            continue
        definitions[name] = made
        problems += _unexpected(source, outcome.derivation.interface)
    return Defined(definitions, sorted(problems))


def _as_written(view: ViewSource, dialect: Dialect) -> Relation:
    text = ViewText(dialect, view.query, view.query, view.name.namespace)
    return Relation(view.name, (), properties=_properties(view), view=text)


def _properties(view: ViewSource) -> dict[str, str]:
    found = dict(view.properties)
    if view.comment is not None:
        found["comment"] = view.comment
    if view.udfs:
        classes = {name: c for udf in view.udfs for name, c in udf.functions.items()}
        found["functions"] = " ".join(f"{name}:{c}" for name, c in classes.items())
        found["dependencies"] = " ".join(artifact.coordinates for artifact in view.artifacts)
    return found


def _definition(
    source: ViewSource, derivation: Derivation, written: Relation, options: Options
) -> Definition:
    stored = _stored(source, derivation.interface, written, options)
    return Definition(source, stored, facts_of(stored), derivation.upstreams)


def _stored(
    source: ViewSource, interface: Interface, written: Relation, options: Options
) -> StoredView:
    comments = {name.lower(): comment for name, comment in source.comments.items()}
    columns = [
        Column(column.name, column.type, comments.get(column.name.lower()), column.nullable)
        for column in _every_column(interface)
    ]
    properties = _properties(source)
    if written.view is not None and written.view.dialect is Dialect.SPARK:
        return view_for_spark(source.name, columns, source.query, properties, source.owner)
    expanded = expanded_text(written, interface.names, options)
    return view_for_hive(source.name, columns, (source.query, expanded), properties, source.owner)


def _every_column(interface: Interface) -> Sequence[Column]:
    return [
        interface.columns[place] if isinstance(place, int) else place.column
        for place in interface.places
    ]


def _unexpected(source: ViewSource, interface: Interface) -> Sequence[Problem]:
    """How the derived columns differ from those that the view's files name."""
    place = source.path.removesuffix(".sql") + ".toml"
    found = {c.name.lower(): print_type(c.type) for c in _every_column(interface)}
    unknown = [
        Problem(
            place, f"comments: there is no column {name}", f"the columns are {', '.join(found)}"
        )
        for name in source.comments
        if name.lower() not in found
    ]
    if source.columns is None:
        return unknown
    wanted = {c.lower(): print_type(parse_type(text)) for c, text in source.columns.items()}
    problems = [
        Problem(place, f"expected the column {name} {type_}, got {found.get(name, 'none')}")
        for name, type_ in wanted.items()
        if found.get(name) != type_
    ]
    problems += [
        Problem(place, f"the column {name} {type_} is not expected")
        for name, type_ in found.items()
        if name not in wanted
    ]
    if not problems and list(found) != list(wanted):
        problems = [Problem(place, f"expected the columns in the order {', '.join(wanted)}")]
    return [*unknown, *problems]


def _failed(
    source: ViewSource,
    outcome: Failed,
    deriver: Deriver,
    written: Mapping[RelationName, Relation],
    relations: Collection[RelationName],
    catalog: Catalog,
) -> Problem:
    """The problem of a view that was not derived; suggests similar names for a missing relation."""
    reads = upstreams_or_failure(written[source.name], deriver)
    missing = [] if isinstance(reads, Failed) else [n for n in reads if n not in relations]
    if not missing:
        return Problem(source.path, outcome.reason)
    if missing[0].place not in catalog.namespaces():
        why = f"there is no table or view {missing[0]}: the database does not exist"
        return Problem(source.path, why, "a name without a database means the view's own")
    near = {str(name) for name in (*names_near(catalog, missing[0]), *written)}
    guess = did_you_mean(likely_names(str(missing[0]), sorted(near - {str(source.name)})))
    return Problem(source.path, f"there is no table or view {missing[0]}", guess)
