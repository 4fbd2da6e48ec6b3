"""Answers one request of ``translate --batch`` or ``POST /translate``.

The request contains the relations that it reads, or its ``Surroundings`` look them up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from lakeschema.avro.printing import to_json
from lakeschema.catalog.ddl_files import relations_from_ddl, relations_with_query
from lakeschema.catalog.ddl_state import QueryColumns
from lakeschema.catalog.identifiers import RelationName, check_parts
from lakeschema.catalog.relations import Dialect, Relation
from lakeschema.translation.deriving.derivation import derive_view
from lakeschema.translation.deriving.direct_deriver import DirectDeriver
from lakeschema.translation.deriving.made_tables import query_columns
from lakeschema.translation.deriving.with_upstreams import derive_with_upstreams
from lakeschema.translation.emission.hive.view import hive_view
from lakeschema.translation.emission.spark.view import spark_view
from lakeschema.translation.emission.trino.view import trino_view
from lakeschema.translation.model.errors import UnknownRelation
from lakeschema.translation.model.interface import Interface, Options, UdfResolver, ViewEvolution
from lakeschema.translation.plan.explain import explain
from lakeschema.translation.policies.reading import InvalidPolicies, read_policies
from lakeschema.translation.policies.rules import Policies, UnknownGroup
from lakeschema.translation.products.governed import govern
from lakeschema.translation.products.pig_scripts import (
    Read,
    read_with_upstreams,
    script_without_views,
    view_script,
)
from lakeschema.translation.requests.batch_answers import InvalidRequest, answered, check_keys
from lakeschema.translation.requests.limited_answers import DIALECTS, TARGETS, UNNAMED_QUERY
from lakeschema.translation.requests.lineage_answers import lineage_answer
from lakeschema.translation.requests.option_values import (
    InvalidOption,
    option_names,
    read_option,
    read_udf,
)
from lakeschema.translation.requests.stored_rows_answers import refresh_answer, stored_views_answer
from lakeschema.translation.requests.translated_json import (
    governed_answer,
    hive_answer,
    pig_answer,
    spark_answer,
    trino_answer,
)

_KEYS = frozenset({
    "id", "ddl", "query", "relation", "script", "to", "udfs", "options", "dialect", "policies", "group",
    "changed", "stored", "materialized",
})  # fmt: skip
_NAMESPACE = ("default",)
"""The namespace of names without one."""
_STORED_ROWS = frozenset({"changed", "stored", "materialized"})


class Surroundings(Protocol):
    """Looks up the relations that a request reads but does not contain."""

    def named(self, text: str, /) -> RelationName:
        """The relation that a person means by a text.

        Raises:
            CatalogError: the text is not a name, or names an unknown catalog.
        """

    def relations(self, names: Sequence[RelationName], /) -> Mapping[RelationName, Relation]:
        """The facts of the relations that exist."""

    def interfaces(self, names: Sequence[RelationName], /) -> Mapping[RelationName, Interface]:
        """The interfaces of these relations, as far as they were derived."""


class NoSurroundings:
    """The surroundings of requests that contain all relations that they read."""

    def named(self, text: str, /) -> RelationName:
        return RelationName.parse(text, current_namespace=_NAMESPACE)

    def relations(self, _: Sequence[RelationName], /) -> Mapping[RelationName, Relation]:
        return {}

    def interfaces(self, _: Sequence[RelationName], /) -> Mapping[RelationName, Interface]:
        return {}


def answer(
    request: object,
    udf_resolver: UdfResolver | None = None,
    policies: Policies | None = None,
) -> dict[str, Any]:
    """The answer to one request; see ``answered``.

    Args:
        request: a parsed JSON value.
        udf_resolver: the resolver of the deployment; requests cannot name one.
        policies: the deployment's policies for the readers of the answer. If they are given, a
            request must not state policies.
    """
    # No engine stored columns for a request's views, so the views follow their tables.
    options = Options(view_evolution=ViewEvolution.FOLLOW, udf_resolver=udf_resolver)
    return answered(request, lambda valid: translated(valid, options, NoSurroundings(), policies))


def translated(
    request: Mapping[str, Any],
    defaults: Options,
    surroundings: Surroundings,
    policies: Policies | None = None,
) -> Any:
    """The result of one request, as a JSON value.

    Args:
        request: see ``docs/emission.md``.
        defaults: values for options that the request leaves out.
        surroundings: look up relations that the request does not contain; may raise errors.
        policies: as in ``answer``.

    Raises:
        InvalidRequest: the request is malformed.
        TranslationError, CatalogError: there is no answer; the message says why.
    """
    check_keys(request, _KEYS)
    target = request.get("to", "avro")
    if target not in TARGETS:
        expected = ", ".join(map(repr, TARGETS))
        raise InvalidRequest(f"expected 'to' to be one of {expected}, got {target!r:.80}")
    options = _options(request.get("options", {}), request.get("udfs", {}), defaults)
    own = _relations(request, query_columns(DirectDeriver(options)))
    policies = _policies(request, policies)

    def read(names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        """The relations with these names, from the request or else from its surroundings."""
        others = [name for name in names if name not in own]
        found = surroundings.relations(others) if others else {}
        return {name: own[name] for name in names if name in own} | dict(found)

    if "script" in request:
        if policies is not None:
            raise InvalidRequest("policies apply to a relation, not to a 'script'")
        if _STORED_ROWS & set(request):
            raise InvalidRequest("stored rows belong to a relation, not to a 'script'")
        return _without_views(request, read, options)
    name = _name(request, own)
    if name not in own:
        name = surroundings.named(_text(request, "relation"))
    relations = {**own, **read([name])}
    if name not in relations:
        raise UnknownRelation(name, hint="the request does not create it")
    view = relations[name]
    if target != "avro" and not view.is_view and policies is None:
        raise InvalidRequest(
            f"{name} is a table, which each engine reads as it is: only 'avro' is available for tables",
            hint="with policies (--policies FILE) the other targets show what readers get",
        )
    if _STORED_ROWS & set(request):
        if policies is not None:
            raise InvalidRequest("policies apply to what readers get, but stored rows have more")
        return _of_stored_rows(request, name, target, read, options)
    if policies is not None:
        if target == "lineage":
            raise InvalidRequest("policies apply to rows, which 'lineage' does not have")
        # The policies name columns of tables, so all views down to the tables are needed.
        relations = {**relations, **read_with_upstreams([name], read, options)}
        return governed_answer(govern(name, relations, policies, options), target)
    if target == "pig":
        relations = {**relations, **read_with_upstreams([name], read, options)}
        derivations = derive_with_upstreams(name, relations, options)
        return pig_answer(view_script(name, relations, derivations, options))
    derivations = derive_with_upstreams(
        name, relations, options, interfaces=surroundings.interfaces
    )
    if target == "avro":
        return to_json(derivations[name].interface.schema)
    if target == "lineage":
        return lineage_answer(derivations[name])
    upstreams = {read: derivations[read].interface for read in derivations[name].upstreams}
    if target == "plan":
        return explain(derive_view(view, upstreams, options)[1])
    if target == "trino":
        return trino_answer(trino_view(view, upstreams, options))
    if target == "hive":
        return hive_answer(hive_view(view, upstreams, options))
    return spark_answer(spark_view(view, upstreams, options))


def _of_stored_rows(
    request: Mapping[str, Any], name: RelationName, target: str, read: Read, options: Options
) -> dict[str, Any]:
    """The refresh of a view, or a query over stored views."""
    if "materialized" not in request:
        if "changed" not in request:
            raise InvalidRequest("expected 'changed' with 'stored'")
        return refresh_answer(request, name, target, read, options)
    if {"changed", "stored"} & set(request):
        raise InvalidRequest("expected 'changed' or 'materialized', not both")
    return stored_views_answer(request, name, target, read, options)


def _without_views(request: Mapping[str, Any], read: Read, options: Options) -> dict[str, Any]:
    """A user's Pig script with each LOAD of a view replaced."""
    script = _text(request, "script")
    if {"relation", "query"} & set(request) or request.get("to") != "pig":
        raise InvalidRequest(
            "expected 'to' to be 'pig' with 'script', and neither 'relation' nor 'query'"
        )
    return {"script": script_without_views(script, read, options)}


