"""Translates the models of a manifest, and writes the answers as models for Trino.

In answers, names of relations begin with a catalog name that occurs nowhere else. These names
become the project's ``ref`` and ``source``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from lakeschema.catalog.identifiers import RelationName
from publisher.commands.dbt.manifest import Manifest, Model, Table

MARK: Final = "{# written by schema-publisher dbt #}"
"""The first line of each written file, which identifies it later."""

_MATERIALIZED: Final = frozenset({"view", "table"})
_JINJA: Final = re.compile(r"\{(?=[{%#])")

Ask = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""A function that answers a request of ``translate --batch``."""


@dataclass(frozen=True, slots=True)
class Written:
    """A file of a model; ``path`` is in the folder of models."""

    path: PurePosixPath
    text: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A model without a file, and the reason."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Choices:
    """Options for all models.

    Attributes:
        dialect: the models' dialect.
        token: letters that occur in no text, such as random letters.
    """

    dialect: str
    token: str


@dataclass(frozen=True, slots=True)
class _Project:
    """The project. ``catalogs`` has each catalog's name in the answers; "" means no catalog."""

    nodes: Mapping[str, Model | Table]
    catalogs: Mapping[str, str]

    @classmethod
    def of(cls, manifest: Manifest, token: str) -> _Project:
        nodes: dict[str, Model | Table] = {each.id: each for each in manifest.tables}
        nodes |= {each.id: each for each in manifest.models}
        stated = {".".join(each.relation.namespace[:-1]) for each in nodes.values()}
        catalogs = {name: f"{token}{n}" for n, name in enumerate(sorted({"", *stated}))}
        return cls(nodes, catalogs)


def write_models(
    manifest: Manifest, ask: Ask, choices: Choices
) -> tuple[Sequence[Written], Sequence[Skipped]]:
    """The files of the project's models by path, and the skipped models in the manifest's order."""
    project = _Project.of(manifest, choices.token)
    reasons: dict[str, str] = {}
    written: list[Written] = []
    for model in _upstream_first(manifest.models):
        found = _written(model, project, reasons, ask, choices)
        if isinstance(found, str):
            reasons[model.id] = found
        elif model.is_own:
            written.append(found)
    skipped = [Skipped(m.name, reasons[m.id]) for m in manifest.models if m.id in reasons]
    return sorted(written, key=lambda each: each.path), skipped


def _written(
    model: Model, project: _Project, reasons: Mapping[str, str], ask: Ask, choices: Choices
) -> Written | str:
    """The file of a model, or the reason why it is skipped."""
    if model.language != "sql":
        return f"it is written in {model.language}"
    if model.materialized not in _MATERIALIZED:
        return f"it is materialized as {model.materialized!r}: views and tables are translated"
    if not model.sql:
        return "dbt has not compiled it: run dbt compile"
    missing = [project.nodes[each] for each in model.reads if each in reasons]
    if missing:
        return f"it reads {missing[0].relation}, which is skipped"
    answer = ask(_question(model, project, choices))
    if "error" in answer:
        error = answer["error"]
        hint = error.get("hint", "")
        return f"{error['message']} ({hint})" if hint else str(error["message"])
    return Written(model.path, _text(model, answer["result"]["sql"], project))


def _question(model: Model, project: _Project, choices: Choices) -> Mapping[str, Any]:
    """The question with all upstreams of the model: views, and tables with known columns."""
    upstreams = [project.nodes[each] for each in _upstreams(model, project.nodes)]
    brought = [each for each in upstreams if isinstance(each, Model) or each.columns]
    databases = dict.fromkeys(_quoted(each.relation.namespace) for each in brought)
    return {
        "id": model.id,
        "ddl": [
            *(f"CREATE DATABASE IF NOT EXISTS {name}" for name in databases),
            *(_ddl(each) for each in brought),
        ],
        "query": model.sql,
        "relation": _quoted(model.relation.parts),
        "dialect": choices.dialect,
        "to": "trino",
        "options": {"trino_catalogs": dict(project.catalogs)},
    }


def _ddl(node: Model | Table) -> str:
    name = _quoted(node.relation.parts)
    if isinstance(node, Model):
        # On a separate line, because the text may end with a comment.
        return f"CREATE VIEW {name} AS\n{node.sql}\n"
    columns = ", ".join(f"{_quoted([column])} {type_}" for column, type_ in node.columns)
    return f"CREATE TABLE {name} ({columns})"


def _text(model: Model, sql: str, project: _Project) -> str:
    settings = {"materialized": model.materialized, **model.settings}
    chosen = ", ".join(f"{key}={json.dumps(value)}" for key, value in settings.items())
    source = str(model.folder / model.path).replace("#}", "# }")
    return f"{MARK}\n{{# from {source} #}}\n{{{{ config({chosen}) }}}}\n{_named(sql, project)}\n"


def _named(sql: str, project: _Project) -> str:
    """The text with ``ref`` and ``source`` for the project's relations; all else is escaped for Jinja."""
    jinja = {each.relation: each.jinja for each in project.nodes.values()}
    catalogs = {token: catalog for catalog, token in project.catalogs.items()}
    identifier = r'"((?:[^"]|"")*)"'
    relation = re.compile(rf'"({"|".join(catalogs)})"\.{identifier}\.{identifier}')
    found: list[str] = []
    end = 0
    for match in relation.finditer(sql):
        catalog = catalogs[match[1]]
        parts = [*catalog.split("."), *(part.replace('""', '"') for part in match.groups()[1:])]
        parts = [part for part in parts if part]
        named = jinja.get(RelationName.of(*parts))
        # A relation that the project does not define keeps its name.
        found += [_plain(sql[end : match.start()]), named or _plain(_trino_name(parts))]
        end = match.end()
    return "".join((*found, _plain(sql[end:])))


def _trino_name(parts: Sequence[str]) -> str:
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts)


def _plain(text: str) -> str:
    return _JINJA.sub('{{ "{" }}', text)


def _upstreams(model: Model, nodes: Mapping[str, Model | Table]) -> Sequence[str]:
    """The ids of all upstreams of the model, each after its own upstreams."""
    found: dict[str, None] = {}
    frontier = [(each, False) for each in reversed(model.reads)]
    while frontier:
        id_, is_done = frontier.pop()
        node = nodes.get(id_)
        if node is None or id_ in found:
            continue
        if is_done or isinstance(node, Table):
            found[id_] = None
            continue
        frontier += [(id_, True), *((each, False) for each in reversed(node.reads))]
    return tuple(found)


def _upstream_first(models: Iterable[Model]) -> Sequence[Model]:
    by_id = {model.id: model for model in models}
    found: dict[str, Model] = {}
    for model in by_id.values():
        for id_ in (*_upstreams(model, by_id), model.id):
            found[id_] = by_id[id_]
    return tuple(found.values())


def _quoted(parts: Sequence[str]) -> str:
    return ".".join("`" + part.replace("`", "``") + "`" for part in parts)
