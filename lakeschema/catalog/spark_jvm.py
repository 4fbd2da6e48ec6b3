"""Calls the driver's JVM of a Spark session.

Converts Java values to Python values, and Java exceptions to errors of a catalog.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from py4j.java_gateway import is_instance_of
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.relations import Column
from lakeschema.catalog.spark_schema import columns_from_json

Result = TypeVar("Result")

_ANALYSIS = "org.apache.spark.sql.catalyst.analysis"
# Spark's NoSuchNamespaceException is a NoSuchDatabaseException.
_MISSING = (
    f"{_ANALYSIS}.NoSuchDatabaseException",
    f"{_ANALYSIS}.NoSuchTableException",
    f"{_ANALYSIS}.NoSuchViewException",
)


class SparkJvm:
    """Access to the driver's JVM. Threads may share it."""

    def __init__(self, spark: SparkSession) -> None:
        jvm: Any = spark._jvm  # noqa: SLF001  the plugin interfaces have no Python face
        self.root = jvm
        self.session: Any = spark._jsparkSession  # noqa: SLF001
        self._gateway: Any = spark.sparkContext._gateway  # noqa: SLF001
        self._json = jvm.com.fasterxml.jackson.databind.ObjectMapper()
        self._scala = jvm.scala.jdk.javaapi.CollectionConverters

    def as_java(self, scala_collection: Any) -> Any:
        return self._scala.asJava(scala_collection)

    def as_scala(self, texts: Sequence[str]) -> Any:
        """The texts as a Scala ``Seq``."""
        collected = self.root.java.util.ArrayList()
        for text in texts:
            collected.add(text)
        return self._scala.asScala(collected).toSeq()

    def array(self, texts: Sequence[str]) -> Any:
        """The texts as a ``String[]``."""
        array = self._gateway.new_array(self.root.java.lang.String, len(texts))
        for index, text in enumerate(texts):
            array[index] = text
        return array

    def value(self, java_object: Any) -> Any:
        """Java's maps, arrays and texts as JSON values.

        One call converts all entries.
        """
        return json.loads(self._json.writeValueAsString(java_object))

    def text_map(self, java_map: Any) -> dict[str, str]:
        """Java's map without null values."""
        found = self.value(java_map) or {}
        return {str(key): str(value) for key, value in found.items() if value is not None}

    def columns(self, columns: Any) -> tuple[Column, ...]:
        """The columns of a plugin's table or view."""
        util = self.root.org.apache.spark.sql.connector.catalog.CatalogV2Util
        return columns_from_json(util.v2ColumnsToStructType(columns).json()) or ()

    def is_a(self, java_object: Any, class_name: str) -> bool:
        return bool(is_instance_of(self._gateway, java_object, class_name))

    def ask(self, catalog: str, what: str, ask: Callable[[], Result]) -> Result | None:
        """The answer; None if Spark reports that the object does not exist.

        Raises:
            CatalogRefused: the JVM raised an exception.
            CatalogUnavailable: the JVM does not answer.
        """
        try:
            return ask()
        except (PySparkException, Py4JJavaError) as error:
            if self._is_missing(error):
                return None
            raise CatalogRefused(catalog, what, _first_line(error)) from error
        except (Py4JError, OSError) as error:
            raise CatalogUnavailable(catalog, _first_line(error)) from error

    def raised(self, error: Exception, class_name: str) -> bool:
        """Whether the JVM's exception behind ``error`` is of that class."""
        thrown = (
            error.java_exception
            if isinstance(error, Py4JJavaError)
            else getattr(error, "_origin", None)
        )
        return thrown is not None and self.is_a(thrown, class_name)

    def _is_missing(self, error: Exception) -> bool:
        return any(self.raised(error, name) for name in _MISSING)


def _first_line(error: Exception) -> str:
    # The bridge's own text begins with an object's number, which varies.
    text = error.java_exception.toString() if isinstance(error, Py4JJavaError) else str(error)
    return (str(text).splitlines() or [type(error).__name__])[0][:500]
