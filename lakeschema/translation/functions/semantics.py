"""The rules that apply: a view's dialect and the recorded settings that change types."""

from __future__ import annotations

from dataclasses import dataclass

from lakeschema.catalog.relations import Dialect, ViewText


@dataclass(frozen=True, slots=True)
class Semantics:
    """``ansi`` is Spark's ANSI mode, on unless the view recorded that it was off."""

    dialect: Dialect
    ansi: bool = False

    @property
    def is_spark(self) -> bool:
        return self.dialect is Dialect.SPARK

    @property
    def bigint_digits(self) -> int:
        return 20 if self.is_spark else 19


def semantics_of(view: ViewText) -> Semantics:
    configs = {key.lower(): value.lower() for key, value in view.sql_configs.items()}
    ansi = configs.get("spark.sql.ansi.enabled", "true") == "true"
    return Semantics(view.dialect, ansi and view.dialect is Dialect.SPARK)
