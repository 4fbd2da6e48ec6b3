"""Applies statements in order, and keeps the relations as the engine would have them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NoReturn, Protocol, assert_never

from lakeschema.catalog.catalogs import part_of
from lakeschema.catalog.column_types import STRING, ArrayType
from lakeschema.catalog.ddl_altered import (
    Refused,
    UnknownColumns,
    altered,
    comment_apart,
    with_distinct_names,
    with_recorded_settings,
)
from lakeschema.catalog.ddl_kinds import kinds_of_alteration, kinds_of_creation
from lakeschema.catalog.ddl_reader import MalformedStatement
from lakeschema.catalog.ddl_statements import (
    Alteration,
    AlterIfExists,
    CreateFunction,
    CreateNamespace,
    CreateTable,
    CreateTableAs,
    CreateTableLike,
    CreateTemporary,
    CreateView,
    DropFunction,
    DropNamespace,
    DropRelation,
    IfExists,
    NameParts,
    NoFacts,
    RenameRelation,
    Statement,
    UseNamespace,
)
from lakeschema.catalog.errors import MalformedName
from lakeschema.catalog.identifiers import Namespace, RelationName, check_parts, parts_of_one
from lakeschema.catalog.letter_case import lower_case_columns
from lakeschema.catalog.relations import (
    Catalog,
    Column,
    Dialect,
    Relation,
    SchemaMode,
    ViewText,
    as_nullable,
    sql_configs,
    with_functions,
)
from lakeschema.catalog.spark_refusals import refusal
from lakeschema.catalog.sql_functions import SqlFunction
from lakeschema.catalog.storage_formats import PROVIDER

DEFAULT_NAMESPACE = ("default",)
_DEFAULT = Namespace(DEFAULT_NAMESPACE)
_QUERY = RelationName((), "query")
_SESSION_CATALOGS = frozenset({"spark_catalog"})


class QueryColumns(Protocol):
    """A function that gives the columns of a query."""

    def __call__(
        self, query: Relation, find: Callable[[RelationName], Relation | None], /
    ) -> tuple[Column, ...]:
        """The columns of a table created from the query.

        Args:
            query: the query as a view, whose name no query can use.
            find: looks up a relation that it reads.

        Raises:
            UnknownColumns: the query cannot be resolved; the message says why.
        """


def no_query_columns(_: Relation, __: Callable[[RelationName], Relation | None], /) -> NoReturn:
    """A ``QueryColumns`` for callers that do not resolve queries."""
    raise UnknownColumns("the columns of a table created AS SELECT are unknown here: list them")


@dataclass(frozen=True, slots=True)
class NamedInDdl:
    """The meaning of a catalog's name in DDL.

    Attributes:
        key: ``RelationName.catalog`` of its relations.
        folds_case: whether it compares names regardless of letter case.
    """

    key: str
    folds_case: bool


class DdlState:
    """Relations by name, after the statements applied so far.

    With a catalog ``beneath``, statements apply to its relations; a relation is read when a statement
    names it. Statements that an engine would refuse raise ``Refused``: a DROP or USE of a missing
    object, or a change that Spark is known to refuse. Without a catalog no statement is refused, since other engines
    may have run it. Without a dialect the statements are Hive's, and a replaced view
    keeps its dialect.

    Attributes:
        relations: the relations that statements created or changed.
        removed: the catalog's relations that statements dropped or renamed.
        renamed: the new name of each relation, by the catalog's name.
        touched: the names that ``apply`` created, changed or removed since the caller last cleared this
            set.
    """

    def __init__(
        self,
        dialect: Dialect | None,
        beneath: Catalog | None = None,
        query_columns: QueryColumns = no_query_columns,
        catalogs: Mapping[str, NamedInDdl] = MappingProxyType({}),
    ) -> None:
        """Begins a session in the default database.

        ``catalogs``: the catalogs that a name of three or more parts may begin with, by name in SQL.
        """
        self.relations: dict[RelationName, Relation] = {}
        self.namespaces: set[Namespace] = {_DEFAULT}
        self.removed: set[RelationName] = set()
        self.renamed: dict[RelationName, RelationName] = {}
        self.touched: set[RelationName] = set()
        self._functions: dict[RelationName, SqlFunction] = {}
        self._read: dict[RelationName, Relation | None] = {}
        self._stale: dict[RelationName, str] = {}
        self._temporary: set[RelationName] = set()
        self._gone_namespaces: set[Namespace] = set()
        self._catalogs = catalogs
        self._beneath = beneath
        self._query_columns = query_columns
        self._chosen_dialect = dialect
        self._dialect = dialect or Dialect.HIVE
        self._current: tuple[str, ...] = DEFAULT_NAMESPACE

    def begin_session(self) -> None:
        """Begins a new session in the default database."""
        self._current = DEFAULT_NAMESPACE
        self._temporary.clear()

    def facts(self) -> Mapping[RelationName, Relation]:
        """The ``relations``.

        Stale relations are marked, and each view has the SQL functions that it may call.
        """
        found: Mapping[RelationName, Relation] = self.relations
        if self._functions:
            find = self._functions.get
            found = {name: with_functions(r, find) for name, r in found.items()}
        if self._stale:
            stale = {name: self._as_it_is(name) for name in self._stale}
            found = {**found, **stale}
        return MappingProxyType(found)

    def apply(self, statement: Statement) -> None:
        """Applies a statement; if it raises ``Refused``, nothing has changed."""
        if self._is_of_session(statement):
            return
        match statement:
            case CreateTemporary(name):
                self._temporary.add(self._name(name))
            case NoFacts():
                pass
            case CreateNamespace(namespace):
                self.namespaces.add(self._namespace(namespace))
                self._gone_namespaces.discard(self._namespace(namespace))
            case UseNamespace(namespace):
                self._use(self._namespace(namespace))
            case DropNamespace():
                self._drop_namespace(statement)
            case CreateTable() | CreateTableAs() | CreateTableLike() | CreateView():
                self._create(statement)
            case CreateFunction():
                self._create_function(statement)
            case DropFunction(name):
                self._functions.pop(self._name(name), None)
            case DropRelation():
                self._drop(statement)
            case RenameRelation():
                self._rename(statement)
            case AlterIfExists(alteration):
                if self._find(self._name(alteration.name)) is not None:
                    self.apply(alteration)
            case _:
                relation = self._existing(statement.name)
                self._require_accepted(relation, kinds_of_alteration(statement, relation))
                self._put(altered(relation, statement, self._dialect, self._current))

    def keep_malformed(self, malformed: MalformedStatement) -> None:
        """Keeps the relation that a malformed statement is about, with the problem in its facts.

        Otherwise a relation with a typo in its CREATE would seem dropped, and one with a typo in an
        ALTER would seem unchanged.
        """
        subject = malformed.subject
        if subject is None:
            return
        if not subject.creates:
            self._keep_stale(subject.name, f"{malformed.message}: {malformed.text[:200]}")
            return
        try:
            name = self._name(subject.name)
        except Refused:
            return
        if subject.is_view:
            view = ViewText(self._dialect, malformed.text, malformed.text, self._current)
            relation = Relation(name, (), view=view)
        else:
            reason = f"its CREATE cannot be read: {malformed.message}: {malformed.text[:200]}"
            relation = Relation(name, (), unreadable=reason)
        self._put(relation)

    def keep_refused(self, statement: Statement, refused: Refused) -> None:
        """Marks the relation of a refused ALTER as stale, since it may differ in the engine.

        The relation of a refused CREATE stays as before, unless only its columns are unknown.
        """
        if isinstance(statement, AlterIfExists):
            statement = statement.statement
        if isinstance(statement, Alteration | RenameRelation) or (
            isinstance(statement, CreateTable | CreateTableAs)
            and isinstance(refused, UnknownColumns)
        ):
            self._keep_stale(statement.name, str(refused))

    def _keep_stale(self, parts: NameParts, why: str) -> None:
        """Makes ``facts`` mark the relation as stale until it is created again.

        This includes a relation that does not exist.
        """
        try:
            name = self._name(parts)
        except Refused:
            return
        if name in self._temporary:
            return
        self.namespaces.add(name.place)
        self._stale.setdefault(name, f"it is not current: {why}")

    def _name(self, parts: NameParts) -> RelationName:
        parts = parts_of_one(_without_session_catalog(parts))
        if len(parts) == 1:
            parts = (*self._current, *parts)
        try:
            check_parts(parts)
        except MalformedName as error:
            raise Refused(str(error)) from error
        named = self._catalogs.get(parts[0]) if len(parts) > 2 else None
        if named is None:
            return RelationName.of(*parts)
        parts = _folded(parts[1:], named)
        return RelationName(parts[:-1], parts[-1], named.key)

    def _beside(self, name: RelationName, new: str) -> RelationName:
        """The new name of a relation of another catalog, in the relation's namespace."""
        named = next(each for each in self._catalogs.values() if each.key == name.catalog)
        return replace(name, name=_folded((new,), named)[0])

    def _namespace(self, parts: NameParts) -> Namespace:
        parts = _without_session_catalog(parts)
        named = self._catalogs.get(parts[0]) if len(parts) > 1 else None
        if named is None:
            return Namespace(tuple(part.lower() for part in parts))
        return Namespace(_folded(parts[1:], named), named.key)

    def _catalog_of_text(self, view: RelationName) -> str | None:
        """For another catalog's view, the name of the default catalog, in which its text was read."""
        if not view.catalog:
            return None
        return next((name for name, named in self._catalogs.items() if not named.key), None)

    def _find(self, name: RelationName) -> Relation | None:
        found = self.relations.get(name)
        if found is not None or name in self.removed or self._beneath is None:
            return found
        if name not in self._read:
            self._read[name] = self._beneath.read([name]).get(name)
        return self._read[name]

    def _is_of_session(self, statement: Statement) -> bool:
        """Whether the statement changes or drops a temporary relation."""
        if isinstance(statement, AlterIfExists):
            statement = statement.statement
        if not isinstance(statement, Alteration | RenameRelation | DropRelation):
            return False
        name = self._name(statement.name)
        found = name in self._temporary
        if found and isinstance(statement, DropRelation | RenameRelation):
            self._temporary.discard(name)
        if found and isinstance(statement, RenameRelation):
            self._temporary.add(self._name(statement.new_name))
        return found

    def _existing(self, parts: NameParts) -> Relation:
        name = self._name(parts)
        found = self._find(name)
        if found is None:
            raise Refused(f"there is no table or view {name}")
        if self._beneath is not None and found.unreadable is not None:
            raise Refused(f"the catalog cannot give {name}: {found.unreadable}")
        return found

    def _require_accepted(self, relation: Relation, kinds: Iterable[str]) -> None:
        """Raises ``Refused`` if the statements are Spark's and Spark would refuse the change."""
        if self._beneath is None or self._dialect is not Dialect.SPARK:
            return
        refused = refusal(relation, kinds)
        if refused is not None:
            raise Refused(refused.of(relation.name), refused.hint)

    def _as_it_is(self, name: RelationName) -> Relation:
        """The relation in its current state, marked with a reason if it is stale."""
        relation = self._find(name) or Relation(name, ())
        why = self._stale.get(name)
        return relation if why is None or relation.unreadable else replace(relation, unreadable=why)

    def _put(self, relation: Relation) -> None:
        self.namespaces.add(relation.name.place)
        self.relations[relation.name] = relation
        self.removed.discard(relation.name)
        self.touched.add(relation.name)

    def _remove(self, name: RelationName) -> None:
        self.relations.pop(name, None)
        self._stale.pop(name, None)
        self.touched.add(name)
        if self._beneath is not None:
            self.removed.add(name)

    def _has_namespace(self, namespace: Namespace) -> bool:
        if namespace in self.namespaces or self._beneath is None:
            return True
        if namespace in self._gone_namespaces:
            return False
        return namespace in part_of(self._beneath, namespace.catalog).namespaces()

    def _require_namespace(self, namespace: Namespace) -> None:
        if not self._has_namespace(namespace):
            shown = f"{namespace.catalog}:" if namespace.catalog else ""
            raise Refused(f"there is no database {shown}{'.'.join(namespace.levels)}")

    def _use(self, namespace: Namespace) -> None:
        if namespace.catalog:
            raise Refused(
                f"USE of catalog {namespace.catalog}: statements are read in the default catalog",
                "write the catalog before the names in the statements",
            )
        if not namespace.levels:
            namespace = _DEFAULT
        self._require_namespace(namespace)
        self._current = namespace.levels

    def _create(
        self, statement: CreateTable | CreateTableAs | CreateTableLike | CreateView
    ) -> None:
        name = self._name(statement.name)
        # CREATE OR REPLACE TABLE … LIKE does not exist.
        replaces = (
            not isinstance(statement, CreateTableLike) and statement.if_exists is IfExists.REPLACE
        )
        self._require_namespace(name.place)
        if not replaces and self._find(name) is not None:
            if statement.if_exists is IfExists.KEEP:
                return
            raise Refused(f"{name} exists already")
        match statement:
            case CreateTable():
                made = _table(name, statement)
            case CreateTableAs():
                made = _table(name, self._with_query_columns(statement))
            case CreateTableLike():
                source = self._existing(statement.source).name
                made = _copy_table(name, self._as_it_is(source), statement)
            case CreateView():
                made = self._view(name, statement)
            case _:
                assert_never(statement)
        if not isinstance(statement, CreateTableLike):
            before = self._find(name)
            judged = before if made.is_view and before is not None else made
            self._require_accepted(judged, kinds_of_creation(statement, before))
        if replaces:
            self._stale.pop(name, None)
        self._put(made)

    def _with_query_columns(self, statement: CreateTableAs) -> CreateTable:
        text = ViewText(statement.dialect, statement.query, statement.query, self._current)
        query = with_functions(Relation(_QUERY, (), view=text), self._functions.get)
        columns = self._query_columns(query, self._readable)
        names = statement.column_names
        if names:
            if len(names) != len(columns):
                raise UnknownColumns(f"{len(names)} names for {len(columns)} columns")
            columns = tuple(replace(c, name=n) for c, n in zip(columns, names, strict=True))
        if statement.dialect is not Dialect.SPARK:
            columns = lower_case_columns(columns)
        return replace(statement.table, columns=columns)

    def _readable(self, name: RelationName) -> Relation | None:
        found = self._find(name)
        if found is None or name in self.removed or name in self._temporary:
            return None
        return with_functions(self._as_it_is(name), self._functions.get)

    def _create_function(self, statement: CreateFunction) -> None:
        name = self._name(statement.name)
        if name in self._functions and statement.if_exists is not IfExists.REPLACE:
            if statement.if_exists is IfExists.KEEP:
                return
            raise Refused(f"function {name} exists already")
        self._functions[name] = SqlFunction(
            name,
            statement.parameters,
            statement.body,
            statement.is_table,
            statement.returns,
            statement.columns,
            self._current,
        )

    def _view(self, name: RelationName, statement: CreateView) -> Relation:
        of_spark = statement.schema_mode is not None or sql_configs(statement.properties)
        dialect = Dialect.SPARK if of_spark else statement.dialect or self._view_dialect(name)
        spark = dialect is Dialect.SPARK
        view = ViewText(
            dialect=dialect,
            text=statement.query,
            original_text=statement.query,
            current_namespace=self._current,
            current_catalog=self._catalog_of_text(name),
            schema_mode=_stored_mode(statement) if spark else None,
        )
        comment, properties = comment_apart(statement.comment, statement.properties)
        made = Relation(
            name,
            statement.columns,
            statement.partition_columns,
            comment=comment,
            properties=properties,
            view=view,
        )
        return with_recorded_settings(made)

    def _view_dialect(self, name: RelationName) -> Dialect:
        replaced = None if self._chosen_dialect is not None else self._find(name)
        return self._dialect if replaced is None or not replaced.view else replaced.view.dialect

    def _rename(self, statement: RenameRelation) -> None:
        relation, new = self._existing(statement.name), statement.new_name
        if relation.is_view != statement.is_view:
            kind = "VIEW" if relation.is_view else "TABLE"
            raise Refused(f"{relation.name} is a {kind.lower()}: write ALTER {kind}")
        self._require_accepted(relation, kinds_of_alteration(statement, relation))
        is_bare = len(_without_session_catalog(new)) == 1
        if is_bare and self._dialect is Dialect.SPARK:
            new = (*relation.name.namespace, *new[-1:])
        # Hive resolves an unqualified new name like any other: in the current database.
        new_name = self._name(new)
        if is_bare and relation.name.catalog:
            new_name = self._beside(relation.name, *new[-1:])
        if new_name.catalog != relation.name.catalog:
            raise Refused(f"{relation.name} cannot be renamed to another catalog's {new_name}")
        if self._find(new_name) is not None:
            raise Refused(f"{new_name} exists already")
        why = self._stale.get(relation.name)
        self._remove(relation.name)
        self._put(replace(relation, name=new_name))
        if why is not None:
            self._stale[new_name] = why
        first_names = [first for first, now in self.renamed.items() if now == relation.name]
        self.renamed[first_names[0] if first_names else relation.name] = new_name

    def _drop(self, statement: DropRelation) -> None:
        name = self._name(statement.name)
        found = self._find(name)
        if found is not None:
            # Spark's DROP TABLE also drops views.
            drops_views = self._dialect is Dialect.SPARK and not statement.is_view
            if found.is_view != statement.is_view and not drops_views:
                kind = "VIEW" if found.is_view else "TABLE"
                raise Refused(f"{name} is a {kind.lower()}: write DROP {kind}")
            self._remove(name)
        elif self._beneath is not None and not statement.if_exists:
            raise Refused(f"there is no table or view {name}; write IF EXISTS if it may be missing")

    def _drop_namespace(self, statement: DropNamespace) -> None:
        namespace = self._namespace(statement.namespace)
        names = {name for name in self.relations if name.place == namespace}
        if self._beneath is not None:
            if not statement.if_exists:
                self._require_namespace(namespace)
            names |= set(self._beneath.relations(namespace)) - self.removed
            if names and not statement.cascade:
                shown = f"{namespace} holds {len(names)} tables and views"
                raise Refused(f"{shown}: write CASCADE to drop them")
        for name in names:
            self._remove(name)
        if namespace != _DEFAULT:
            self.namespaces.discard(namespace)
            self._gone_namespaces.add(namespace)


