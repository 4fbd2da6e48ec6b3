"""A view's facts → what a Spark session needs to have that view, and all views of a catalog at once."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from catalog.identifiers import RelationName
from catalog.relations import Catalog, Relation
from translation.derivation import derive, derive_view, upstreams_of
from translation.emission.spark import RelationText, SparkQuery, spark_query
from translation.emission.spark_text import quoted, string
from translation.emission.spark_text import relation as own_name
from translation.emission.spark_udfs import SparkFunctions, SparkUdf
from translation.errors import RefusedByEngine, TooLarge, TranslationError, UnknownRelation
from translation.functions.semantics import semantics_of
from translation.interface import Interface, Options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

log = logging.getLogger(__name__)

_DEFAULT = Options()
_NO_FUNCTIONS: Mapping[str, SparkUdf] = MappingProxyType({})


def spark_view(
    relation: Relation,
    upstreams: Mapping[RelationName, Interface],
    options: Options = _DEFAULT,
    relation_text: RelationText = own_name,
    registered: Mapping[str, SparkUdf] = _NO_FUNCTIONS,
) -> SparkQuery:
    """The query of one view, its columns named as its Avro schema names them.

    ``registered``: the functions that its session has already, by name.

    Raises:
        TranslationError: the view cannot be read, or Spark has nothing that does the same.
    """
    view = relation.view
    if view is None:
        raise ValueError(f"{relation.name} is a table")
    derivation, plan = derive_view(relation, upstreams, options)
    functions = SparkFunctions(options.spark_udfs, registered)
    names = [column.name for column in derivation.interface.columns]
    try:
        return spark_query(plan, semantics_of(view), names, relation_text, functions)
    except TranslationError as error:
        error.relation = error.relation or relation.name
        raise
    except RecursionError:
        raise TooLarge(
            "the query nests too deep",
            relation=relation.name,
            hint="split the view into views of its parts",
        ) from None


def register_views(
    session: SparkSession, catalog: Catalog, options: Options = _DEFAULT
) -> Mapping[RelationName, str | TranslationError]:
    """Every view of the catalog as a temporary view of the session, above one another.

    Returns:
        The temporary view's name (``database_view``) of each, or why there is none. Functions that
        a view declares are registered by their classes, for each view apart. Nothing is fetched:
        their jars must be on the session's path, and a class that is not there fails its view. A
        session loads a class from one jar only, so that two versions of one class do not run
        beside each other, unless ``Options.spark_udfs`` maps them to two classes: see the warning.

    Raises:
        CatalogUnavailable: the catalog could not be read.
    """
    names = [n for namespace in catalog.namespaces() for n in catalog.relations(namespace)]
    relations = catalog.read(names)
    registered: dict[RelationName, str | TranslationError] = {}
    interfaces: dict[RelationName, Interface | TranslationError] = {}
    registration = _Registration(session, relations, options, registered, interfaces)
    for name in sorted(relations):
        if relations[name].is_view:
            registration.view(name)
    return registered


def temporary_name(name: RelationName) -> str:
    return "_".join((*name.namespace, name.name))


class _Registration:
    def __init__(
        self,
        session: SparkSession,
        relations: Mapping[RelationName, Relation],
        options: Options,
        registered: dict[RelationName, str | TranslationError],
        interfaces: dict[RelationName, Interface | TranslationError],
    ) -> None:
        self._session = session
        self._relations = relations
        self._options = options
        self._registered = registered
        self._interfaces = interfaces
        self._functions: dict[str, SparkUdf] = {}
        self._artifacts: dict[str, tuple[str, ...]] = {}

    def view(self, name: RelationName) -> None:
        try:
            self._register(name)
        except TranslationError as error:
            self._registered[name] = error

    def _register(self, name: RelationName) -> None:
        relation = self._relations[name]
        upstreams = {u: self._interface(u, (name,)) for u in upstreams_of(relation, self._options)}
        for upstream in upstreams:
            if self._relations[upstream].is_view and upstream not in self._registered:
                self._register(upstream)
        query = spark_view(relation, upstreams, self._options, self._text, self._functions)
        for udf in query.udfs:
            self._function(udf, name)
        before: dict[str, str | None] = {
            key: self._session.conf.get(key, None) for key in query.settings
        }
        try:
            # A view made by SQL remembers the settings that it was made under.
            for key, value in query.settings.items():
                self._session.conf.set(key, value)
            self._run(
                f"CREATE OR REPLACE TEMPORARY VIEW {quoted(temporary_name(name))} AS {query.sql}",
                "the view's query",
                name,
            )
        finally:
            for key, known in before.items():
                if known is None:
                    self._session.conf.unset(key)
                else:
                    self._session.conf.set(key, known)
        self._registered[name] = temporary_name(name)

    def _function(self, udf: SparkUdf, view: RelationName) -> None:
        other = self._artifacts.setdefault(udf.class_name, udf.artifacts)
        if other != udf.artifacts:
            log.warning(
                "one class of two artifacts; the session has one of them",
                extra={
                    "view": str(view),
                    "class": udf.class_name,
                    "artifacts": [list(other), list(udf.artifacts)],
                },
            )
        self._run(
            f"CREATE OR REPLACE TEMPORARY FUNCTION {quoted(udf.name)} AS {string(udf.class_name)}",
            f"function {udf.name} of class {udf.class_name}",
            view,
            hint=f"put {' '.join(udf.artifacts) or 'its jar'} on the session's path",
        )
        self._functions[udf.name] = udf

    def _run(self, statement: str, subject: str, view: RelationName, hint: str = "") -> None:
        from pyspark.errors import AnalysisException

        try:
            self._session.sql(statement)
        except AnalysisException as error:
            reason = str(error).partition("\n")[0]
            raise RefusedByEngine(subject, "Spark", reason, relation=view, hint=hint) from error

    def _text(self, name: RelationName) -> str:
        relation = self._relations.get(name)
        is_view = relation is not None and relation.is_view
        return quoted(temporary_name(name)) if is_view else own_name(name)

    def _interface(self, name: RelationName, readers: tuple[RelationName, ...]) -> Interface:
        if name in readers:
            raise UnknownRelation(name)
        found = self._interfaces.get(name)
        if found is None:
            found = self._interfaces[name] = self._derived(name, (*readers, name))
        if isinstance(found, TranslationError):
            raise found
        return found

    def _derived(
        self, name: RelationName, readers: tuple[RelationName, ...]
    ) -> Interface | TranslationError:
        relation = self._relations.get(name)
        if relation is None:
            return UnknownRelation(name)
        try:
            above = {u: self._interface(u, readers) for u in upstreams_of(relation, self._options)}
            return derive(relation, above, self._options).interface
        except TranslationError as error:
            return error
