"""Spark's settings that change what a view's text means, as the view recorded them.

When a view is created, Spark stores settings with it. Spark analyses the view under these settings, and
under the defaults of all other settings. The session that reads the view does not matter. The settings
that are not in this table change no names, types or nulls. They concern speed, files, services or
permissions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from lakeschema.catalog.relations import Dialect, ViewText
from lakeschema.translation.model.errors import UnsupportedConstruct


class Effect(Enum):
    HONOURED = "honoured"
    ROWS = "changes rows only"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of Spark.

    Attributes:
        name: the setting's name without ``spark.sql.``.
        default: Spark 4's default in lower case.
        carried: whether the session that runs the emitted Spark SQL needs the setting, too.
        where: a regular expression for the texts, in lower case, that the setting could change.
    """

    name: str
    default: str
    effect: Effect
    carried: bool = False
    where: str = ""


_HONOURED, _ROWS, _REFUSED = Effect.HONOURED, Effect.ROWS, Effect.REFUSED

# fmt: off
SETTINGS: Final = (
    # types and nulls
    Setting("ansi.enabled", "true", _HONOURED),
    Setting("timestampType", "timestamp_ltz", _HONOURED),
    Setting("decimalOperations.allowPrecisionLoss", "true", _HONOURED, carried=True),
    Setting("legacy.literal.pickMinimumPrecision", "true", _HONOURED, carried=True),
    Setting("legacy.exponentLiteralAsDecimal.enabled", "false", _HONOURED),
    Setting("legacy.decimal.retainFractionDigitsOnTruncate", "false", _HONOURED),
    Setting("legacy.interval.enabled", "false", _HONOURED, carried=True),
    Setting("legacy.sizeOfNull", "true", _HONOURED, carried=True),
    Setting("legacy.typeCoercion.datetimeToString.enabled", "false", _HONOURED),
    Setting("legacy.createEmptyCollectionUsingStringType", "false", _HONOURED, carried=True),
    Setting("function.concatBinaryAsString", "false", _HONOURED, carried=True),
    Setting("function.eltOutputAsString", "false", _HONOURED, carried=True),
    # Types that a session must know to analyse the emitted SQL.
    Setting("timeType.enabled", "false", _HONOURED, carried=True),
    Setting("legacy.lpadRpadAlwaysReturnString", "false", _REFUSED, where=r"\b[lr]pad\b"),
    Setting("legacy.integerGroupingId", "false", _REFUSED, where=r"\bgrouping_id\b"),
    Setting("legacy.histogramNumericPropagateInputType", "true", _REFUSED, where=r"\bhistogram_numeric\b"),
    Setting("legacy.allowNegativeScaleOfDecimal", "false", _REFUSED, where=r"\bb?round\b|[0-9]e"),
    Setting("preserveCharVarcharTypeInfo", "false", _REFUSED, where=r"\b(var)?char"),

    # names
    Setting("caseSensitive", "false", _HONOURED, carried=True),
    Setting("groupByOrdinal", "true", _HONOURED),
    Setting("orderByOrdinal", "true", _HONOURED),
    Setting("groupByAliases", "true", _HONOURED),
    Setting("lateralColumnAlias.enableImplicitResolution", "true", _HONOURED),
    Setting("parser.quotedRegexColumnNames", "false", _REFUSED, where=r"`[^`]*[^\w`][^`]*`"),
    Setting("legacy.ctePrecedencePolicy", "corrected", _HONOURED),
    Setting("legacy.identifierClause", "false", _HONOURED),

    # how the text is read
    Setting("ansi.doubleQuotedIdentifiers", "false", _HONOURED),
    Setting("parser.escapedStringLiterals", "false", _HONOURED),
    Setting("legacy.consecutiveStringLiterals.enabled", "false", _HONOURED),
    Setting("ansi.relationPrecedence", "false", _REFUSED, where=r"\bjoin\b"),
    Setting("legacy.setopsPrecedence.enabled", "false", _HONOURED),
    Setting("legacy.parser.havingWithoutGroupByAsWhere", "false", _HONOURED),
    Setting("legacy.bangEqualsNot", "false", _HONOURED),

    # values only
    Setting("session.timeZone", "", _ROWS),
    Setting("mapKeyDedupPolicy", "exception", _ROWS),
    Setting("legacy.timeParserPolicy", "corrected", _ROWS),
    Setting("legacy.statisticalAggregate", "false", _ROWS),
    Setting("legacy.castComplexTypesToString.enabled", "false", _ROWS),
    Setting("legacy.negativeIndexInArrayInsert", "false", _ROWS),
    Setting("legacy.percentileDiscCalculation", "false", _ROWS),
    Setting("legacy.groupingIdWithAppendedUserGroupBy", "false", _ROWS),
    Setting("legacy.followThreeValuedLogicInArrayExists", "true", _ROWS),
    Setting("legacy.inSubqueryNullability", "false", _ROWS),
    Setting("legacy.nullInEmptyListBehavior", "", _ROWS),
    Setting("legacy.scalarSubqueryCountBugBehavior", "false", _ROWS),
    Setting("legacy.allowStarWithSingleTableIdentifierInCount", "false", _ROWS),
    Setting("legacy.disableMapKeyNormalization", "false", _ROWS),
    Setting("legacy.truncateForEmptyRegexSplit", "false", _ROWS),
    Setting("legacy.javaCharsets", "false", _ROWS),
    Setting("legacy.codingErrorAction", "false", _ROWS),
    Setting("legacy.collationAwareHashFunctions", "false", _ROWS),
    Setting("legacy.noCharPaddingInPredicate", "false", _ROWS),
    Setting("chunkBase64String.enabled", "true", _ROWS),
    Setting("readSideCharPadding", "true", _ROWS),
    Setting("icu.caseMappings.enabled", "true", _ROWS),
    Setting("analyzer.lowerEmptyGroupingSetToGlobalAggregate.enabled", "true", _ROWS),
)
# fmt: on

