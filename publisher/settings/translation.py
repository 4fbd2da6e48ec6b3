"""The section ``[translation]``: from SQL types to schemas, and what functions return."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, field_validator, model_validator

from lakeschema.catalog.errors import MalformedType
from lakeschema.translation.functions.udf_plugins import is_reference
from lakeschema.translation.model.interface import (
    Casing,
    Inexpressible,
    Nullability,
    SparkUdfRule,
    UdfReturn,
    ViewEvolution,
)
from lakeschema.translation.requests.option_values import read_spark_rule, read_udf
from publisher.settings.fields import option
from publisher.settings.section import Section


class UdfSettings(Section):
    """Exactly one of the three."""

    returns: str | None = None
    """The type of what the class returns, such as `"array<string>"`."""

    returns_argument: int | None = None
    """The class returns this argument, counted from 0, unchanged in type."""

    returns_rows: str | None = None
    """A class that makes rows: a struct whose fields are the columns."""

    @property
    def udf_return(self) -> UdfReturn:
        return read_udf("a UDF class", self.model_dump(exclude_none=True))

    @model_validator(mode="after")
    def _readable(self) -> UdfSettings:
        try:
            _ = self.udf_return
        except MalformedType as error:
            raise ValueError(f"{error}; {error.hint}") from None
        return self


class SparkUdfSettings(Section):
    """See ``SparkUdfRule``."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_by_name=False)

    class_pattern: Annotated[str, Field(alias="class")]
    """A pattern of the class that the view declares; each `*` stands for any text."""

    dependency: str | None = None
    """A pattern `organisation:module:version`: one of the view's dependencies must match.

    Not set: the rule holds for any view.
    """

    spark_class: str | None = None
    """Stands for the class: `{1}`, `{2}` are what each `*` of `class` stood for; also `{package}`, `{name}`.

    Not set: the class stays.
    """

    spark_dependency: str | None = None
    """Replaces the dependencies that match, without `dependency` all; `{1}`, `{2}` are of `dependency`.

    Not set: they stay.
    """

    @property
    def rule(self) -> SparkUdfRule:
        return read_spark_rule(self.model_dump(by_alias=True, exclude_none=True))

    @model_validator(mode="after")
    def _readable(self) -> SparkUdfSettings:
        _ = self.rule
        return self


class Translation(Section):
    casing: Annotated[Casing, option("casing")] = Casing.PRESERVE
    """`"preserve"`: field names as the engine has them: Spark keeps the case of its tables and views, Hive has lower case, where no Avro schema or
    view's text says otherwise; `"lower"`: in lower case."""

    nullability: Annotated[Nullability, option("nullability")] = Nullability.PRESERVE
    """`"preserve"`: a field is required where no row can hold a null; `"all-nullable"`: none is."""

    timestamp_unit: Annotated[Literal["micros", "millis"], option("timestamp_unit")] = "micros"
    """`"micros"` is what Spark, Parquet, ORC and Iceberg keep.

    `"millis"`, as packages of earlier releases have: a record refuses what is finer than its unit.
    A table with an Avro schema of its own keeps that schema's unit.
    """

    inexpressible: Annotated[Inexpressible, option("inexpressible")] = Inexpressible.OMIT
    """What becomes of a relation with a column that Avro has no type for, such as `variant` or `geometry`.

    `"omit"`: its package leaves the column out, and names it in the class's documentation, on its
    page, in `explain` and in the metric `schema_publisher_columns_omitted_total`. `"refuse"`: it
    gets no package, and `status` names the column. Views that do not return the column get theirs
    either way. See [types of columns](packages.md#types-of-columns).
    """

    local_timestamps: bool = False
    """`true`: Hive's `TIMESTAMP` has no time zone (`local-timestamp-…`).

    In Spark `TIMESTAMP` always has one and `TIMESTAMP_NTZ` never.
    """

    view_evolution: Annotated[ViewEvolution | None, option("view_evolution")] = None
    """`"engine"`: a view keeps the columns that the engine shows. `"follow"`: `SELECT *` takes up
    new columns of its tables. Not set: `"follow"` for a catalog of kind `"ddl"`, else `"engine"`.
    """

    spark_catalogs: tuple[str, ...] = ()
    """Further catalogs of the Spark session that are this metastore, such as `["iceberg"]`.

    In a Spark view `iceberg.db.t` is then `db.t`, as `spark_catalog.db.t` always is.
    """

    strict: bool = False
    """`true`: a base table without an Avro schema is an error."""

    udf_plugins: tuple[str, ...] | None = None
    """Plugins `module:callable` that say what functions return; `[]` for none.

    Not set: those that are installed. See [user-defined functions](user-defined-functions.md).
    """

    udfs: Mapping[str, UdfSettings] = Field(default_factory=dict)
    """What classes of functions return, by the name of the class: `[translation.udfs]`."""

    spark_udfs: tuple[SparkUdfSettings, ...] = ()
    """Rules for the class that stands for a view's on Spark; the first match counts."""

    @field_validator("udf_plugins")
    @classmethod
    def _references(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for reference in value or ():
            if not is_reference(reference):
                raise ValueError(f"invalid plugin {reference!r}: expected module:callable")
        return value