def _without_session_catalog(parts: NameParts) -> NameParts:
    """The name without Spark's session catalog: ``spark_catalog.db.t`` is ``db.t``."""
    return parts[1:] if len(parts) > 1 and parts[0].lower() in _SESSION_CATALOGS else parts


def _folded(parts: NameParts, named: NamedInDdl) -> tuple[str, ...]:
    return tuple(part.lower() if named.folds_case else part for part in parts)


def _table(name: RelationName, statement: CreateTable) -> Relation:
    comment, properties = comment_apart(statement.comment, statement.properties)
    columns, partitions = _divided(statement)
    if PROVIDER in properties and columns == (_PLACEHOLDER,):
        raise UnknownColumns(
            "its only column is the one that Spark leaves in a metastore whose tables Hive cannot "
            "read; write the table's own columns"
        )
    return with_distinct_names(
        Relation(
            name=name,
            columns=columns,
            partition_columns=partitions,
            comment=comment,
            properties=properties,
            serde=statement.serde,
            serde_properties=statement.serde_properties,
        )
    )


_PLACEHOLDER = Column("col", ArrayType(STRING), comment="from deserializer")
"""The column of a table without readable columns, as Hive's SHOW CREATE TABLE prints it."""

_IN_PLACE = frozenset({"delta", "iceberg"})
"""Providers whose partition columns keep their places among the other columns."""


