"""The differences between dialects, in names and clauses.

Sources: the engines' grammars, and Uber's Queryparser for the scopes of GROUP BY, HAVING and ORDER
BY.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Final, TypeAlias

from lakeschema.catalog.relations import Dialect
from lakeschema.translation.syntax.grammars import GRAMMARS, Grammar


class UnknownDialect(Exception):
    def __init__(self, name: str) -> None:
        super().__init__(
            f"unknown dialect {name!r}; the dialects are {', '.join(sorted(DIALECTS))}"
        )
        self.name = name


@dataclass(frozen=True, slots=True)
class Scoping:
    """The names that clauses of a SELECT may use, besides the names in FROM.

    Attributes:
        tables_hide_common_tables: a table of the catalog takes precedence over a WITH of the same
            name.
        group_sees_aliases: GROUP BY and HAVING may use the aliases of SELECT.
        aliases_in_items: an item of SELECT may use the alias of an earlier item.
        arrays_in_from: ``FROM t, t.items`` reads the items of a column of t.
        names_by_position: an unnamed value is ``_c0``, ``_c1``; otherwise it is named by its text.
        recursion_needs_no_word: a table of WITH that is a UNION may read itself without RECURSIVE.
        fields_have_positions: ``p[1]`` may be the first field of a struct, and UNNEST of an array
            of structs makes a column of each field.
    """

    tables_hide_common_tables: bool = False
    group_sees_aliases: bool = True
    having_sees_aliases: bool = True
    aliases_in_items: bool = False
    recursion_needs_no_word: bool = False
    arrays_in_from: bool = False
    names_by_position: bool = False
    fields_have_positions: bool = True


@dataclass(frozen=True, slots=True)
class StatementGrammar(Grammar):
    """A lenient grammar for a log's statements, since not every detail of the engines is known.

    Attributes:
        backslash_escapes: a backslash in a string escapes the next character.
        brackets_name: ``[x]`` is a name.
        hash_comments: ``#`` begins a comment.
        dotted_quotes: a quoted name may hold dots that separate its parts.
        dashes_in_tables: a table's name may have dashes.
        assignments_name: ``SELECT a = x`` gives x the name a.
        transact: as in T-SQL, ``FROM t (NOLOCK)`` is a table with a hint, ``@t`` may be a table,
            and statements need no semicolons.
        phrases: ``a (TITLE 'x')`` is the column ``a`` with a phrase, not a call.
        use_names_catalog: ``USE x`` and ``USE DATABASE x`` choose a catalog, not a schema.
        trailing_commas: the items of SELECT may end in a comma.
        abbreviations: words, in upper case, that abbreviate others.
        prefix_words: words, in upper case, that are operators before an operand.
        converts_type_first: ``CONVERT(INT, x)`` casts x, not INT.
        numbered_columns: ``$1`` is a column.
        quoted_by_letter: ``q'[it's]'`` is a string.
        bare_functions: words, in upper case, that call a function without parentheses.
    """

    backslash_escapes: bool = False
    brackets_name: bool = False
    hash_comments: bool = False
    dotted_quotes: bool = False
    dashes_in_tables: bool = False
    assignments_name: bool = False
    transact: bool = False
    phrases: bool = False
    use_names_catalog: bool = False
    trailing_commas: bool = False
    converts_type_first: bool = False
    numbered_columns: bool = False
    quoted_by_letter: bool = False
    prefix_words: frozenset[str] = frozenset()
    abbreviations: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    bare_functions: frozenset[str] = frozenset()
    scoping: Scoping = field(default_factory=Scoping)


_ANY: Final[Mapping[str, tuple[int, str]]] = MappingProxyType(
    {
        **GRAMMARS[Dialect.SPARK].infix,
        **dict.fromkeys(("~*", "!~", "!~*", "~", "~~"), (5, "like")),
        **dict.fromkeys(("@>", "<@", "&&", "?|", "?&", "@@"), (5, "contains")),
        **dict.fromkeys(("->>", "#>", "#>>"), (10, "element")),
        **dict.fromkeys(("SIMILAR", "SOUNDS", "GLOB", "OVERLAPS"), (5, "like")),
        "XOR": (1, "xor"),
        ":=": (5, ":="),
        "->": (10, "element"),
        "MOD": (11, "%"),
    }
)

_TODAY: Final = frozenset({"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"})
_STANDARD: Final = _TODAY | {
    *("LOCALTIME", "LOCALTIMESTAMP", "CURRENT_USER", "SESSION_USER", "CURRENT_ROLE"),
    *("CURRENT_CATALOG", "CURRENT_SCHEMA"),
}
_REGISTERS: Final = ("DATE", "TIME", "TIMESTAMP", "TIMEZONE", "USER", "SCHEMA", "SERVER")
_COMPARED: Final = {"EQ": "=", "NE": "<>", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}
_Value: TypeAlias = (
    bool | Scoping | frozenset[str] | Mapping[str, str] | Mapping[str, tuple[int, str]]
)


def _grammar(base: Dialect, **more: _Value) -> StatementGrammar:
    values = {f.name: getattr(GRAMMARS[base], f.name) for f in fields(Grammar)}
    open_ = {"quantified_queries": True, "intersect_first": True}
    return StatementGrammar(**{**values, **open_, **more})


def _ansi(**more: _Value) -> StatementGrammar:
    values = {f.name: getattr(GRAMMARS[Dialect.SPARK], f.name) for f in fields(Grammar)}
    chosen = {
        "infix": _ANY,
        "doubled_quotes": False,
        "sums_intervals": False,
        "double_quotes_name": True,
        "quantified_queries": True,
        "bare_functions": _STANDARD,
    }
    return StatementGrammar(**{**values, **chosen, **more})


_HIVE: Final = _grammar(
    Dialect.HIVE,
    backslash_escapes=True,
    bare_functions=_TODAY,
    scoping=Scoping(group_sees_aliases=False, names_by_position=True, fields_have_positions=False),
)
_SPARK: Final = _grammar(
    Dialect.SPARK,
    backslash_escapes=True,
    bare_functions=_TODAY | {"LOCALTIMESTAMP", "CURRENT_USER", "SESSION_USER"},
    scoping=Scoping(aliases_in_items=True, fields_have_positions=False),
)
_TRINO: Final = _ansi(scoping=Scoping(group_sees_aliases=False, having_sees_aliases=False))
_POSTGRES: Final = _ansi(
    bare_functions=_STANDARD | {"USER"}, scoping=Scoping(having_sees_aliases=False)
)
_OF_HIERARCHIES: Final = frozenset({"PRIOR", "CONNECT_BY_ROOT"})
_ALIASING: Final = Scoping(aliases_in_items=True)
_MYSQL: Final = _ansi(
    double_quotes_name=False,
    backslash_escapes=True,
    hash_comments=True,
    prefix_words=frozenset({"BINARY"}),
    bare_functions=_STANDARD | {"UTC_DATE", "UTC_TIME", "UTC_TIMESTAMP"},
)
_TSQL: Final = _ansi(
    brackets_name=True,
    assignments_name=True,
    transact=True,
    converts_type_first=True,
    use_names_catalog=True,
    scoping=Scoping(recursion_needs_no_word=True),
    bare_functions=_TODAY | {"CURRENT_USER", "SESSION_USER", "SYSTEM_USER", "USER"},
)
_ORACLE: Final = _ansi(
    prefix_words=_OF_HIERARCHIES,
    quoted_by_letter=True,
    bare_functions=_STANDARD
    | {"SYSDATE", "SYSTIMESTAMP", "USER", "UID", "ROWNUM", "LEVEL"}
    | {"DBTIMEZONE", "SESSIONTIMEZONE"},
    scoping=Scoping(recursion_needs_no_word=True),
)

DIALECTS: Final[Mapping[str, StatementGrammar]] = MappingProxyType(
    {
        "ansi": _ansi(use_names_catalog=True),
        "athena": _TRINO,
        "bigquery": _ansi(
            double_quotes_name=False,
            backslash_escapes=True,
            hash_comments=True,
            dotted_quotes=True,
            dashes_in_tables=True,
            trailing_commas=True,
            bare_functions=_TODAY | {"CURRENT_DATETIME"},
            scoping=Scoping(arrays_in_from=True, fields_have_positions=False),
        ),
        "clickhouse": _ansi(
            backslash_escapes=True, trailing_commas=True, bare_functions=_TODAY, scoping=_ALIASING
        ),
        "databricks": _SPARK,
        "db2": _ansi(
            bare_functions=_STANDARD | {f"CURRENT {word}" for word in _REGISTERS},
            scoping=Scoping(recursion_needs_no_word=True),
        ),
        "doris": _MYSQL,
        "duckdb": _ansi(trailing_commas=True, scoping=_ALIASING),
        "exasol": _ansi(bare_functions=_STANDARD | {"SYSDATE", "SYSTIMESTAMP", "ROWNUM", "LEVEL"}),
        "fabric": _TSQL,
        "flink": _ansi(),
        "greenplum": _POSTGRES,
        "hive": _HIVE,
        "impala": _grammar(
            Dialect.HIVE,
            backslash_escapes=True,
            bare_functions=_TODAY,
            scoping=Scoping(
                group_sees_aliases=False,
                arrays_in_from=True,
                names_by_position=True,
                fields_have_positions=False,
            ),
        ),
        "mariadb": _MYSQL,
        "materialize": _POSTGRES,
        "mysql": _MYSQL,
        "oracle": _ORACLE,
        "postgres": _POSTGRES,
        "presto": _TRINO,
        "redshift": _ansi(
            converts_type_first=True,
            bare_functions=_STANDARD | {"USER", "SYSDATE"},
            scoping=Scoping(
                aliases_in_items=True, arrays_in_from=True, fields_have_positions=False
            ),
        ),
        "risingwave": _POSTGRES,
        "singlestore": _MYSQL,
        "snowflake": _ansi(
            backslash_escapes=True,
            use_names_catalog=True,
            trailing_commas=True,
            numbered_columns=True,
            prefix_words=_OF_HIERARCHIES,
            scoping=Scoping(
                aliases_in_items=True, recursion_needs_no_word=True, fields_have_positions=False
            ),
        ),
        "spark": _SPARK,
        "sqlite": _ansi(bare_functions=_TODAY, scoping=Scoping(recursion_needs_no_word=True)),
        "starrocks": _MYSQL,
        "teradata": _ansi(
            infix={**_ANY, **{word: _ANY[symbol] for word, symbol in _COMPARED.items()}},
            phrases=True,
            abbreviations={"SEL": "SELECT", "INS": "INSERT", "UPD": "UPDATE", "DEL": "DELETE"},
            bare_functions=_STANDARD | {"DATE", "TIME", "USER", "DATABASE", "SESSION"},
            scoping=_ALIASING,
        ),
        "trino": _TRINO,
        "tsql": _TSQL,
        "vertica": _ansi(
            bare_functions=_STANDARD | {"SYSDATE", "USER"},
            scoping=Scoping(having_sees_aliases=False),
        ),
    }
)


def grammar_of(dialect: str) -> StatementGrammar:
    """The grammar of a dialect by its name.

    Raises:
        UnknownDialect: there is no such dialect.
    """
    found = DIALECTS.get(dialect.lower())
    if found is None:
        raise UnknownDialect(dialect)
    return found
