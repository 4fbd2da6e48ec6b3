"""Answers one request of ``analyze --batch``. Pure, except that it may read the clock for events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

from lakeschema.analysis.answers import ANALYSES, Chosen, column_json, statement_json
from lakeschema.analysis.catalog import KnownCatalog, KnownTable, Source, as_text, catalogs_of
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.dataflow import (
    ColumnDataflow,
    Dataflow,
    cumulative,
    dataflow_step,
    views_of,
)
from lakeschema.analysis.defence import UnknownRule, chosen_rules
from lakeschema.analysis.grants import Grants, MalformedGrants, read_grants
from lakeschema.analysis.openlineage import EventOptions, statement_event
from lakeschema.analysis.permissions import Views
from lakeschema.analysis.requests import is_texts, namespace_of, requested_grammar, sql_of
from lakeschema.analysis.scripts import Analysed, analyse
from lakeschema.analysis.syntax.dialects import StatementGrammar
from lakeschema.analysis.table_lineage import table_lineage
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.requests.batch_answers import (
    InvalidRequest,
    answered,
    check_keys,
    ending_with_memory,
)

_DATAFLOW = "dataflow"
_COLUMN_DATAFLOW = "column_dataflow"
_OPENLINEAGE = "openlineage"
_OF_ALL = (_DATAFLOW, _COLUMN_DATAFLOW, _OPENLINEAGE)
"""The analyses that have one result for all statements together."""
_KEYS = frozenset(
    {
        *("id", "sql", "dialect", "ddl", "tables", "namespace", "ask", "options", "rules"),
        *("aliases_in_items", "views", "grants", "user", _OPENLINEAGE),
    }
)


def answer(request: object) -> dict[str, Any]:
    """The answer to a request: ``{"id", "result"}`` or ``{"id", "error"}``; see ``answered``.

    The result has an object for each of the ``statements``, and their ``dataflow`` if requested. An
    unreadable statement has an ``error`` and does not stop the other statements.
    """
    return answered(request, _result)


def answer_requests(_: object) -> Callable[[Any], Any]:
    """The function with which a limited process answers requests."""
    return lambda request: answered(request, ending_with_memory(_result))


def _result(request: Mapping[str, Any]) -> dict[str, Any]:
    check_keys(request, _KEYS)
    sql = sql_of(request)
    grammar = _grammar(request)
    asked = _asked(request.get("ask"))
    conventions = _conventions(request.get("options", {}))
    grants, user = _granted(request)
    rules = rules_of(request.get("rules", {}))
    chosen = Chosen(conventions, rules, _views(request.get("views", "itself")), grants, user)
    catalog = _catalog(request, grammar)
    found = list(analyse(sql, grammar, catalog))
    of_each = tuple(name for name in asked if name not in _OF_ALL)
    result: dict[str, Any] = {
        "statements": [statement_json(each, of_each, chosen) for each in found]
    }
    if _DATAFLOW in asked:
        result[_DATAFLOW] = _dataflow(found, conventions)
    if _COLUMN_DATAFLOW in asked:
        result[_COLUMN_DATAFLOW] = _column_dataflow(found, conventions)
    if _OPENLINEAGE in asked:
        result[_OPENLINEAGE] = _events(found, conventions, _event_options(request))
    return result


def _events(
    found: list[Analysed], conventions: Conventions, options: EventOptions
) -> list[dict[str, Any]]:
    """The events of several statements: each statement is a separate job, named by its number."""
    namespace, name = options.job
    events = []
    for place, each in enumerate(found, start=1):
        job = (namespace, name if len(found) == 1 else f"{name}.{place}")
        events.append(statement_event(each, conventions, replace(options, job=job)))
    return [event for event in events if event is not None]


def _event_options(request: Mapping[str, Any]) -> EventOptions:
    """The event options of a request; an absent time comes from the clock."""
    stated = request.get(_OPENLINEAGE, {})
    allowed = ("event_time", "namespace", "job_namespace", "job", "run_id")
    if not isinstance(stated, dict) or not all(isinstance(v, str) for v in stated.values()):
        raise InvalidRequest(f"expected {_OPENLINEAGE!r} to be an object of texts")
    for name in stated:
        if name not in allowed:
            keys = ", ".join(allowed)
            raise InvalidRequest(f"unknown key {name!r} of {_OPENLINEAGE}; the keys are {keys}")
    namespace = stated.get("namespace", request.get("dialect", "ansi"))
    job = (
        stated.get("job_namespace", namespace),
        stated.get("job", str(request.get("id") or "statement")),
    )
    now = stated.get("event_time") or datetime.now(UTC).isoformat()
    return EventOptions(now, namespace, job, stated.get("run_id"))


def _dataflow(found: list[Analysed], conventions: Conventions) -> dict[str, list[str]]:
    steps: list[Dataflow] = []
    written: dict[Source, None] = {}
    for each in found:
        if each.resolved is not None:
            lineage = table_lineage(each.resolved, conventions)
            steps.append(dataflow_step(each.resolved, lineage, each.before))
            written.update(dict.fromkeys(lineage))
    if found:
        steps.append(views_of(found[-1].catalog, written))
    return {
        as_text(target): [as_text(source) for source in sources]
        for target, sources in cumulative(steps).items()
    }


def _column_dataflow(found: list[Analysed], conventions: Conventions) -> list[dict[str, Any]]:
    dataflow = ColumnDataflow(conventions)
    for each in found:
        if each.resolved is not None:
            dataflow.add(each.resolved, each.before)
    catalog = found[-1].catalog if found else KnownCatalog()
    return [
        {**column_json(column), "sources": [column_json(source) for source in sources]}
        for column, sources in dataflow.columns(catalog).items()
    ]


def _grammar(request: Mapping[str, Any]) -> StatementGrammar:
    grammar = requested_grammar(request, "ansi")
    aliases = request.get("aliases_in_items", grammar.scoping.aliases_in_items)
    if not isinstance(aliases, bool):
        raise InvalidRequest("expected 'aliases_in_items' to be true or false")
    return replace(grammar, scoping=replace(grammar.scoping, aliases_in_items=aliases))


def _asked(names: object) -> tuple[str, ...]:
    known = (*ANALYSES, *_OF_ALL)
    if names is None:
        # By default there are no events: they repeat the other analyses, for other programs.
        return known[:-1]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InvalidRequest("expected 'ask' to be a list of analyses")
    for name in names:
        if name not in known:
            raise InvalidRequest(f"unknown analysis {name!r}; the analyses are {', '.join(known)}")
    return tuple(names)


def _conventions(values: object) -> Conventions:
    if not isinstance(values, dict):
        raise InvalidRequest("expected 'options' to be an object")
    allowed = [field.name for field in fields(Conventions)]
    for name, value in values.items():
        if name not in allowed:
            raise InvalidRequest(f"unknown option {name!r}; the options are {', '.join(allowed)}")
        if not isinstance(value, bool):
            raise InvalidRequest(f"expected option {name!r} to be true or false, got {value!r}")
    return Conventions(**values)


def rules_of(values: object) -> frozenset[str]:
    """The rules of the analysis ``defence`` that are turned on.

    Raises:
        InvalidRequest: a rule is unknown, or its value is not a boolean.
    """
    if not isinstance(values, dict) or not all(isinstance(on, bool) for on in values.values()):
        raise InvalidRequest("expected 'rules' to be an object: name to true or false")
    try:
        return chosen_rules(values)
    except UnknownRule as error:
        raise InvalidRequest(str(error)) from None


def _views(value: object) -> Views:
    try:
        return Views(value)
    except ValueError:
        raise InvalidRequest("expected 'views' to be 'itself' or 'through'") from None


def _granted(request: Mapping[str, Any]) -> tuple[Grants | None, str]:
    """The grants, and the user to check."""
    user = request.get("user", "")
    if not isinstance(user, str):
        raise InvalidRequest("expected 'user' to be a text")
    if "grants" not in request:
        return None, user
    try:
        return read_grants(request["grants"]), user
    except MalformedGrants as error:
        raise InvalidRequest(f"grants: {error}") from None


def _catalog(request: Mapping[str, Any], grammar: StatementGrammar) -> KnownCatalog:
    namespace = namespace_of(request)
    tables = request.get("tables", {})
    if not isinstance(tables, dict) or not all(map(is_texts, tables.values())):
        raise InvalidRequest("expected 'tables' to be an object: name to a list of columns")
    catalog = KnownCatalog(namespace=namespace)
    for name, columns in tables.items():
        parsed = RelationName.parse(name, current_namespace=catalog.namespace)
        catalog = catalog.with_table(parsed, KnownTable(tuple(columns)))
    catalog = replace(catalog, catalogs=catalogs_of(catalog.tables))
    ddl = request.get("ddl", [])
    if not is_texts(ddl):
        raise InvalidRequest("expected 'ddl' to be a list of statements")
    for text in ddl:
        for each in analyse(text, grammar, catalog):
            if each.error is not None:
                raise each.error
            catalog = each.catalog
    return replace(catalog, namespace=namespace, created=frozenset())
