"""Reads the parts that requests about statements share: text, dialect, namespace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lakeschema.analysis.syntax.dialects import StatementGrammar, UnknownDialect, grammar_of
from lakeschema.translation.requests.batch_answers import InvalidRequest


def sql_of(request: Mapping[str, Any]) -> str:
    """The statements of a request.

    Raises:
        InvalidRequest: the request has no statements.
    """
    sql = request.get("sql")
    if not isinstance(sql, str):
        raise InvalidRequest("expected 'sql' to be a text")
    return sql


def requested_grammar(request: Mapping[str, Any], default: str) -> StatementGrammar:
    """The grammar of a request's dialect.

    Raises:
        InvalidRequest: there is no such dialect.
    """
    dialect = request.get("dialect", default)
    if not isinstance(dialect, str):
        raise InvalidRequest("expected 'dialect' to be a text")
    try:
        return grammar_of(dialect)
    except UnknownDialect as error:
        raise InvalidRequest(str(error)) from None


def namespace_of(request: Mapping[str, Any]) -> tuple[str, ...]:
    """The namespace for bare names, in lower case.

    Raises:
        InvalidRequest: the namespace is not a list of names.
    """
    namespace = request.get("namespace", [])
    if not is_texts(namespace):
        raise InvalidRequest("expected 'namespace' to be a list of names")
    return tuple(name.lower() for name in namespace)


def is_texts(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)
