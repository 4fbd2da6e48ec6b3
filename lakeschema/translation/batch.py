"""One request of ``translate --batch`` → its answer. Pure: the DDL comes with the request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lakeschema.avro.printing import to_json
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation
from lakeschema.translation.batch_answers import InvalidRequest, answered, check_keys
from lakeschema.translation.derivation import derive_view
from lakeschema.translation.emission.spark_view import spark_view
from lakeschema.translation.emission.trino.view import trino_view
from lakeschema.translation.errors import UnknownRelation
from lakeschema.translation.governed import govern
from lakeschema.translation.interface import Options, UdfResolver, ViewEvolution
from lakeschema.translation.option_values import InvalidOption, option_names, read_option, read_udf
from lakeschema.translation.pig_scripts import script_without_views, view_script
from lakeschema.translation.plan.explain import explain
from lakeschema.translation.policies.reading import InvalidPolicies, read_policies
from lakeschema.translation.policies.rules import Policies, UnknownGroup
from lakeschema.translation.translated_json import (
    governed_answer,
    pig_answer,
    spark_answer,
    trino_answer,
)
from lakeschema.translation.with_upstreams import derive_with_upstreams

_TARGETS = ("avro", "spark", "trino", "pig", "plan")
_KEYS = frozenset(
    {"id", "ddl", "relation", "script", "to", "udfs", "options", "dialect", "policies", "group"}
)


def answer(
    request: object,
    udf_resolver: UdfResolver | None = None,
    policies: Policies | None = None,
) -> dict[str, Any]:
    """One answer; see ``answered``.

    Args:
        request: as JSON has it.
        udf_resolver: the deployment's; no request names one.
        policies: the deployment's, for the readers of these answers; a request then states none.
    """
    return answered(request, lambda valid: _result(valid, udf_resolver, policies))


def _result(
    request: Mapping[str, Any], udf_resolver: UdfResolver | None, policies: Policies | None
) -> Any:
    check_keys(request, _KEYS)
    target = request.get("to", "avro")
    if target not in _TARGETS:
        expected = ", ".join(map(repr, _TARGETS))
        raise InvalidRequest(f"expected 'to' to be one of {expected}, got {target!r}")
    relations = _relations(request)
    options = _options(request.get("options", {}), request.get("udfs", {}))
    options = replace(options, udf_resolver=udf_resolver)
    policies = _policies(request, policies)
    if "script" in request:
        if policies is not None:
            raise InvalidRequest("policies are of a relation, not of a 'script'")
        return _without_views(request, relations, options)
    name = _text(request, "relation")
    relation = RelationName.parse(name, current_namespace=("default",))
    if relation not in relations:
        raise UnknownRelation(relation, hint="the request's DDL does not create it")
    view = relations[relation]
    if target != "avro" and not view.is_view:
        raise InvalidRequest(f"{relation} is a table: only 'avro' is available for tables")
    if policies is not None:
        return governed_answer(govern(relation, relations, policies, options), target)
    derivations = derive_with_upstreams(relation, relations, options)
    if target == "avro":
        return to_json(derivations[relation].interface.schema)
    upstreams = {name: derivations[name].interface for name in derivations[relation].upstreams}
    if target == "pig":
        return pig_answer(view_script(relation, relations, derivations, options))
    if target == "plan":
        return explain(derive_view(view, upstreams, options)[1])
    if target == "trino":
        return trino_answer(trino_view(view, upstreams, options))
    return spark_answer(spark_view(view, upstreams, options))


def _without_views(
    request: Mapping[str, Any], relations: Mapping[RelationName, Relation], options: Options
) -> dict[str, Any]:
    """A user's script, its LOADs of views replaced."""
    script = _text(request, "script")
    if "relation" in request or request.get("to") != "pig":
        raise InvalidRequest("expected 'to' to be 'pig' beside 'script', and no 'relation'")

    def read(names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        return {name: relations[name] for name in names if name in relations}

    return {"script": script_without_views(script, read, options)}


def _policies(request: Mapping[str, Any], given: Policies | None) -> Policies | None:
    """Those for the request's reader; None where there are none."""
    if given is not None:
        if "policies" in request or "group" in request:
            raise InvalidRequest("the policies and the group are stated for all requests")
        return given
    group = _text(request, "group") if "group" in request else None
    if "policies" not in request:
        if group is not None:
            raise InvalidRequest("expected 'policies' beside 'group'")
        return None
    try:
        return read_policies(request["policies"]).for_group(group)
    except (InvalidPolicies, UnknownGroup) as error:
        raise InvalidRequest(str(error)) from None


def _relations(request: Mapping[str, Any]) -> Mapping[RelationName, Relation]:
    ddl = request.get("ddl")
    if not isinstance(ddl, list) or not all(isinstance(text, str) for text in ddl):
        raise InvalidRequest("expected 'ddl' to be a list of statements")
    dialect = request.get("dialect", "hive")
    if dialect not in {"hive", "spark", "trino"}:
        raise InvalidRequest(
            f"expected 'dialect' to be 'hive', 'spark' or 'trino', got {dialect!r}"
        )
    return relations_from_ddl(ddl, Dialect(dialect))


def _text(request: Mapping[str, Any], key: str) -> str:
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