_ALIKE = frozenset({"exception"})
"""Values that do not change the meaning of any text that Spark accepts."""

_PREFIX = "spark.sql."
_BY_NAME: Final = {setting.name.lower(): setting for setting in SETTINGS}


@dataclass(frozen=True, slots=True)
class Recorded:
    """A view's settings; a setting that the view did not record has Spark's default."""

    values: Mapping[str, str]

    def value(self, name: str) -> str:
        setting = _BY_NAME[name.lower()]
        return self.values.get(_PREFIX + setting.name.lower(), setting.default)

    def is_on(self, name: str) -> bool:
        return self.value(name) == "true"


def recorded(view: ViewText) -> Recorded:
    return Recorded({key.lower(): value.lower() for key, value in view.sql_configs.items()})


def carried(view: ViewText) -> Mapping[str, str]:
    """The recorded settings that a session needs to run the SQL emitted for the view."""
    known = {key.lower(): value for key, value in view.sql_configs.items()}
    return {
        _PREFIX + setting.name: known[key]
        for setting in SETTINGS
        if (setting.carried or setting.effect is Effect.ROWS)
        and (key := (_PREFIX + setting.name).lower()) in known
    }


def rows_changed(view: ViewText) -> Mapping[str, str]:
    """The recorded settings, by name, under which a view's rows differ from its rows under defaults."""
    known = {key.lower(): value for key, value in view.sql_configs.items()}
    return {
        _PREFIX + setting.name: value
        for setting in SETTINGS
        if setting.effect is Effect.ROWS
        and (value := known.get((_PREFIX + setting.name).lower(), setting.default)).lower()
        not in {setting.default, *_ALIKE}
    }


def refuse_unsupported(view: ViewText) -> None:
    """Raises ``UnsupportedConstruct`` for a setting that changes schemas in a way not implemented."""
    if view.dialect is not Dialect.SPARK or not view.sql_configs:
        return
    found = recorded(view)
    text = view.text.lower()
    for setting in SETTINGS:
        value = found.value(setting.name)
        if setting.effect is not _REFUSED or value in {setting.default, *_ALIKE}:
            continue
        if re.search(setting.where, text):
            raise UnsupportedConstruct(
                f"setting {_PREFIX}{setting.name}={value!r:.40}, which the view recorded when it"
                " was created,",
                hint="recreate the view in a session with the default of that setting",
            )
