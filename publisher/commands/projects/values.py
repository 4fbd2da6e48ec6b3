"""Values that describe a view project, its plan and its state in the catalog."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import MappingProxyType

from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.metastore_views import StoredRelation
from lakeschema.catalog.relations import APPLY_RECORD, Dialect, Relation
from lakeschema.catalog.stored_views import StoredView
from lakeschema.translation.functions.artifacts import Artifact


@dataclass(frozen=True, slots=True)
class Udf:
    """An artifact and its classes; the view's text calls each class by the name that is its key."""

    artifact: Artifact
    functions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ViewSource:
    """A view as its files describe it.

    Attributes:
        path: the query's file, relative to the project's folder, with slashes.
        query: the text without the ``;`` at its end; line numbers are the file's.
        columns: the expected types by name, in order; None if the files do not say.
        comments: of columns, by name.
    """

    name: RelationName
    path: str
    query: str
    owner: str
    comment: str | None = None
    udfs: Sequence[Udf] = ()
    properties: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    columns: Mapping[str, str] | None = None
    comments: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def artifacts(self) -> Sequence[Artifact]:
        return tuple(dict.fromkeys(udf.artifact for udf in self.udfs))


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A reason why the project cannot be applied; ``place`` is a file, or "" for the whole project."""

    place: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{where}{self.message}{hint}"


@dataclass(frozen=True, slots=True)
class Project:
    """A folder of views.

    Attributes:
        folder: the folder that has ``project.toml``.
        database: the database of views that name no other database.
        repositories: folders or addresses with artifacts, in the layout of Maven.
        deployment: the settings file of the service for this catalog.
        views: without the views whose files have problems.
        problems: of the files.
        catalog: the catalog that gets the views, as the file names it; "" is the default catalog.
    """

    folder: Path
    name: str
    version: str
    database: str
    owner: str
    dialect: Dialect
    repositories: Sequence[str]
    deployment: Path
    views: Sequence[ViewSource]
    problems: Sequence[Problem] = ()
    catalog: str = ""

    @property
    def databases(self) -> Sequence[str]:
        return sorted({view.name.namespace[0] for view in self.views} | {self.database})


@dataclass(frozen=True, slots=True)
class Definition:
    """A view, ready to be stored.

    Attributes:
        stored: the view without its ``Record``.
        facts: the facts that the catalog will return for the stored view.
        reads: its direct upstreams.
    """

    source: ViewSource
    stored: StoredView
    facts: Relation
    reads: Sequence[RelationName]


class Action(Enum):
    CREATE = "create"
    ALTER = "alter"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class Step:
    """One change of the metastore.

    Attributes:
        definition: None for a view that is dropped.
        before: the digest of the view when the plan was made; "" if there was no view.
        what: the parts that differ, such as ``text`` and ``columns``; empty for a new view.
        warning: how the view differs from the view that this project last wrote; "" without a difference.
    """

    action: Action
    name: RelationName
    definition: Definition | None
    before: str
    what: Sequence[str] = ()
    warning: str = ""

    @property
    def place(self) -> str:
        return "" if self.definition is None else self.definition.source.path


PROJECT = f"{APPLY_RECORD}project"
COMMIT = f"{APPLY_RECORD}commit"
BY = f"{APPLY_RECORD}by"
AT = f"{APPLY_RECORD}at"
ID = f"{APPLY_RECORD}id"
DIGEST = f"{APPLY_RECORD}digest"


@dataclass(frozen=True, slots=True)
class Record:
    """Who wrote a view, when, and from which commit. The view's properties store it.

    Attributes:
        id: a random id of the run of ``apply``.
        at: the time in UTC, ISO 8601.
    """

    project: str
    commit: str
    by: str
    at: str
    id: str

    def properties(self, digest: str) -> Mapping[str, str]:
        return {
            PROJECT: self.project,
            COMMIT: self.commit,
            BY: self.by,
            AT: self.at,
            ID: self.id,
            DIGEST: digest,
        }


def record_of(properties: Mapping[str, str]) -> Record | None:
    """The record in a view's properties; None if no project wrote it."""
    if PROJECT not in properties:
        return None
    return Record(*(properties.get(key, "") for key in (PROJECT, COMMIT, BY, AT, ID)))


@dataclass(frozen=True, slots=True)
class Live:
    """The project's views as the catalog has them.

    Attributes:
        relations: every relation with the name of a view in the project's files, and every view that
            the project wrote.
        has_records: whether the catalog keeps records; only a metastore does.
    """

    relations: Mapping[RelationName, StoredRelation]
    namespaces: frozenset[Namespace]
    has_records: bool
