"""Statements that are about to run → the rules that they break, in a process that keeps the catalog.

A question brings what changed in the catalog since the one before, and the request as its bytes:
neither the service nor anybody else parses what untrusted clients send.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from lakeschema.analysis.answers import violation_json
from lakeschema.analysis.catalog import KnownCatalog, KnownTable
from lakeschema.analysis.defence import chosen_rules, defence
from lakeschema.analysis.scripts import analyse
from lakeschema.analysis.syntax.dialects import StatementGrammar, UnknownDialect, grammar_of
from lakeschema.catalog.identifiers import RelationName
from lakeschema.isolation.frames import Attached
from lakeschema.isolation.limits import Handler
from lakeschema.translation.batch_answers import InvalidRequest, answered, check_keys

HANDLER: Final = "check"

_KEYS: Final = frozenset({"sql", "dialect", "namespace"})


@dataclass(frozen=True, slots=True)
class Choices:
    """What holds for every request.

    Attributes:
        dialect: of requests that name none.
        rules: turned on or off, by name.
    """

    dialect: str
    max_bytes: int
    rules: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}))


def check_handler(choices: Choices) -> Handler:
    """How a process answers.

    Raises:
        UnknownRule, UnknownDialect: a choice means nothing.
    """
    chosen_rules(choices.rules)
    grammar_of(choices.dialect)
    plain = (choices.dialect, choices.max_bytes, dict(choices.rules))
    return Handler("lakeschema.analysis.checking:answer_checks", plain)


def table_value(table: KnownTable) -> Any:
    """A table as a question has it."""
    columns = None if table.columns is None else list(table.columns)
    return [columns, list(table.partitions), table.is_view]


def question(changed: Mapping[str, Any], removed: list[str], request: bytes) -> Attached:
    """``changed``: by name, each a ``table_value``."""
    return Attached([dict(changed), removed], request)


# In the child


def answer_checks(plain: tuple[str, int, dict[str, bool]]) -> Callable[[Any], Any]:
    """The child's function: a question to ``{"result"}``, ``{"error"}``, or null for no request."""
    dialect, max_bytes, rules = plain
    return Checker(Choices(dialect, max_bytes, rules)).answer


class Checker:
    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        self._rules = chosen_rules(choices.rules)
        self._tables: dict[RelationName, KnownTable] = {}

    def answer(self, asked: Attached) -> Any:
        changed, removed = asked.value
        for name in removed:
            self._tables.pop(RelationName.parse(name), None)
        for name, (columns, partitions, is_view) in changed.items():
            known = None if columns is None else tuple(columns)
            table = KnownTable(known, tuple(partitions), is_view)
            self._tables[RelationName.parse(name)] = table
        if not asked.data:
            return None
        found = answered(_parsed(asked.data), self._result)
        found.pop("id")
        return found

    def _result(self, request: Mapping[str, Any]) -> dict[str, Any]:
        check_keys(request, _KEYS)
        sql = request.get("sql")
        if not isinstance(sql, str):
            raise InvalidRequest("expected 'sql' to be a text")
        namespace = request.get("namespace", [])
        if not isinstance(namespace, list) or not all(isinstance(n, str) for n in namespace):
            raise InvalidRequest("expected 'namespace' to be a list of names")
        # Nobody changes the tables while the catalog is in use: one request is answered at a time.
        catalog = KnownCatalog(
            MappingProxyType(self._tables), tuple(name.lower() for name in namespace)
        )
        violations = [
            violation
            for each in analyse(sql, self._grammar(request), catalog, self._choices.max_bytes)
            for violation in defence(each, self._rules)
        ]
        return {
            "ok": not violations,
            "violations": [violation_json(violation) for violation in violations],
        }

    def _grammar(self, request: Mapping[str, Any]) -> StatementGrammar:
        dialect = request.get("dialect", self._choices.dialect)
        if not isinstance(dialect, str):
            raise InvalidRequest("expected 'dialect' to be a text")
        try:
            return grammar_of(dialect)
        except UnknownDialect as error:
            raise InvalidRequest(str(error)) from None


def _parsed(request: bytes) -> object:
    """What the bytes say; what is not JSON is refused like any other value that is no object."""
    try:
        return json.loads(request)
    except (ValueError, RecursionError):
        return None
