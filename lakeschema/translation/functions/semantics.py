"""The rules that apply: a view's dialect and the recorded settings that change types."""

from __future__ import annotations

from dataclasses import dataclass

from lakeschema.catalog.relations import Dialect, ViewText


@dataclass(frozen=True, slots=True)
class Semantics:
    """``ansi`` is Spark's ANSI mode, on unless the view recorded that it was off.

    ``zoneless``: ``timestamp`` in the view's text means ``timestamp_ntz``, as the view recorded of
    Spark's ``spark.sql.timestampType``.
    """

    dialect: Dialect
    ansi: bool = False
    zoneless: bool = False

    @property
    def is_spark(self) -> bool:
        return self.dialect is Dialect.SPARK

    @property
    def bigint_digits(self) -> int:
        return 20 if self.is_spark else 19


def semantics_of(view: ViewText) -> Semantics:
    configs = {key.lower(): value.lower() for key, value in view.sql_configs.items()}
    ansi = configs.get("spark.sql.ansi.enabled", "true") == "true"
    zoneless = configs.get("spark.sql.timestamptype") == "timestamp_ntz"
    is_spark = view.dialect is Dialect.SPARK
    return Semantics(view.dialect, ansi and is_spark, zoneless and is_spark)