def _policies(request: Mapping[str, Any], given: Policies | None) -> Policies | None:
    """The policies for the request's reader; None if neither the request nor the caller has policies."""
    if given is not None:
        if "policies" in request or "group" in request:
            raise InvalidRequest("the policies and the group are stated for all requests")
        return given
    group = _text(request, "group") if "group" in request else None
    if "policies" not in request:
        if group is not None:
            raise InvalidRequest("expected 'policies' with 'group'")
        return None
    try:
        return read_policies(request["policies"]).for_group(group)
    except (InvalidPolicies, UnknownGroup) as error:
        raise InvalidRequest(str(error)) from None


def _relations(
    request: Mapping[str, Any], columns: QueryColumns
) -> Mapping[RelationName, Relation]:
    ddl = request.get("ddl", [])
    if not isinstance(ddl, list) or not all(isinstance(text, str) for text in ddl):
        raise InvalidRequest("expected 'ddl' to be a list of statements")
    dialect = request.get("dialect", "hive")
    if dialect not in DIALECTS:
        expected = ", ".join(map(repr, DIALECTS))
        raise InvalidRequest(f"expected 'dialect' to be one of {expected}, got {dialect!r:.80}")
    if "query" not in request:
        return relations_from_ddl(ddl, Dialect(dialect), columns)
    query = _text(request, "query")
    return relations_with_query(ddl, _name(request, ()), query, Dialect(dialect), columns)


def _name(request: Mapping[str, Any], created: Iterable[RelationName]) -> RelationName:
    """The name of the relation that the request means.

    ``created`` has the relations that the request's ``ddl`` creates, in order.
    """
    if "relation" not in request:
        if "query" in request:
            return RelationName.parse(UNNAMED_QUERY)
        if names := tuple(created):
            return names[-1]
    name = RelationName.parse(_text(request, "relation"), current_namespace=_NAMESPACE)
    check_parts(name.parts)
    return name


def _text(request: Mapping[str, Any], key: str) -> str:
    value = request.get(key)
    if not isinstance(value, str) or not value:
        raise InvalidRequest(f"expected {key!r} to be a non-empty text")
    return value


def _options(values: object, udfs: object, defaults: Options) -> Options:
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
    return replace(defaults, **chosen, udfs={**defaults.udfs, **returned})
