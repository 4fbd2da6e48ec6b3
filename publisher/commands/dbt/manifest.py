"""Reads the models and tables in dbt's ``target/manifest.json`` after ``dbt compile``.

It supports version 12 of the manifest's schema, which dbt 1.8 to 1.10 write.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from lakeschema.catalog.errors import MalformedName
from lakeschema.catalog.identifiers import RelationName

_TABLES: Final = frozenset({"seed", "snapshot"})
_INLINED: Final = "ephemeral"


class NotAManifest(Exception):
    """The file is not a manifest, or has the form of another release."""


@dataclass(frozen=True, slots=True)
class Table:
    """A relation that dbt does not make from a query: a source, a seed or a snapshot.

    Attributes:
        jinja: the Jinja expression with which models refer to the table.
        columns: names and types of the columns that have a ``data_type`` in the project.
    """

    id: str
    relation: RelationName
    jinja: str
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Model:
    """A model of the project, or of a package that it uses.

    Attributes:
        sql: the compiled text; "" if dbt has not compiled it.
        reads: the ids of the nodes that the model reads directly.
        path: the file's path in the folder of models.
        settings: the options of the model's file or folder that also apply to the other engine.
    """

    id: str
    name: str
    relation: RelationName
    jinja: str
    sql: str
    reads: tuple[str, ...]
    path: PurePosixPath
    folder: PurePosixPath
    materialized: str
    language: str
    is_own: bool
    settings: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Manifest:
    models: tuple[Model, ...]
    tables: tuple[Table, ...]


def read_manifest(text: bytes) -> Manifest:
    """The manifest in a text. Raises ``NotAManifest`` if the text is not one."""
    try:
        stated = json.loads(text)
        project = stated["metadata"]["project_name"]
        nodes = list(stated["nodes"].values())
        sources = [_source(each) for each in stated["sources"].values()]
        models = tuple(_model(each, project) for each in _models(nodes))
        tables = tuple(_table(each) for each in nodes if each["resource_type"] in _TABLES)
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
        raise NotAManifest(f"{type(error).__name__}: {error}") from None
    return Manifest(models, (*sources, *tables))


def _models(nodes: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The models, without ephemeral models, whose text is part of the models that read them."""
    for node in nodes:
        if node["resource_type"] == "model" and node["config"]["materialized"] != _INLINED:
            yield node


def _model(node: Mapping[str, Any], project: str) -> Model:
    path = PurePosixPath(node["path"])
    original = PurePosixPath(node["original_file_path"])
    if path.is_absolute() or ".." in path.parts:
        raise ValueError(f"a path that leads out of its folder: {node['path']!r}")
    config = node["config"]
    return Model(
        id=node["unique_id"],
        name=node["name"],
        relation=_relation(node),
        jinja=_reference(node, project),
        sql=node.get("compiled_code") or "",
        reads=tuple(node["depends_on"]["nodes"]),
        path=path,
        folder=PurePosixPath(*original.parts[: -len(path.parts)]),
        materialized=config["materialized"],
        language=node["language"],
        is_own=node["package_name"] == project,
        settings={key: config[key] for key in ("schema", "alias", "tags") if config.get(key)},
    )


def _reference(node: Mapping[str, Any], project: str) -> str:
    package = [] if node["package_name"] == project else [node["package_name"]]
    arguments = [jinja_text(each) for each in (*package, node["name"])]
    if node.get("version") is not None:
        arguments.append(f"v={jinja_text(str(node['version']))}")
    return f"{{{{ ref({', '.join(arguments)}) }}}}"


def _source(node: Mapping[str, Any]) -> Table:
    arguments = f"{jinja_text(node['source_name'])}, {jinja_text(node['name'])}"
    jinja = f"{{{{ source({arguments}) }}}}"
    return Table(node["unique_id"], _relation(node), jinja, _columns(node))


def _table(node: Mapping[str, Any]) -> Table:
    # This also works for a seed of another package: dbt finds it by its name alone.
    jinja = f"{{{{ ref({jinja_text(node['name'])}) }}}}"
    return Table(node["unique_id"], _relation(node), jinja, _columns(node))


def _columns(node: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The columns if all have a type; otherwise empty, because a part of them would be another table."""
    stated = [(each["name"], each.get("data_type")) for each in node["columns"].values()]
    return tuple(stated) if all(type_ for _, type_ in stated) else ()


def _relation(node: Mapping[str, Any]) -> RelationName:
    """The relation's name as in compiled texts: with or without its database, quoted or not."""
    try:
        return RelationName.parse(node["relation_name"].replace('"', "`"))
    except MalformedName as error:
        raise ValueError(str(error)) from None


def jinja_text(text: str) -> str:
    """The text as a literal of Jinja, which has the escapes of JSON."""
    return json.dumps(text)
