"""Reads a project's folder: ``project.toml``, and for each view a query and its description.

A description is a ``.toml`` file next to the query. So every editor and engine can run the query as it is.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lakeschema.catalog.column_types import parse_type
from lakeschema.catalog.errors import MalformedType
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.functions.artifacts import parse_artifact
from publisher.commands.failures import NO, USAGE_ERROR, Refused
from publisher.commands.projects.queries import problems_of_query, query_of
from publisher.commands.projects.values import Problem, Project, Udf, ViewSource
from publisher.settings.problems import in_plain_words
from publisher.similar_names import did_you_mean, likely_names

FILE = "project.toml"
VIEWS = "views"
PROJECT_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}", re.ASCII)
_WORD = re.compile(r"[a-z_][a-z0-9_]{0,127}", re.ASCII)
_FUNCTION = re.compile(r"[A-Za-z_]\w{0,127}", re.ASCII)
_CLASS = re.compile(r"[\w$]+(?:\.[\w$]+)*", re.ASCII)
_OWN_PROPERTIES = ("functions", "dependencies", "comment", "schema-publisher.applied.")
_OTHER_ENDINGS = frozenset({".sql", ".hql", ".ddl"})
"""Ends of names, in lower case, of files that would be queries if their names ended in ``.sql``."""

_Model = TypeVar("_Model", bound=BaseModel)


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _ProjectFile(_Table):
    name: str = Field(pattern=f"^{PROJECT_NAME.pattern}$")
    version: str = Field(default="1.0.0", pattern=r"^\d+\.\d+\.\d+$")
    database: str = Field(pattern=r"^[a-z_][a-z0-9_]*$")
    owner: str = Field(min_length=1, max_length=128)
    dialect: Literal["hive", "spark"] = "hive"
    repositories: tuple[str, ...] = ()
    deployment: str = "schema-publisher.toml"
    catalog: str = ""


class _UdfTable(_Table):
    artifact: str
    functions: dict[str, str] = Field(min_length=1)


class _ViewFile(_Table):
    database: str | None = Field(default=None, pattern=r"^[a-z_][a-z0-9_]*$")
    owner: str | None = Field(default=None, min_length=1, max_length=128)
    comment: str | None = None
    udfs: tuple[_UdfTable, ...] = ()
    properties: dict[str, str] = Field(default_factory=dict)
    columns: dict[str, str] | None = None
    comments: dict[str, str] = Field(default_factory=dict)


def read_project(folder: Path) -> Project:
    """Reads the project in a folder.

    Views with problems are left out: ``readable_project`` refuses them.

    Raises:
        Refused: the folder has no project, or its ``project.toml`` has problems.
    """
    file = folder / FILE
    if not file.is_file():
        why = f"{folder} has no {FILE}"
        raise Refused(USAGE_ERROR, why, "name a project's folder, or begin with project init")
    problems: list[Problem] = []
    settings = _read(file, FILE, _ProjectFile, problems)
    if settings is None:
        raise _refused(problems)
    views = [
        view
        for path in sorted((folder / VIEWS).rglob("*.sql"))
        if (view := _view(path, folder, settings, problems)) is not None
    ]
    problems += [*_unread(folder), *_lonely(folder), *_same_names(views)]
    if not views and not problems:
        problems.append(Problem(VIEWS, "there is no .sql file: a project has a file for each view"))
    return Project(
        folder,
        settings.name,
        settings.version,
        settings.database,
        settings.owner,
        Dialect(settings.dialect),
        settings.repositories,
        folder / settings.deployment,
        views,
        sorted(problems),
        settings.catalog,
    )


def readable_project(folder: Path) -> Project:
    """The project in a folder.

    Raises:
        Refused: also if a view's files have problems; the message has all of them.
    """
    project = read_project(folder)
    if project.problems:
        raise _refused(project.problems)
    return project


def _refused(problems: Sequence[Problem]) -> Refused:
    return Refused(NO, "\n".join(map(str, sorted(problems))))


def _view(
    path: Path, folder: Path, settings: _ProjectFile, problems: list[Problem]
) -> ViewSource | None:
    place = path.relative_to(folder).as_posix()
    described = path.with_suffix(".toml")
    found: _ViewFile | None = _ViewFile()
    if described.exists():
        found = _read(described, described.relative_to(folder).as_posix(), _ViewFile, problems)
    try:
        query = query_of(path.read_bytes())
    except UnicodeDecodeError:
        problems.append(Problem(place, "the query must be UTF-8"))
        return None
    before = len(problems)
    problems += [*_problems_of_name(place, path.stem), *problems_of_query(place, query)]
    if found is None:
        return None
    where = described.relative_to(folder).as_posix()
    problems += [Problem(where, message) for message in _problems_of_description(found)]
    if len(problems) > before:
        return None
    return ViewSource(
        RelationName((found.database or settings.database,), path.stem),
        place,
        query,
        found.owner or settings.owner,
        found.comment,
        [Udf(artifact, udf.functions) for udf in found.udfs if (artifact := _artifact(udf))],
        found.properties,
        found.columns,
        found.comments,
    )


def is_view_name(name: str) -> bool:
    return _WORD.fullmatch(name) is not None


def _problems_of_name(place: str, stem: str) -> Iterator[Problem]:
    if not is_view_name(stem):
        why = f"{stem!r} cannot be a view's name: expected lower-case letters, digits and _"
        yield Problem(place, why)


def _problems_of_description(found: _ViewFile) -> Iterator[str]:
    named: dict[str, str] = {}
    for udf in found.udfs:
        artifact = _artifact(udf)
        if artifact is None:
            yield f"udfs: expected an artifact like group:artifact:version, got {udf.artifact!r}"
        elif artifact.version.endswith("-SNAPSHOT"):
            yield f"udfs: {udf.artifact} is a snapshot, whose content changes: name a release"
        for name, class_name in udf.functions.items():
            if not _FUNCTION.fullmatch(name):
                yield f"udfs: {name!r} cannot be a function's name"
            if not _CLASS.fullmatch(class_name):
                yield f"udfs: {class_name!r} cannot be a class's name"
            if named.setdefault(name.lower(), class_name) != class_name:
                yield f"udfs: {name} has two classes, {named[name.lower()]} and {class_name}"
    for key in found.properties:
        if key.lower().startswith(_OWN_PROPERTIES):
            yield f"properties: {key} is written by apply"
    for column, text in (found.columns or {}).items():
        try:
            parse_type(text)
        except MalformedType as error:
            yield f"columns: {column}: {error}"


def _artifact(udf: _UdfTable) -> Any:
    return parse_artifact(udf.artifact)


def unread_queries(folder: Path) -> Iterator[Path]:
    """Files that are not read, but would be if their names ended in ``.sql``."""
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in _OTHER_ENDINGS and path.suffix != ".sql":
            yield path


def _unread(folder: Path) -> Iterator[Problem]:
    for path in unread_queries(folder / VIEWS):
        why = "it is not read: the name of a query's file ends in .sql"
        yield Problem(path.relative_to(folder).as_posix(), why, "rename it, or move it away")


def _lonely(folder: Path) -> Iterator[Problem]:
    for path in sorted((folder / VIEWS).rglob("*.toml")):
        if not path.with_suffix(".sql").exists():
            why = f"it describes a view without a query: there is no {path.stem}.sql next to it"
            yield Problem(path.relative_to(folder).as_posix(), why)


def _same_names(views: list[ViewSource]) -> Iterator[Problem]:
    first: dict[RelationName, ViewSource] = {}
    for view in views:
        other = first.setdefault(view.name, view)
        if other is not view:
            yield Problem(view.path, f"{view.name} is also in {other.path}")


def _read(path: Path, place: str, model: type[_Model], problems: list[Problem]) -> _Model | None:
    try:
        return model.model_validate(tomllib.loads(path.read_text(encoding="utf-8-sig")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        problems.append(Problem(place, f"cannot be read: {error}"))
    except ValidationError as error:
        problems += [Problem(place, *_in_words(dict(each), model)) for each in error.errors()]
    return None


def _in_words(detail: Mapping[str, Any], model: type[BaseModel]) -> tuple[str, str]:
    key = ".".join(map(str, detail["loc"]))
    match detail["type"]:
        case "missing":
            return f"{key} is missing", ""
        case "extra_forbidden":
            allowed = sorted(_UdfTable.model_fields if "." in key else model.model_fields)
            guess = did_you_mean(likely_names(str(detail["loc"][-1]), allowed))
            return f"{key} is unknown; allowed here: {', '.join(allowed)}", guess
        case _:
            return f"{key}: {in_plain_words(detail['msg'])}, got {detail['input']!r:.100}", ""
