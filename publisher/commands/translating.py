"""Prints a view as another engine's text or as a schema, without policies or for a group of readers.

A table can only be printed under policies, as a view of all its columns.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.errors import TranslationError
from lakeschema.translation.policies.reading import InvalidPolicies, read_policies
from lakeschema.translation.policies.rules import Policies, UnknownGroup
from publisher.commands.arguments import names_near, relation_name, unknown_relation
from publisher.commands.failures import NO, USAGE_ERROR, Refused
from publisher.printable import printable

if TYPE_CHECKING:
    from lakeschema.catalog.relations import Catalog, Relation
    from lakeschema.translation.model.interface import Interface, Options

TARGETS: Final = ("avro", "plan", "spark", "trino", "hive", "pig")


def read_policy_file(path: Path | None, group: str | None) -> Policies | None:
    """The policies of a TOML file, for the group's readers or for readers without a group."""
    if path is None:
        if group is not None:
            raise Refused(USAGE_ERROR, "--group needs policies", "add --policies FILE")
        return None
    try:
        return read_every_policy(path).for_group(group)
    except UnknownGroup as error:
        raise Refused(USAGE_ERROR, f"--group: {error}") from error


def read_every_policy(path: Path) -> Policies:
    """The policies of a TOML file, for all readers."""
    try:
        return read_policies(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise Refused(USAGE_ERROR, f"--policies: {path}: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise Refused(USAGE_ERROR, f"--policies: {path} is not TOML: {error}") from error
    except InvalidPolicies as error:
        raise Refused(USAGE_ERROR, f"--policies: {path}: {error}") from error


def print_relation(
    relation: str, to: str, policies: Policies | None, config: Path | None, *, as_json: bool | None
) -> None:
    """Prints a relation for the target ``to``: as a file for the engine, or as JSON.

    The JSON is the ``result`` of ``translate --batch``. ``as_json``: None means a file on a terminal, and
    JSON elsewhere.
    """
    if to not in TARGETS:
        raise Refused(USAGE_ERROR, f"--to: expected one of {', '.join(TARGETS)}, got {to!r}")
    found = _answer(relation, to, policies, config)
    if as_json is None:
        as_json = not sys.stdout.isatty()
    if isinstance(found, dict) and to != "avro" and not as_json:
        found = "\n".join(_file_of(found)) + "\n"
    sys.stdout.write(found if isinstance(found, str) else json.dumps(found, indent=2) + "\n")


def _answer(relation: str, to: str, policies: Policies | None, config: Path | None) -> Any:
    from lakeschema.translation.products.pig_scripts import read_with_upstreams
    from lakeschema.translation.requests.batch import translated
    from lakeschema.translation.requests.batch_answers import InvalidRequest
    from publisher.daemon.adapters import build_options, open_catalog
    from publisher.settings import load_settings

    settings = load_settings(config)
    options = build_options(settings)
    name = relation_name(relation, settings)
    with open_catalog(settings) as catalog:
        relations = read_with_upstreams([name], catalog.read, options)
        if name not in relations:
            near = names_near(catalog, name)
            raise unknown_relation(f"the catalog has no relation {name}", name, near, "")
        if policies is not None:
            check_names(policies, catalog)
    try:
        around = _Upstreams(name, relations, options)
        return translated({"relation": relation, "to": to}, options, around, policies)
    except (InvalidRequest, TranslationError) as error:
        raise Refused(NO, str(error), error.hint) from error


def check_names(policies: Policies, catalog: Catalog) -> None:
    """Refuses unknown names: a misspelt name would leave a table without its mask."""
    named = {text: _in_policies(text) for text in policies.relations_named}
    known = catalog.read(sorted(named.values()))
    for text, each in sorted(named.items()):
        if each not in known:
            near = names_near(catalog, each)
            # Policies are in lower case; the catalog may keep capitals.
            if not any(str(name).lower() == str(each) for name in near):
                message = f"--policies: the catalog has no relation {text}"
                raise unknown_relation(message, each, near, "")


def _in_policies(text: str) -> RelationName:
    """The relation that a policy names: ``sales.orders``, or ``prod:sales.orders`` in a catalog."""
    catalog, _, dotted = text.rpartition(":")
    return replace(RelationName.of(*dotted.split(".")), catalog=catalog)


class _Upstreams:
    """Looks up the relation ``name`` and its upstreams for a request that contains neither."""

    def __init__(
        self, name: RelationName, relations: Mapping[RelationName, Relation], options: Options
    ) -> None:
        self._name = name
        self._relations = relations
        self._options = options

    def named(self, _: str, /) -> RelationName:
        return self._name

    def relations(self, names: Sequence[RelationName], /) -> Mapping[RelationName, Relation]:
        return {name: self._relations[name] for name in names if name in self._relations}

    def interfaces(self, names: Sequence[RelationName], /) -> Mapping[RelationName, Interface]:
        return {name: self._interface(name) for name in self.relations(names)}

    def _interface(self, name: RelationName) -> Interface:
        from lakeschema.translation.deriving.with_upstreams import derive_with_upstreams

        return derive_with_upstreams(name, self._relations, self._options)[name].interface


def _file_of(answer: dict[str, Any]) -> Iterator[str]:
    """The lines of a file for the engine.

    Comments with needs and the effects of policies come before the text.
    """
    for setting, value in answer.get("settings", {}).items():
        yield _comment(f"needs the setting {setting} = {value}")
    for function in answer.get("functions", ()):
        yield _comment(f"needs the function {function}")
    for udf in answer.get("udfs", ()):
        registered = f" as {udf['name']}" if "name" in udf else ""
        artifacts = ", ".join(udf["artifacts"])
        of_artifacts = f", from {artifacts}" if artifacts else ""
        yield _comment(f"needs the function {udf['class']}{registered}{of_artifacts}")
    yield from map(_comment, _effects(answer.get("policies", {})))
    if "sql" in answer:
        yield answer["sql"]
    else:
        yield from (*answer["defines"], *answer["statements"])


def _effects(policies: Mapping[str, Any]) -> Iterator[str]:
    for column in policies.get("columns", ()):
        for mask in column["masks"]:
            yield f"column {column['name']} has the mask {mask['mask']} of {mask['column']}"
    for dropped in policies.get("dropped", ()):
        yield f"column {dropped} is dropped"
    for filtered in policies.get("filtered", ()):
        yield f"some rows of {filtered} are left out"


def _comment(text: str) -> str:
    return f"-- {printable(text)}"
