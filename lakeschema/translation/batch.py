"""One request of ``translate --batch`` → its answer. Pure: the DDL comes with the request."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from lakeschema.avro.printing import to_json
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.errors import CatalogError
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation
from lakeschema.translation.derivation import derive_view
from lakeschema.translation.emission.spark_view import spark_view
from lakeschema.translation.errors import TranslationError, UnknownRelation
from lakeschema.translation.interface import (
    Interface,
    Options,
    UdfResolver,
    ViewEvolution,
)
from lakeschema.translation.option_values import InvalidOption, option_names, read_option, read_udf
from lakeschema.translation.plan.explain import explain
from lakeschema.translation.with_upstreams import derive_with_upstreams

_MAX_MESSAGE = 500
_KEYS = frozenset({"id", "ddl", "relation", "to", "udfs", "options", "dialect"})


class InvalidRequest(Exception):
    """The request itself is wrong; the message names the key, the value and what is allowed."""


def answer(request: object, udf_resolver: UdfResolver | None = None) -> dict[str, Any]:
    """``{"id", "result"}`` or ``{"id", "error": {"type", "message"}}``; never raises for content.

    A fault of ours is an ``InternalError``, with where it happened, so that it can be reported.

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
    except Exception as error:  # noqa: BLE001 (one request is one unit of work)
        return {"id": id_, "error": _internal_error(error)}


def _internal_error(error: Exception) -> dict[str, str]:
    frames = traceback.extract_tb(error.__traceback__)
    place = "" if not frames else f"{Path(frames[-1].filename).name}:{frames[-1].lineno}"
    return {
        "type": "InternalError",
        "message": f"{type(error).__name__}: {error}"[:_MAX_MESSAGE],
        "where": place,
        "hint": "a fault of this program, not of the request alone: report both",
    }


def _result(request: object, udf_resolver: UdfResolver | None) -> Any:
    if not isinstance(request, dict):
        raise InvalidRequest("expected a request to be a JSON object")
    unknown = sorted(set(request) - _KEYS)
    if unknown:
        allowed = ", ".join(sorted(_KEYS))
        raise InvalidRequest(f"unknown key {unknown[0]!r}; the keys are {allowed}")
    target = request.get("to", "avro")
    if target not in {"avro", "spark", "plan"}:
        raise InvalidRequest(f"expected 'to' to be 'avro', 'spark' or 'plan', got {target!r}")
    relations = _relations(request)
    name = _text(request, "relation")
    options = _options(request.get("options", {}), request.get("udfs", {}))
    options = replace(options, udf_resolver=udf_resolver)
    relation = RelationName.parse(name, current_namespace=("default",))
    if relation not in relations:
        raise UnknownRelation(relation, hint="the request's DDL does not create it")
    derivations = derive_with_upstreams(relation, relations, options)
    if target == "avro":
        return to_json(derivations[relation].interface.schema)
    view = relations[relation]
    if not view.is_view:
        raise InvalidRequest(f"{relation} is a table: only 'avro' is available for tables")
    upstreams = {name: derivations[name].interface for name in derivations[relation].upstreams}
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
        raise InvalidRequest("expected 'ddl' to be a list of statements")
    dialect = request.get("dialect", "hive")
    if dialect not in {"hive", "spark"}:
        raise InvalidRequest(f"expected 'dialect' to be 'hive' or 'spark', got {dialect!r}")
    return relations_from_ddl(ddl, Dialect(dialect))


def _text(request: dict[str, Any], key: str) -> str:
    value = request.get(key)
    if not isinstance(value, str) or not value:
        raise InvalidRequest(f"expected {key!r} to be a name")
    return value


def _options(values: object, udfs: object) -> Options:
    if not isinstance(values, dict):
        raise InvalidRequest("expected 'options' to be an object")
    if not isinstance(udfs, dict):
        raise InvalidRequest("expected 'udfs' to be an object: class name to what it returns")
    for key in values:
        if key not in option_names():
            raise InvalidRequest(
                f"unknown option {key!r}; the options are {', '.join(option_names())}"
            )
    try:
        chosen = {key: read_option(key, value) for key, value in values.items()}
        returned = {name: read_udf(name, value) for name, value in udfs.items()}
    except InvalidOption as error:
        raise InvalidRequest(str(error)) from None
    # No engine has stored the columns of a request's views: they follow their tables.
    return Options(**{"view_evolution": ViewEvolution.FOLLOW, **chosen}, udfs=returned)
