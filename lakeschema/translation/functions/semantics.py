"""A view's dialect, and its recorded settings that change what its text means."""

from __future__ import annotations

from dataclasses import dataclass, field

from lakeschema.catalog.relations import Dialect, ViewText
from lakeschema.translation.functions.settings import recorded


@dataclass(frozen=True, slots=True)
class Semantics:
    """The rules of Hive, Trino, or Spark under a view's recorded settings (``settings.SETTINGS``).

    Attributes:
        ansi: Spark's ANSI mode, on unless the view recorded that it was off.
        zoneless: ``timestamp`` in the view's text means ``timestamp_ntz``.
        legacy_intervals: interval literals, and differences of times, are calendar intervals.
        keeps_all_digits: decimal arithmetic keeps the scale where the precision is too large.
        full_literals: an integer literal next to a decimal has the precision of its type, not of
            its digits. In Hive this holds for addends inside FLOOR and OVER.
        decimal_exponents: ``1e3`` is a decimal, not a double.
        keeps_fractions: the common type of decimals keeps the scale rather than the whole digits.
        size_of_null: ``size(NULL)`` is -1, not null.
        times_as_text: a date or timestamp is cast to text when it is compared with a text.
        empty_is_text: ``array()`` is an array of texts.
        bytes_as_text: ``concat`` of bytes is text.
        elt_as_text: ``elt`` of bytes is text.
        case_sensitive: a name means only the column that is spelled in the same case.
        group_by_ordinal: a number in GROUP BY is the position of a column.
        order_by_ordinal: a number in ORDER BY is the position of a column.
        group_by_aliases: GROUP BY may name an alias of the SELECT list.
        lateral_aliases: an item of SELECT may use the alias of an earlier item.
        outer_tables_first: a table of an outer WITH hides a table of the same name in an inner WITH,
            if the inner WITH is in the query of a WITH table or in an expression.
        having_of_rows: HAVING without GROUP BY means WHERE.
    """

    dialect: Dialect
    ansi: bool = False
    zoneless: bool = False
    legacy_intervals: bool = False
    keeps_all_digits: bool = False
    full_literals: bool = False
    decimal_exponents: bool = False
    keeps_fractions: bool = False
    size_of_null: bool = False
    times_as_text: bool = False
    empty_is_text: bool = False
    bytes_as_text: bool = False
    elt_as_text: bool = False
    case_sensitive: bool = False
    group_by_ordinal: bool = True
    order_by_ordinal: bool = True
    group_by_aliases: bool = True
    lateral_aliases: bool = False
    outer_tables_first: bool = False
    having_of_rows: bool = False
    is_spark: bool = field(init=False, repr=False, compare=False)
    is_hive: bool = field(init=False, repr=False, compare=False)
    is_trino: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # These are computed once, because each call in a view reads them many times.
        object.__setattr__(self, "is_spark", self.dialect is Dialect.SPARK)
        object.__setattr__(self, "is_hive", self.dialect is Dialect.HIVE)
        object.__setattr__(self, "is_trino", self.dialect is Dialect.TRINO)

    @property
    def bigint_digits(self) -> int:
        return 20 if self.is_spark else 19


def semantics_of(view: ViewText) -> Semantics:
    if view.dialect is not Dialect.SPARK:
        # Trino fails where Spark without ANSI mode returns null.
        return Semantics(view.dialect, ansi=view.dialect is Dialect.TRINO)
    found = recorded(view)
    ansi = found.is_on("ansi.enabled")
    return Semantics(
        view.dialect,
        ansi=ansi,
        zoneless=found.value("timestampType") == "timestamp_ntz",
        legacy_intervals=found.is_on("legacy.interval.enabled"),
        keeps_all_digits=not found.is_on("decimalOperations.allowPrecisionLoss"),
        full_literals=not found.is_on("legacy.literal.pickMinimumPrecision"),
        decimal_exponents=found.is_on("legacy.exponentLiteralAsDecimal.enabled"),
        keeps_fractions=found.is_on("legacy.decimal.retainFractionDigitsOnTruncate"),
        size_of_null=found.is_on("legacy.sizeOfNull") and not ansi,
        times_as_text=found.is_on("legacy.typeCoercion.datetimeToString.enabled") and not ansi,
        empty_is_text=found.is_on("legacy.createEmptyCollectionUsingStringType"),
        bytes_as_text=found.is_on("function.concatBinaryAsString"),
        elt_as_text=found.is_on("function.eltOutputAsString"),
        case_sensitive=found.is_on("caseSensitive"),
        group_by_ordinal=found.is_on("groupByOrdinal"),
        order_by_ordinal=found.is_on("orderByOrdinal"),
        group_by_aliases=found.is_on("groupByAliases"),
        outer_tables_first=found.value("legacy.ctePrecedencePolicy") == "legacy",
        having_of_rows=found.is_on("legacy.parser.havingWithoutGroupByAsWhere"),
        lateral_aliases=found.is_on("lateralColumnAlias.enableImplicitResolution"),
    )
