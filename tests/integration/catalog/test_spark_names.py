"""What names mean inside Spark SQL text, asked of Spark's own resolver.

Two plugins of Spark over an empty database in memory stand for catalogs with namespaces.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lakeschema.catalog.catalog_identifiers import CatalogIdentifier
from lakeschema.catalog.errors import Refusal, SessionRefused
from lakeschema.catalog.name_resolution import (
    FileSource,
    Resolved,
    TemporaryView,
    WrittenName,
    print_identifier,
    resolve,
)
from lakeschema.catalog.sessions import CatalogTraits, Levels, Rules, Session

PLUGIN = "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog"
TRAITS: Mapping[str, CatalogTraits] = {
    "spark_catalog": CatalogTraits(default_namespace=("default",)),
    "names_cat": CatalogTraits(),
    "global_temp": CatalogTraits(),
    "names_broken": CatalogTraits(not_loaded="its class is missing"),
}
STATES: Mapping[str, tuple[str, Levels]] = {
    "USE spark_catalog.default": ("spark_catalog", ("default",)),
    "USE names_cat": ("names_cat", ()),
    "USE names_cat.SYS": ("names_cat", ("SYS",)),
}

# A first part with a back-tick is left out: Spark's search for a catalog fails on it.
REFUSALS = {
    "CANNOT_LOAD_CATALOG.PLUGIN_CLASS_NOT_FOUND": Refusal.NOT_LOADED,
    "REQUIRES_SINGLE_PART_NAMESPACE": Refusal.ONE_LEVEL,
}

parts = st.sampled_from(
    (
        *("a", "A.b", "t", "default", "SYS", "parquet", "s3://b/p", "x y", "🦆"),
        *("spark_catalog", "SPARK_Catalog", "names_cat", "NAMES_CAT"),
        *("global_temp", "GLOBAL_TEMP", "names_broken"),
    )
)
names = st.lists(parts, min_size=1, max_size=4).map(tuple)


@pytest.fixture(scope="module")
def plugins(spark: SparkSession) -> Iterator[SparkSession]:
    database = f"jdbc:derby:memory:{secrets.token_hex(4)};create=true"
    for name in ("names_cat", "global_temp"):
        spark.conf.set(f"spark.sql.catalog.{name}", PLUGIN)
        spark.conf.set(f"spark.sql.catalog.{name}.url", database)
        spark.conf.set(f"spark.sql.catalog.{name}.driver", "org.apache.derby.jdbc.EmbeddedDriver")
    spark.conf.set("spark.sql.catalog.names_broken", "no.such.Catalog")
    yield spark
    spark.sql("USE spark_catalog.default")
    for name in ("names_cat", "global_temp", "names_broken"):
        spark.conf.unset(f"spark.sql.catalog.{name}")


def sparks_meaning(spark: SparkSession, name: tuple[str, ...]) -> Resolved | Refusal:
    jvm: Any = spark._jvm
    session: Any = spark._jsparkSession
    asked = jvm.java.util.ArrayList()
    for part in name:
        asked.add(part)
    sequence = jvm.scala.jdk.javaapi.CollectionConverters.asScala(asked).toSeq()
    try:
        found = session.sessionState().analyzer().CatalogAndIdentifier().unapply(sequence).get()
    except PySparkException as error:
        return REFUSALS[error.getCondition() or ""]
    except Py4JJavaError as error:
        return REFUSALS[error.java_exception.getCondition()]
    catalog, identifier = found._1(), found._2()
    namespace = tuple(map(str, identifier.namespace()))
    if catalog.name() == "spark_catalog" and len(namespace) != 1:
        # Spark refuses this only when it looks for the table.
        return Refusal.ONE_LEVEL
    return Resolved(str(catalog.name()), CatalogIdentifier(namespace, str(identifier.name())))


def our_meaning(name: WrittenName, session: Session) -> Resolved | TemporaryView | Refusal:
    """Spark looks at the files of a name like ``parquet.x`` only if there is no such table."""
    try:
        found = resolve(name, session)
    except SessionRefused as error:
        return error.kind
    return found.table if isinstance(found, FileSource) else found


@pytest.mark.parametrize("statement", STATES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(names)
def test_a_name_means_what_spark_says(
    plugins: SparkSession, statement: str, name: tuple[str, ...]
) -> None:
    catalog, namespace = STATES[statement]
    session = Session(TRAITS, catalog, {catalog: namespace}, Rules.SPARK)
    plugins.sql(statement)

    meaning = sparks_meaning(plugins, name)

    assert our_meaning(WrittenName(name), session) == meaning
    if isinstance(meaning, Resolved):
        assert (
            sparks_meaning(plugins, sparks_parts(plugins, print_identifier(meaning, session)))
            == meaning
        )


def sparks_parts(spark: SparkSession, text: str) -> tuple[str, ...]:
    """The parts that Spark's parser reads."""
    session: Any = spark._jsparkSession
    found = session.sessionState().sqlParser().parseMultipartIdentifier(text)
    return tuple(str(found.apply(place)) for place in range(found.size()))


def test_a_session_with_these_catalogs_has_what_the_rules_say(plugins: SparkSession) -> None:
    states = {}
    for statement in STATES:
        plugins.sql(statement)
        row = plugins.sql("SELECT current_catalog(), current_schema()").first()
        assert row is not None
        states[statement] = (row[0], tuple(row[1].split(".")) if row[1] else ())

    assert states == STATES
