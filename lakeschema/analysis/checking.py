"""Checks statements before they run, in a process that keeps the catalog.

A question contains the catalog's changes since the previous question, and the request as bytes, so
that no other process parses untrusted input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

from lakeschema.analysis.answers import need_json, violation_json
from lakeschema.analysis.catalog import (
    NO_CATALOGS,
    CatalogNames,
    KnownCatalog,
    KnownTable,
    catalogs_of,
)
from lakeschema.analysis.defence import (
    UNKNOWN_STATEMENT,
    UNREADABLE,
    Severity,
    Violation,
    chosen_rules,
    defence,
)
from lakeschema.analysis.grants import Grants, read_grants
from lakeschema.analysis.permissions import Views, permissions
from lakeschema.analysis.requests import namespace_of, requested_grammar, sql_of
from lakeschema.analysis.scripts import analyse
from lakeschema.analysis.syntax.dialects import grammar_of
from lakeschema.catalog.identifiers import RelationName
from lakeschema.isolation.frames import Attached
from lakeschema.isolation.limits import Handler
from lakeschema.translation.requests.batch_answers import (
    InvalidRequest,
    answered,
    check_keys,
    ending_with_memory,
    parsed_request,
    refused,
)

HANDLER: Final = "check"

_KEYS: Final = frozenset({"sql", "dialect", "namespace", "user"})
_NO_STATEMENT: Final = Violation(
    UNREADABLE, Severity.ERROR, "the text has no statement", "send the statement in 'sql'", None
)


@dataclass(frozen=True, slots=True)
class Choices:
    """Settings for all requests.

    Attributes:
        dialect: the dialect of requests that name no dialect.
        rules: for the name of a rule, whether the rule is on.
        grants: the grants in the form of ``read_grants``; None if privileges are not checked, or
            with ``asks_grants``.
        asks_grants: whether an answer may request a user's grants, which the next question contains.
        catalogs: the names of catalogs in statements.
    """

    dialect: str
    max_bytes: int
    rules: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}))
    grants: object = None
    views: Views = Views.ITSELF
    asks_grants: bool = False
    catalogs: CatalogNames = field(default_factory=lambda: NO_CATALOGS)


def check_handler(choices: Choices) -> Handler:
    """The handler for a process.

    Raises:
        UnknownRule, UnknownDialect, MalformedGrants: a choice is invalid.
    """
    chosen_rules(choices.rules)
    grammar_of(choices.dialect)
    if choices.grants is not None:
        read_grants(choices.grants)
    plain = replace(choices, rules=dict(choices.rules), catalogs=dict(choices.catalogs))
    return Handler("lakeschema.analysis.checking:answer_checks", plain)


def table_value(table: KnownTable) -> Any:
    """A table in the form of questions."""
    columns = None if table.columns is None else list(table.columns)
    reads = [[str(relation), list(names)] for relation, names in table.reads]
    return [columns, list(table.partitions), table.is_view, reads]


def known_table(value: Any) -> KnownTable:
    """The table from which ``table_value`` made this value."""
    columns, partitions, is_view, reads = value
    return KnownTable(
        None if columns is None else tuple(columns),
        tuple(partitions),
        is_view,
        reads=tuple((RelationName.from_key(name), tuple(read)) for name, read in reads),
    )


def question(
    changed: Mapping[str, Any],
    removed: list[str],
    request: bytes | None,
    granted: Mapping[str, Any] = MappingProxyType({}),
    forgotten: Sequence[str] = (),
) -> Attached:
    """A question for the process, with the catalog's changes.

    Args:
        changed: the ``table_value`` of each changed table, by name.
        removed: the names of removed tables.
        request: a request; None if the process should only update its catalog.
        granted: the grants of users, by user, in the form of ``read_grants``.
        forgotten: users whose grants the process must drop.
    """
    is_asked = request is not None
    return Attached(
        [dict(changed), removed, dict(granted), list(forgotten), is_asked], request or b""
    )


# In the child


def answer_checks(choices: Choices) -> Callable[[Any], Any]:
    """The function with which the child answers a question: ``{"result"}`` or ``{"error"}``.

    The answer is null if the question has no request. The answer ``{"grants_of"}`` means: send the
    request again with this user's grants.
    """
    return Checker(choices).answer


class Checker:
    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        self._rules = chosen_rules(choices.rules)
        self._grants = None if choices.grants is None else read_grants(choices.grants)
        self._tables: dict[RelationName, KnownTable] = {}
        self._catalogs = choices.catalogs
        self._granted: dict[str, Grants] = {}

    def answer(self, asked: Attached) -> Any:
        changed, removed, granted, forgotten, is_asked = asked.value
        for user in forgotten:
            self._granted.pop(user, None)
        for user, value in granted.items():
            self._granted[user] = read_grants(value)
        for name in removed:
            self._tables.pop(RelationName.from_key(name), None)
        for name, value in changed.items():
            self._tables[RelationName.from_key(name)] = known_table(value)
        if changed or removed:
            self._catalogs = catalogs_of(self._tables, self._choices.catalogs)
        if not is_asked:
            return None
        try:
            request = parsed_request(asked.data)
        except InvalidRequest as error:
            return _without_id(refused(error))
        user = request.get("user") if isinstance(request, dict) else None
        if self._choices.asks_grants and isinstance(user, str) and user not in self._granted:
            return {"grants_of": user}
        return _without_id(answered(request, ending_with_memory(self._result)))

    def _result(self, request: Mapping[str, Any]) -> dict[str, Any]:
        check_keys(request, _KEYS)
        sql = sql_of(request)
        # The tables do not change during this: the process answers one request at a time.
        catalog = KnownCatalog(
            MappingProxyType(self._tables), namespace_of(request), catalogs=self._catalogs
        )
        user = request.get("user")
        if not (user is None or isinstance(user, str)):
            raise InvalidRequest("expected 'user' to be a text")
        grammar = requested_grammar(request, self._choices.dialect)
        grants = None if user is None else self._granted.get(user, self._grants)
        broken: list[Violation] = []
        missing: list[Any] = []
        is_empty = True
        for each in analyse(sql, grammar, catalog, self._choices.max_bytes):
            is_empty = False
            broken += defence(each, self._rules)
            if grants is not None and user is not None:
                needs = permissions(each, self._choices.views)
                missing += map(need_json, grants.missing(user, needs))
        if is_empty:
            broken.append(_NO_STATEMENT)
        if user is not None:
            broken = [_for_user(each) for each in broken]
        errors = [violation_json(each) for each in broken if each.severity is Severity.ERROR]
        warnings = [violation_json(each) for each in broken if each.severity is Severity.WARNING]
        found = {"ok": not (errors or missing), "violations": errors, "warnings": warnings}
        if grants is not None:
            found["missing_privileges"] = missing
        return found


def _for_user(violation: Violation) -> Violation:
    """The violation; an unknown statement is an error, because its privileges cannot be checked."""
    if violation.rule != UNKNOWN_STATEMENT:
        return violation
    return replace(violation, severity=Severity.ERROR)


def _without_id(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name != "id"}
