"""Spark as an engine, and its errors as refusals."""

# Spark's way to print rows as Hive does has no public name.

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, Final

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from deploy.refused import Refused
from lakeschema.catalog.column_types import ColumnType, StructField, parse_type_or_unknown
from tests.judges.collected import collected
from tests.judges.compared_values import Rows
from tests.judges.engines.protocol import Columns, ReadAs
from tests.judges.sessions import limited, with_settings
from tests.judges.verdicts import TOO_MANY

INTERNAL_ERROR: Final = "INTERNAL_ERROR"
"""The kind, in Trino's words, of an error that is the engine's own fault."""
_NAME: Final = re.compile(r"\[([A-Z_0-9.]+)\] ?")
_MAX_SECONDS: Final = 600.0


class SparkEngine:
    """A session that has ``settings`` while it answers."""

    def __init__(
        self,
        session: SparkSession,
        settings: Mapping[str, str] = MappingProxyType({}),
        *,
        shown: Callable[[ColumnType], ColumnType] = lambda type_: type_,
        max_seconds: float = _MAX_SECONDS,
    ) -> None:
        """``shown`` gives the type that values are cast to, since Python lacks some types."""
        self._session = session
        self._settings = settings
        self._shown = shown
        self._max_seconds = max_seconds

    def frame(self, sql: str) -> DataFrame:
        """The analysed text.

        Raises:
            Refused: Spark cannot analyse it.
        """
        with with_settings(self._session, self._settings), self._answering(sql):
            frame = self._session.sql(sql)
            frame.schema  # noqa: B018
            return frame

    def columns(self, sql: str) -> Columns:
        """The columns as Spark's expressions see them: chars and varchars are strings."""
        return tuple(
            StructField(f.name, parse_type_or_unknown(f.dataType.simpleString()), f.nullable)
            for f in self.frame(sql).schema.fields
        )

    def rows(self, sql: str, columns: ReadAs | None = None) -> Rows:
        with with_settings(self._session, self._settings):
            found = self.columns(sql) if columns is None else columns
            return self.rows_of(self.frame(sql), [column.type for column in found])

    def rows_of(self, frame: DataFrame, types: Sequence[ColumnType]) -> Rows:
        """Raises ``Refused``, also for values that Python cannot hold."""
        with self._answering():
            try:
                return collected(frame, types, self._shown)
            except ValueError as error:
                raise Refused(str(error)) from error
            except TypeError as error:
                # A map whose keys are lists.
                raise Refused(str(error), name="UNSUPPORTED_IN_PYTHON") from error

    def printed(self, frame: DataFrame) -> list[tuple[str, ...]]:
        """The rows with each value as Hive prints it; raises ``Refused``."""
        jvm: Any = self._session._jvm
        with self._answering():
            plan = frame._jdf.queryExecution().executedPlan()
            lines = jvm.org.apache.spark.sql.execution.HiveResult.hiveResultString(plan)
            text = None if lines.isEmpty() else str(lines.mkString("\x00"))
        return [] if text is None else [tuple(line.split("\t")) for line in text.split("\x00")]

    @contextmanager
    def _answering(self, sql: str = "") -> Iterator[None]:
        with limited(self._max_seconds, self._session.sparkContext.cancelAllJobs):
            try:
                yield
            except (PySparkException, Py4JJavaError) as error:
                raise spark_refusal(error, sql) from error


def spark_refusal(error: PySparkException | Py4JJavaError, sql: str = "") -> Refused:
    """The kind of an error that is not the text's fault is ``INTERNAL_ERROR``."""
    text = str(error)
    if "cancelled" in text[:2000]:
        return Refused(TOO_MANY)
    found = _NAME.search(text)
    name = "" if found is None else found[1]
    is_fault = name.startswith(INTERNAL_ERROR)
    if isinstance(error, Py4JJavaError):
        thrown = error.java_exception
        while thrown.getCause() is not None:
            thrown = thrown.getCause()
        text = str(thrown.toString())
        is_fault |= not text.startswith("org.apache.spark.Spark") or "[" not in text
    message = text.strip().partition("\n")[0][:300].replace(f"[{name}] ", "", 1)
    return Refused(message, sql, name, INTERNAL_ERROR if is_fault else "")