def _divided(statement: CreateTable) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
    """The columns, and the partition columns, in the order of the table.

    Raises:
        UnknownColumns: a partition column is not among the table's columns.
    """
    by_name = {column.name.lower(): column for column in statement.columns}
    names = [name.lower() for name in statement.partition_names]
    for name in names:
        if name not in by_name:
            why = f"the table is partitioned by {name}, which is not one of its columns"
            raise UnknownColumns(why)
    if statement.properties.get(PROVIDER) in _IN_PLACE:
        return (*statement.columns, *statement.partition_columns), ()
    others = tuple(c for c in statement.columns if c.name.lower() not in names)
    return others, (*statement.partition_columns, *(by_name[name] for name in names))


def _stored_mode(statement: CreateView) -> SchemaMode:
    """The schema mode that Spark 4 stores; COMPENSATION by default.

    The columns of a view with declared columns cannot evolve, but their types can.
    """
    if statement.schema_mode is SchemaMode.EVOLUTION and statement.columns:
        return SchemaMode.TYPE_EVOLUTION
    return statement.schema_mode or SchemaMode.COMPENSATION


_COPIED_BY_LIKE = ("avro.schema.literal", "avro.schema.url", PROVIDER)


def _copy_table(name: RelationName, source: Relation, statement: CreateTableLike) -> Relation:
    if source.is_view:
        raise Refused(f"{source.name} is a view, whose columns are unknown here: list them")
    copied = {k: v for k, v in source.properties.items() if k in _COPIED_BY_LIKE}
    comment, properties = comment_apart(None, {**copied, **statement.properties})
    made = replace(source, name=name, comment=comment, properties=properties)
    # Hive copies no constraints.
    kept = made.columns if PROVIDER in properties else tuple(map(as_nullable, made.columns))
    return replace(made, columns=kept)
