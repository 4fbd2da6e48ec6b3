"""Registers every view of a catalog, of any engine, as a temporary view of a Spark session."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Catalog, Relation
from lakeschema.translation.deriving.direct_deriver import DirectDeriver
from lakeschema.translation.deriving.upstream_first import derive_all, interfaces_of
from lakeschema.translation.emission.spark.text import quoted, string
from lakeschema.translation.emission.spark.text import relation as own_name
from lakeschema.translation.emission.spark.udfs import SparkFunctions, SparkUdf
from lakeschema.translation.emission.spark.view import spark_view
from lakeschema.translation.model.errors import (
    RefusedByEngine,
    TranslationError,
    UnsupportedFunction,
)
from lakeschema.translation.model.interface import Interface, Options
from lakeschema.translation.model.outcome import Derived, Failed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

log = logging.getLogger(__name__)

_DEFAULT = Options()
_SAME: Mapping[str, str] = MappingProxyType({})
_SUBSTITUTE = "spark.sql.variable.substitute"
_REFLECTION = frozenset({
    "reflect", "java_method", "try_reflect", "udfreflect", "genericudfreflect", "genericudfreflect2",
})  # fmt: skip


def register_views(
    session: SparkSession,
    catalog: Catalog,
    options: Options = _DEFAULT,
    *,
    java_methods: bool = False,
    session_catalogs: Mapping[str, str] = _SAME,
) -> Mapping[RelationName, str | TranslationError]:
    """Registers every view of the catalog as a temporary view of the session, upstreams first.

    Variables of the session or its environment are not substituted in a view's text. A view that
    calls any Java method by name (``reflect``) is refused, unless ``java_methods`` allows it.

    A view's declared functions are registered by class, for each view separately. Hive functions
    without an equivalent in Spark use Hive's classes (``hive$name``), in a session with Hive
    support. Nothing is downloaded: the jars must be on the session's class path, and a view whose
    class is missing fails. A session loads a class from one jar only. So two versions of one class
    cannot be used together, unless ``Options.spark_udfs`` maps them to two classes; a warning is
    logged.

    ``session_catalogs`` has the session's name for each catalog of the relations, if they differ; the
    key "" is the relations' default catalog. A ``SparkCatalog`` names its default catalog itself.

    Returns:
        For each view the temporary view's name (``database_view``), or the error.

    Raises:
        CatalogUnavailable: the catalog could not be read.
    """
    names = [n for namespace in catalog.namespaces() for n in catalog.relations(namespace)]
    refused = () if java_methods else _REFLECTION
    catalogs = {**_own_catalog(catalog), **session_catalogs}
    registration = _Registration(session, catalog.read(names), options, refused, catalogs)
    registration.run()
    return registration.registered


def temporary_names(views: Iterable[RelationName]) -> Mapping[RelationName, str]:
    """The name of each temporary view: ``database_view``.

    Outside the default catalog, the catalog's name comes first. If two names are equal (of ``a_b.c``
    and ``a.b_c``), the later name gets an extra ``_``. Spark compares names regardless of case.
    """
    found: dict[RelationName, str] = {}
    taken: set[str] = set()
    for view in sorted(views, key=lambda view: (view.catalog, view)):
        name = "_".join((view.catalog, *view.parts) if view.catalog else view.parts)
        while name.lower() in taken:
            name += "_"
        taken.add(name.lower())
        found[view] = name
    return found


def _own_catalog(catalog: Catalog) -> Mapping[str, str]:
    # PySpark is an extra.
    from lakeschema.catalog.spark import SparkCatalog

    return {"": catalog.name} if isinstance(catalog, SparkCatalog) else {}


class _Registration:
    def __init__(
        self,
        session: SparkSession,
        relations: Mapping[RelationName, Relation],
        options: Options,
        refused: Collection[str],
        catalogs: Mapping[str, str],
    ) -> None:
        """Registers nothing yet.

        Args:
            session: the session in which to register the views.
            relations: the views, with their upstreams.
            options: the options of the translation.
            refused: functions and classes that must not be called, by lower-case name.
            catalogs: the session's catalogs.
        """
        self._refused = refused
        self._catalogs = catalogs
        self.registered: dict[RelationName, str | TranslationError] = {}
        self._session = session
        self._relations = relations
        self._options = options
        self._names = temporary_names(name for name, r in relations.items() if r.is_view)
        self._functions: dict[str, SparkUdf] = {}
        self._artifacts: dict[str, tuple[str, ...]] = {}

    def run(self) -> None:
        outcomes = derive_all(self._relations, DirectDeriver(self._options))
        for name, outcome in outcomes.items():
            relation = self._relations[name]
            if not relation.is_view:
                continue
            try:
                match outcome:
                    case Derived(derivation):
                        self._register(relation, interfaces_of(derivation.upstreams, outcomes))
                    case Failed(error=error):
                        assert error is not None, "derived in this process"
                        raise error
            except TranslationError as error:
                self.registered[name] = error

    def _register(self, relation: Relation, upstreams: Mapping[RelationName, Interface]) -> None:
        name = relation.name
        results = (self.registered.get(upstream) for upstream in upstreams)
        for result in results:
            if isinstance(result, TranslationError):
                raise result
        options = self._options
        functions = SparkFunctions(
            options.spark_udfs, self._functions, self._refused, options.hive_functions
        )
        query = spark_view(relation, upstreams, self._options, self._text, functions)
        for udf in query.udfs:
            self._register_function(udf, name)
        # A view created by SQL keeps the settings of its creation.
        with self._settings(query.settings):
            self._run(
                f"CREATE OR REPLACE TEMPORARY VIEW {quoted(self._names[name])} AS {query.sql}",
                "the view's query",
                name,
                hint=self._hint(query.udfs),
            )
        self.registered[name] = self._names[name]

    @contextmanager
    def _settings(self, settings: Mapping[str, str]) -> Iterator[None]:
        """Sets settings temporarily in the session, and turns off variable substitution."""
        settings = {**settings, _SUBSTITUTE: "false"}
        before: dict[str, str | None] = {key: self._session.conf.get(key, None) for key in settings}
        try:
            for key, value in settings.items():
                self._session.conf.set(key, value)
            yield
        finally:
            for key, previous in before.items():
                if previous is None:
                    self._session.conf.unset(key)
                else:
                    self._session.conf.set(key, previous)

    def _register_function(self, udf: SparkUdf, view: RelationName) -> None:
        if udf.class_name.rpartition(".")[2].lower() in self._refused:
            reason = "is refused: it runs any Java method"
            raise UnsupportedFunction(udf.name, reason, relation=view)
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
        with self._settings({}):
            self._run(
                f"CREATE OR REPLACE TEMPORARY FUNCTION {quoted(udf.name)} AS "
                f"{string(udf.class_name)}",
                f"function {udf.name} of class {udf.class_name}",
                view,
                hint=f"add {' '.join(udf.artifacts) or 'its jar'} to the session's class path",
            )
        self._functions[udf.name] = udf

    def _hint(self, udfs: Sequence[SparkUdf]) -> str:
        """A hint for sessions without Hive support, which register a Hive class but refuse its first call."""
        if not udfs or self._session.conf.get("spark.sql.catalogImplementation", None) == "hive":
            return ""
        return (
            f"{', '.join(udf.name for udf in udfs)}: Spark runs classes of Hive's in a session with"
            " Hive support only; build it with enableHiveSupport()"
        )

    def _run(self, statement: str, subject: str, view: RelationName, hint: str = "") -> None:
        from pyspark.errors import AnalysisException

        try:
            self._session.sql(statement)
        except AnalysisException as error:
            reason = str(error).partition("\n")[0]
            raise RefusedByEngine(subject, "Spark", reason, relation=view, hint=hint) from error

    def _text(self, name: RelationName) -> str:
        if name in self._names:
            return quoted(self._names[name])
        return own_name(replace(name, catalog=self._catalogs.get(name.catalog, name.catalog)))
