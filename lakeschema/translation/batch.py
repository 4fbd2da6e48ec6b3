"""One request of ``translate --batch`` → its answer. Pure: the DDL comes with the request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import Enum
from typing import Any

from lakeschema.avro.printing import to_json
from lakeschema.catalog.column_types import parse_type
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.errors import CatalogError
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation
from lakeschema.translation.derivation import derive_view
from lakeschema.translation.emission.spark_view import spark_view
from lakeschema.translation.emission.udf_rules import rule_problem
from lakeschema.translation.errors import TranslationError, UnknownRelation
from lakeschema.translation.interface import (
    Casing,
    Interface,
    Nullability,
    Options,
    Returns,
    ReturnsArgument,
    ReturnsRows,
    SparkUdfRule,
    UdfResolver,
    UdfReturn,
    ViewEvolution,
)
from lakeschema.translation.plan.explain import explain
from lakeschema.translation.upstream_first import derive_with_upstreams

_KEYS = frozenset({"id", "ddl", "relation", "to", "udfs", "options", "dialect"})


class InvalidRequest(Exception):
    """The request itself is wrong; the message names the key, the value and what is allowed."""


def answer(request: object, udf_resolver: UdfResolver | None = None) -> dict[str, Any]:
    """``{"id", "result"}`` or ``{"id", "error": {"type", "message"}}``; never raises for content.

    ``udf_resolver`` is the deployment's; a request cannot name one.
    """
    id_ = request.get("id") if isinstance(request, dict) else None
    try:
        return {"id": id_, "result": _result(request, udf_resolver)}
    except (InvalidRequest, TranslationError, CatalogError) as error:
        message = str(error)
        hint = getattr(error, "hint", "")
        shown = {"type": type(error).__name__, "message": message}
        return {"id": id_, "error": {**shown, "hint": hint} if hint else shown}


def _result(request: object, udf_resolver: UdfResolver | None) -> Any:
    if not isinstance(request, dict):
        raise InvalidRequest("a request is a JSON object")
    unknown = sorted(set(request) - _KEYS)
    if unknown:
        allowed = ", ".join(sorted(_KEYS))
        raise InvalidRequest(f"unknown key {unknown[0]!r}; the keys are {allowed}")
    target = request.get("to", "avro")
    if target not in {"avro", "spark", "plan"}:
        raise InvalidRequest(f"'to' is {target!r}; this version answers 'avro', 'spark' and 'plan'")
    relations = _relations(request)
    name = _text(request, "relation")
    options = _options(request.get("options", {}), request.get("udfs", {}))
    options = replace(options, udf_resolver=udf_resolver)
    wanted = RelationName.parse(name, current_namespace=("default",))
    if wanted not in relations:
        raise UnknownRelation(wanted, hint="the request's DDL does not create it")
    derivations = derive_with_upstreams(wanted, relations, options)
    if target == "avro":
        return to_json(derivations[wanted].interface.schema)
    view = relations[wanted]
    if not view.is_view:
        raise InvalidRequest(f"{wanted} is a table, which is read as it is: ask for 'avro'")
    upstreams = {name: derivations[name].interface for name in derivations[wanted].upstreams}
    if target == "plan":
        return explain(derive_view(view, upstreams, options)[1])
    return _spark(view, upstreams, options)


def _spark(
    view: Relation, upstreams: Mapping[RelationName, Interface], options: Options
) -> dict[str, Any]:
    """``sql``, ``udfs`` to register (name, class, artifacts), ``settings`` and ``schema`` (DDL)."""
    query = spark_view(view, upstreams, options)
    return {
        "sql": query.sql,
        "udfs": [
            {"name": udf.name, "class": udf.class_name, "artifacts": list(udf.artifacts)}
            for udf in query.udfs
        ],
        "settings": dict(query.settings),
        "schema": query.schema,
    }


def _relations(request: dict[str, Any]) -> Mapping[RelationName, Relation]:
    ddl = request.get("ddl")
    if not isinstance(ddl, list) or not all(isinstance(text, str) for text in ddl):
        raise InvalidRequest("'ddl' is a list of statements")
    dialect = request.get("dialect", "hive")
    if dialect not in {"hive", "spark"}:
        raise InvalidRequest(f"'dialect' is {dialect!r}; it is 'hive' or 'spark'")
    return relations_from_ddl(ddl, Dialect(dialect))


def _text(request: dict[str, Any], key: str) -> str:
    value = request.get(key)
    if not isinstance(value, str) or not value:
        raise InvalidRequest(f"{key!r} is a name")
    return value


def _options(values: object, udfs: object) -> Options:
    if not isinstance(values, dict):
        raise InvalidRequest("'options' is an object")
    if not isinstance(udfs, dict):
        raise InvalidRequest("'udfs' is an object: class name to what it returns")
    chosen: dict[str, Any] = {}
    for key, value in values.items():
        if key not in _READERS:
            raise InvalidRequest(f"unknown option {key!r}; the options are {sorted(_READERS)}")
        chosen[key] = _READERS[key](key, value)
    # A folder of statements has no engine that remembers columns: views follow their tables.
    chosen.setdefault("view_evolution", ViewEvolution.FOLLOW)
    return Options(**chosen, udfs={name: udf_return(name, value) for name, value in udfs.items()})


def _choice(kind: type[Enum]) -> Callable[[str, object], Enum]:
    def read(key: str, value: object) -> Enum:
        for member in kind:
            if member.value == value:
                return member
        choices = [member.value for member in kind]
        raise InvalidRequest(f"option {key!r} is {value!r}; it is one of {choices}")

    return read


def _flag(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidRequest(f"option {key!r} is {value!r}; it is true or false")
    return value


def _unit(key: str, value: object) -> str:
    if value not in {"millis", "micros"}:
        raise InvalidRequest(f"option {key!r} is {value!r}; it is one of ['millis', 'micros']")
    return str(value)


def _size(key: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InvalidRequest(f"option {key!r} is {value!r}; it is a number of bytes")
    return value


def _rules(key: str, value: object) -> tuple[SparkUdfRule, ...]:
    if not isinstance(value, list):
        raise InvalidRequest(f"option {key!r} is a list of rules")
    return tuple(_rule(rule) for rule in value)


def _rule(value: object) -> SparkUdfRule:
    if (
        not isinstance(value, dict)
        or not isinstance(value.get("class"), str)
        or not set(value) <= _RULE_KEYS
        or not all(isinstance(text, str) for text in value.values())
    ):
        raise InvalidRequest(
            f"rule {value!r:.200} of option 'spark_udfs' is no object of texts with 'class' and"
            " any of 'dependency', 'spark_class', 'spark_dependency'"
        )
    rule = SparkUdfRule(
        value["class"],
        value.get("dependency"),
        value.get("spark_class"),
        value.get("spark_dependency"),
    )
    problem = rule_problem(rule)
    if problem is not None:
        raise InvalidRequest(f"rule {value!r:.200} of option 'spark_udfs': {problem}")
    return rule


_RULE_KEYS = frozenset({"class", "dependency", "spark_class", "spark_dependency"})
_READERS: Mapping[str, Callable[[str, object], Any]] = {
    "casing": _choice(Casing),
    "nullability": _choice(Nullability),
    "view_evolution": _choice(ViewEvolution),
    "strict": _flag,
    "local_timestamps": _flag,
    "timestamp_unit": _unit,
    "max_sql_bytes": _size,
    "spark_udfs": _rules,
}


def udf_return(name: str, value: object) -> UdfReturn:
    match value:
        case {"returns": str(text), **rest} if not rest:
            return Returns(parse_type(text))
        case {"returns_argument": int(index), **rest} if not rest and not isinstance(index, bool):
            return ReturnsArgument(index)
        case {"returns_rows": str(text), **rest} if not rest:
            return ReturnsRows(parse_type(text))
        case _:
            raise InvalidRequest(
                f"udf {name!r} is {value!r}; it is one of"
                ' {"returns": TYPE}, {"returns_argument": INDEX}, {"returns_rows": STRUCT}'
            )
