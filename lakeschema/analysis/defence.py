"""Finds problems in a statement before it runs, by named rules that can be turned on or off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Final

from lakeschema.analysis.rules import conditions, joining, names, needless, partitions, writing
from lakeschema.analysis.rules.subject import Finding, Rule, Subject
from lakeschema.analysis.scripts import Analysed
from lakeschema.translation.model.errors import Position


class Severity(Enum):
    """How serious a violation is.

    ERROR: engines refuse the statement. WARNING: it runs, but is probably wrong or expensive.
    """

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class NamedRule:
    """One rule.

    Attributes:
        forbids: a sentence for people.
        hint: what to write instead.
        find: the function that finds problems; None for the rule on unreadable statements.
        is_default: whether it is on by default.
    """

    severity: Severity
    forbids: str
    hint: str
    find: Rule | None
    is_default: bool = True


@dataclass(frozen=True, slots=True)
class Violation:
    """A statement broke a rule. ``position`` counts from the start of the whole text."""

    rule: str
    severity: Severity
    message: str
    hint: str
    position: Position | None


UNREADABLE: Final = "unreadable"
UNKNOWN_STATEMENT: Final = "unknown_statement"
"""The rule on unknown statements; it is an error if a user's privileges are checked."""

_E, _W = Severity.ERROR, Severity.WARNING

RULES: Final[Mapping[str, NamedRule]] = MappingProxyType(
    {
        UNREADABLE: NamedRule(_E, "a statement that cannot be read", "", None),
        UNKNOWN_STATEMENT: NamedRule(
            _W,
            "a statement whose text does not name what it reads and writes",
            "write out the statements that it runs, or turn the rule unknown_statement off",
            names.unknown_statement,
        ),
        "unknown_table": NamedRule(
            _E,
            "a table that is not in its namespace, if the tables of the namespace are known",
            "check the name, or create the table first",
            names.unknown_table,
        ),
        "unknown_column": NamedRule(
            _E,
            "a column that no table in FROM has",
            "check the name and the alias before it",
            names.unknown_column,
        ),
        "ambiguous_column": NamedRule(
            _E,
            "a column that several tables in FROM have",
            "write the table before the column",
            names.ambiguous_column,
        ),
        "column_count": NamedRule(
            _E,
            "INSERT of more or fewer columns than the table or the list has",
            "list the columns, and give each a value",
            writing.column_count,
        ),
        "duplicate_column": NamedRule(
            _E,
            "a table or view with two columns of one name",
            "give one of them an alias",
            writing.duplicate_column,
        ),
        "set_operation_width": NamedRule(
            _E,
            "UNION, INTERSECT or EXCEPT of different numbers of columns",
            "give each query the same columns",
            needless.set_operation_width,
        ),
        "cross_join": NamedRule(
            _W,
            "tables that no condition connects",
            "add the condition of the join",
            joining.cross_join,
        ),
        "join_without_equality": NamedRule(
            _W,
            "a join by <, >, BETWEEN, LIKE or OR alone",
            "add an equality of a column of each side, or join one condition of the OR at a time",
            joining.join_without_equality,
        ),
        "outer_join_undone": NamedRule(
            _W,
            "a condition in WHERE on the optional side of an outer join, which removes the rows "
            "without a match",
            "move the condition to ON, or write an inner join",
            joining.outer_join_undone,
        ),
        "self_comparison": NamedRule(
            _W,
            "a column compared with itself",
            "check the aliases on both sides",
            joining.self_comparison,
        ),
        "missing_partition_filter": NamedRule(
            _W,
            "a read of a partitioned table without a condition on a partition column",
            "restrict a partition column in WHERE",
            partitions.missing_partition_filter,
        ),
        "star_written": NamedRule(
            _W,
            "SELECT * of a table in INSERT, CREATE TABLE AS or CREATE VIEW",
            "list the columns",
            writing.star_written,
        ),
        "change_without_filter": NamedRule(
            _W,
            "UPDATE or DELETE without WHERE",
            "add WHERE, or use TRUNCATE to empty a table",
            writing.change_without_filter,
        ),
        "equals_null": NamedRule(
            _W,
            "a comparison with NULL by =, <> and the like",
            "write IS NULL or IS NOT NULL",
            conditions.equals_null,
        ),
        "not_in_nullable": NamedRule(
            _W,
            "NOT IN of a query or list that may hold a null",
            "use NOT EXISTS, or add IS NOT NULL to the query",
            conditions.not_in_nullable,
        ),
        "nested_sort": NamedRule(
            _W,
            "ORDER BY without LIMIT in a sub-query",
            "remove it, or sort the outermost query",
            conditions.nested_sort,
        ),
        "needless_union": NamedRule(
            _W,
            "UNION of queries that cannot share a row",
            "write UNION ALL",
            needless.needless_union,
        ),
        "needless_distinct": NamedRule(
            _W,
            "DISTINCT with all keys of its GROUP BY",
            "remove DISTINCT",
            needless.needless_distinct,
        ),
        "unused_common_table": NamedRule(
            _W,
            "a table of WITH that nothing reads",
            "remove it",
            needless.unused_common_table,
        ),
        "limit_without_order": NamedRule(
            _W,
            "LIMIT without ORDER BY in a query whose rows are written",
            "add ORDER BY",
            writing.limit_without_order,
            is_default=False,
        ),
        "computed_join_key": NamedRule(
            _W,
            "a join by an expression of a column",
            "compute the key beforehand, so that both sides are plain columns",
            joining.computed_join_key,
            is_default=False,
        ),
        "leading_wildcard": NamedRule(
            _W,
            "LIKE with a pattern that begins with a wildcard",
            "search by the beginning of the text, or keep a column to search by",
            conditions.leading_wildcard,
            is_default=False,
        ),
    }
)
"""The rules by name, in the order in which violations are reported."""

DEFAULT_RULES: Final = frozenset(name for name, rule in RULES.items() if rule.is_default)


def defence(analysed: Analysed, rules: frozenset[str] = DEFAULT_RULES) -> tuple[Violation, ...]:
    """The violations in one statement; a rule has a violation for each place that breaks it."""
    return tuple(_violations(analysed, rules))


def _violations(analysed: Analysed, rules: frozenset[str]) -> Iterator[Violation]:
    statement, resolved, error = analysed.statement, analysed.resolved, analysed.error
    if statement is None or resolved is None:
        if error is not None and UNREADABLE in rules:
            yield Violation(UNREADABLE, Severity.ERROR, error.message, error.hint, error.position)
        return
    subject = Subject(statement, resolved, analysed.before)
    for name, rule in RULES.items():
        if name in rules and rule.find is not None:
            yield from _of_rule(name, rule, rule.find(subject))


def _of_rule(name: str, rule: NamedRule, found: Iterator[Finding]) -> Iterator[Violation]:
    for each in found:
        yield Violation(name, rule.severity, each.message, rule.hint, each.position)


def chosen_rules(choice: Mapping[str, bool]) -> frozenset[str]:
    """The rules that are on: the default rules, changed by ``choice`` (on or off by name).

    Raises:
        UnknownRule: there is no such rule.
    """
    for name in choice:
        if name not in RULES:
            raise UnknownRule(name)
    on = {name for name, is_on in choice.items() if is_on}
    return (DEFAULT_RULES | on) - {name for name, is_on in choice.items() if not is_on}


class UnknownRule(Exception):
    def __init__(self, name: str) -> None:
        super().__init__(f"unknown rule {name!r}; the rules are {', '.join(RULES)}")
        self.name = name
