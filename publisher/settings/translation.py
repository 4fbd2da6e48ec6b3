"""The section ``[translation]``: how SQL types become schemas, and the types that functions return."""

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
    """One rule for a class; exactly one of the three keys is set."""

    returns: str | None = None
    """The type that the class returns, such as `"array<string>"`."""

    returns_argument: int | None = None
    """The index, from 0, of the argument whose type the class returns."""

    returns_rows: str | None = None
    """For a class that makes rows: a struct type. Its fields are the columns of the rows."""

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
    """A rule as ``SparkUdfRule`` describes it."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_by_name=False)

    class_pattern: Annotated[str, Field(alias="class")]
    """A pattern of the class that the view declares; each `*` stands for any text."""

    dependency: str | None = None
    """A pattern `organisation:module:version`: the rule applies only if a dependency of the view matches
    it. Not set: the rule applies to any view.
    """

    spark_class: str | None = None
    """The class on Spark: `{1}`, `{2}` are the texts that `class` matched by `*`; also `{package}`,
    `{name}`.

    Not set: the class stays."""

    spark_dependency: str | None = None
    """Replaces the dependencies that match `dependency`, or all dependencies if `dependency` is not set.
    `{1}`, `{2}` are the texts that `dependency` matched by `*`. Not set: the dependencies stay.
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
    """`"preserve"`: field names have the engine's case. Spark keeps the case of its tables and
    views; Hive uses lower case unless an Avro schema or a view's text says otherwise. `"lower"`: in
    lower case."""

    nullability: Annotated[Nullability, option("nullability")] = Nullability.PRESERVE
    """`"preserve"`: a field is required if no row can hold a null. `"all-nullable"`: no field is
    required.
    """

    timestamp_unit: Annotated[Literal["micros", "millis"], option("timestamp_unit")] = "micros"
    """`"micros"`: like Spark, Parquet, ORC and Iceberg. `"millis"`: like packages of earlier releases. A
    record refuses values that are finer than its unit. A table with an Avro schema keeps that schema's
    unit.
    """

    inexpressible: Annotated[Inexpressible, option("inexpressible")] = Inexpressible.OMIT
    """What happens to a relation with a column that Avro has no type for, such as `variant` or
    `geometry`.

    `"omit"`: its package lacks the column. The class's documentation, the package's page, `explain`
    and the metric `schema_publisher_columns_omitted_total` name it. `"refuse"`: the relation gets
    no package, and `status` names the column. Views that do not return the column get packages
    either way. See [types of columns](packages.md#types-of-columns)."""

    local_timestamps: bool = False
    """`true`: Hive's `TIMESTAMP` has no time zone (`local-timestamp-…`).

    In Spark, `TIMESTAMP` always has a time zone, and `TIMESTAMP_NTZ` never has one.
    """

    view_evolution: Annotated[ViewEvolution | None, option("view_evolution")] = None
    """`"engine"`: a view keeps the columns that the engine shows. `"follow"`: `SELECT *` gains new
    columns of its tables. Not set: `"follow"` for a catalog of kind `"ddl"`, else `"engine"`."""

    spark_catalogs: tuple[str, ...] = ()
    """Further names that the Spark session has for catalogs in this metastore, such as `["iceberg"]`.

    A Spark view's `iceberg.db.t` then means `db.t`, as `spark_catalog.db.t` always does."""

    strict: bool = False
    """`true`: a base table without an Avro schema is an error."""

    udf_plugins: tuple[str, ...] | None = None
    """Plugins, as `module:callable`, that give the return types of functions; `[]` means no plugins.

    Not set: all installed plugins. See [user-defined functions](user-defined-functions.md)."""

    udfs: Mapping[str, UdfSettings] = Field(default_factory=dict)
    """The return types of function classes, by class name: `[translation.udfs]`."""

    spark_udfs: tuple[SparkUdfSettings, ...] = ()
    """Rules for the class that replaces a view's class on Spark; the first match counts."""

    @field_validator("udf_plugins")
    @classmethod
    def _references(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for reference in value or ():
            if not is_reference(reference):
                raise ValueError(f"invalid plugin {reference!r}: expected module:callable")
        return value
