"""Applies statements in order: the relations after each, as in the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NoReturn, Protocol, assert_never

from lakeschema.catalog.column_types import STRING, ArrayType
from lakeschema.catalog.ddl_column_changes import (
    ColumnAlteration,
    InvalidFields,
    NoSuchColumn,
    alter_columns,
    duplicate_name,
    has_column,
)
from lakeschema.catalog.ddl_kinds import kinds_of_alteration, kinds_of_creation
from lakeschema.catalog.ddl_reader import MalformedStatement
from lakeschema.catalog.ddl_statements import (
    AddColumns,
    Alteration,
    AlterIfExists,
    ChangeColumns,
    CreateFunction,
    CreateNamespace,
    CreateTable,
    CreateTableAs,
    CreateTableLike,
    CreateTemporary,
    CreateView,
    DropColumns,
    DropConstraint,
    DropFunction,
    DropNamespace,
    DropRelation,
    IfExists,
    NameParts,
    NoChange,
    NoFacts,
    RenameRelation,
    ReplaceColumns,
    ReplaceQuery,
    SetComment,
    SetProperties,
    SetSchemaMode,
    SetSerde,
    Statement,
    UnknownChange,
    UnsetProperties,
    UnsetSerdeProperties,
    UseNamespace,
)
from lakeschema.catalog.errors import MalformedName
from lakeschema.catalog.identifiers import RelationName, check_parts, parts_of_one
from lakeschema.catalog.letter_case import lower_case_columns
from lakeschema.catalog.relations import (
    SQL_CONFIG,
    Catalog,
    Column,
    Dialect,
    Relation,
    SchemaMode,
    ViewText,
    as_nullable,
    sql_configs,
    with_functions,
    without_volatile,
)
from lakeschema.catalog.spark_refusals import refusal
from lakeschema.catalog.sql_functions import SqlFunction
from lakeschema.catalog.storage_formats import PROVIDER

DEFAULT_NAMESPACE = ("default",)
_QUERY = RelationName((), "query")
_SESSION_CATALOGS = frozenset({"spark_catalog"})


class Refused(Exception):
    """A readable statement that cannot be applied; ``hint`` names an alternative."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UnknownColumns(Refused):
    """A CREATE whose table has columns that cannot be determined."""


class QueryColumns(Protocol):
    """The columns of a query."""

    def __call__(
        self, query: Relation, find: Callable[[RelationName], Relation | None], /
    ) -> tuple[Column, ...]:
        """The columns of a table created from the query.

        Args:
            query: a view with a name that no query can read.
            find: looks up a relation that it reads.

        Raises:
            UnknownColumns: why the query cannot be resolved.
        """


def no_query_columns(_: Relation, __: Callable[[RelationName], Relation | None], /) -> NoReturn:
    """For callers that do not resolve queries."""
    raise UnknownColumns("the columns of a table created AS SELECT are unknown here: list them")


class DdlState:
    """Relations by name, after the statements applied so far.

    With a catalog ``beneath``, statements apply to its relations, read when a statement names them.
    Statements that an engine would refuse are refused: a DROP or USE of something missing, or a
    change in Spark's record of refusals. Without a catalog they are history, perhaps of other
    engines. Without a dialect the statements are Hive's, and a replaced view keeps its own.

    Attributes:
        relations: the relations that statements created or changed.
        removed: the catalog's relations that statements dropped or renamed.
        renamed: the new name of each relation, by the catalog's name.
        touched: names that ``apply`` created, changed or removed since the set was last cleared.
    """

    def __init__(
        self,
        dialect: Dialect | None,
        beneath: Catalog | None = None,
        query_columns: QueryColumns = no_query_columns,
    ) -> None:
        self.relations: dict[RelationName, Relation] = {}
        self.namespaces: set[tuple[str, ...]] = {DEFAULT_NAMESPACE}
        self.removed: set[RelationName] = set()
        self.renamed: dict[RelationName, RelationName] = {}
        self.touched: set[RelationName] = set()
        self._functions: dict[RelationName, SqlFunction] = {}
        self._read: dict[RelationName, Relation | None] = {}
        self._stale: dict[RelationName, str] = {}
        self._temporary: set[RelationName] = set()
        self._gone_namespaces: set[tuple[str, ...]] = set()
        self._beneath = beneath
        self._query_columns = query_columns
        self._chosen_dialect = dialect
        self._dialect = dialect or Dialect.HIVE
        self._current: tuple[str, ...] = DEFAULT_NAMESPACE

    def begin_session(self) -> None:
        """A new session starts in the default database."""
        self._current = DEFAULT_NAMESPACE
        self._temporary.clear()

    def facts(self) -> Mapping[RelationName, Relation]:
        """``relations``, with stale ones marked and each view's callable SQL functions added."""
        found: Mapping[RelationName, Relation] = self.relations
        if self._functions:
            find = self._functions.get
            found = {name: with_functions(r, find) for name, r in found.items()}
        if self._stale:
            stale = {name: self._as_it_is(name) for name in self._stale}
            found = {**found, **stale}
        return MappingProxyType(found)

    def apply(self, statement: Statement) -> None:
        """Raises ``Refused`` without having changed anything."""
        if self._is_of_session(statement):
            return
        match statement:
            case CreateTemporary(name):
                self._temporary.add(self._name(name))
            case NoFacts():
                pass
            case CreateNamespace(namespace):
                self.namespaces.add(_namespace(namespace))
                self._gone_namespaces.discard(_namespace(namespace))
            case UseNamespace(namespace):
                self._use(_namespace(namespace) or DEFAULT_NAMESPACE)
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
                self._put(self._alter(relation, statement))

    def keep_malformed(self, malformed: MalformedStatement) -> None:
        """Keeps the subject of a malformed statement, with the problem in its facts.

        Otherwise a typo in a CREATE would look like a DROP, and one in an ALTER like no change.
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
        """``facts`` mark the relation, which may be missing, as stale until it is created again."""
        try:
            name = self._name(parts)
        except Refused:
            return
        if name in self._temporary:
            return
        self.namespaces.add(name.namespace)
        self._stale.setdefault(name, f"it is not current: {why}")

    def _name(self, parts: NameParts) -> RelationName:
        parts = parts_of_one(_without_session_catalog(parts))
        if len(parts) == 1:
            parts = (*self._current, *parts)
        try:
            check_parts(parts)
        except MalformedName as error:
            raise Refused(str(error)) from error
        return RelationName.of(*parts)

    def _find(self, name: RelationName) -> Relation | None:
        found = self.relations.get(name)
        if found is not None or name in self.removed or self._beneath is None:
            return found
        if name not in self._read:
            self._read[name] = self._beneath.read([name]).get(name)
        return self._read[name]

    def _is_of_session(self, statement: Statement) -> bool:
        """Whether it changes or drops a temporary relation."""
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
        """Raises ``Refused`` if these are Spark's statements and Spark would refuse the change."""
        if self._beneath is None or self._dialect is not Dialect.SPARK:
            return
        refused = refusal(relation, kinds)
        if refused is not None:
            raise Refused(refused.of(relation.name), refused.hint)

    def _as_it_is(self, name: RelationName) -> Relation:
        """The relation, marked with a reason if it is stale."""
        relation = self._find(name) or Relation(name, ())
        why = self._stale.get(name)
        return relation if why is None or relation.unreadable else replace(relation, unreadable=why)

    def _put(self, relation: Relation) -> None:
        self.namespaces.add(relation.name.namespace)
        self.relations[relation.name] = relation
        self.removed.discard(relation.name)
        self.touched.add(relation.name)

    def _remove(self, name: RelationName) -> None:
        self.relations.pop(name, None)
        self._stale.pop(name, None)
        self.touched.add(name)
        if self._beneath is not None:
            self.removed.add(name)

    def _has_namespace(self, namespace: tuple[str, ...]) -> bool:
        if namespace in self.namespaces or self._beneath is None:
            return True
        return namespace not in self._gone_namespaces and namespace in self._beneath.namespaces()

    def _use(self, namespace: tuple[str, ...]) -> None:
        if not self._has_namespace(namespace):
            raise Refused(f"there is no database {'.'.join(namespace)}")
        self._current = namespace

    def _create(
        self, statement: CreateTable | CreateTableAs | CreateTableLike | CreateView
    ) -> None:
        name = self._name(statement.name)
        # CREATE OR REPLACE TABLE … LIKE does not exist.
        replaces = (
            not isinstance(statement, CreateTableLike) and statement.if_exists is IfExists.REPLACE
        )
        if not self._has_namespace(name.namespace):
            raise Refused(f"there is no database {'.'.join(name.namespace)}")
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
            schema_mode=_stored_mode(statement) if spark else None,
        )
        comment, properties = _comment_apart(statement.comment, statement.properties)
        made = Relation(
            name,
            statement.columns,
            statement.partition_columns,
            comment=comment,
            properties=properties,
            view=view,
        )
        return _with_recorded_settings(made)

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
        namespace = _namespace(statement.namespace)
        names = {name for name in self.relations if name.namespace == namespace}
        if self._beneath is not None:
            if not statement.if_exists and not self._has_namespace(namespace):
                raise Refused(f"there is no database {'.'.join(namespace)}")
            names |= set(self._beneath.relations(namespace)) - self.removed
            if names and not statement.cascade:
                shown = f"{'.'.join(namespace)} holds {len(names)} tables and views"
                raise Refused(f"{shown}: write CASCADE to drop them")
        for name in names:
            self._remove(name)
        if namespace != DEFAULT_NAMESPACE:
            self.namespaces.discard(namespace)
            self._gone_namespaces.add(namespace)

    def _alter(self, relation: Relation, statement: Alteration) -> Relation:
        match statement:
            case SetProperties(_, properties):
                comment, kept = _comment_apart(
                    relation.comment, {**relation.properties, **properties}
                )
                changed = replace(relation, properties=kept, comment=comment)
                return _with_recorded_settings(changed)
            case UnsetProperties(_, keys):
                kept = {k: v for k, v in relation.properties.items() if k not in keys}
                comment = None if "comment" in keys else relation.comment
                changed = replace(relation, properties=kept, comment=comment)
                return _without_recorded_settings(changed, keys)
            case SetSerde(_, serde, properties):
                return replace(
                    relation,
                    serde=serde or relation.serde,
                    serde_properties={**relation.serde_properties, **properties},
                )
            case UnsetSerdeProperties(_, keys):
                kept = {k: v for k, v in relation.serde_properties.items() if k not in keys}
                return replace(relation, serde_properties=kept)
            case SetComment(_, comment):
                return replace(relation, comment=comment)
            case ReplaceQuery(_, text):
                return _with_query(relation, text, self._current)
            case SetSchemaMode(_, mode):
                if relation.view is None:
                    raise Refused(f"{relation.name} is not a view")
                return replace(relation, view=replace(relation.view, schema_mode=mode))
            case AddColumns() | ReplaceColumns() | ChangeColumns() | DropColumns():
                return self._with_columns(relation, statement)
            case DropConstraint():
                self._check_keeps_required(relation)
                return relation
            case NoChange():
                return relation
            case UnknownChange(_, why):
                raise Refused(why)
            case _:
                assert_never(statement)

    def _check_keeps_required(self, relation: Relation) -> None:
        """Hive's NOT NULL is a named constraint, and facts have no names for them."""
        required = [c.name for c in relation.columns if not c.nullable]
        if self._dialect is Dialect.HIVE and required:
            why = f"the constraint may be what makes {required[0]} NOT NULL"
            raise Refused(f"{relation.name}: {why}")

    def _with_columns(self, relation: Relation, statement: ColumnAlteration) -> Relation:
        if relation.is_view:
            raise Refused(f"{relation.name} is a view, whose columns follow from its query")
        try:
            return self._with_altered(relation, statement)
        except NoSuchColumn as error:
            known = ", ".join(c.name for c in relation.every_column)
            why = f"there is no column {error} in {relation.name} (its columns are {known})"
            raise Refused(why) from None
        except InvalidFields as error:
            raise Refused(f"{relation.name}: {error}") from None

    def _with_altered(self, relation: Relation, statement: ColumnAlteration) -> Relation:
        if isinstance(statement, ChangeColumns):
            for change in statement.changes:
                relation = self._with_changed(relation, replace(statement, changes=(change,)))
            return relation
        columns = self._named(relation, alter_columns(relation.columns, statement))
        return _with_distinct_names(replace(relation, columns=columns))

    def _with_changed(self, relation: Relation, statement: ChangeColumns) -> Relation:
        """``statement`` has one change, to a column or a partition column."""
        (change,) = statement.changes
        partitions = relation.partition_columns
        if has_column(partitions, change.path[0]):
            changed = self._named(relation, alter_columns(partitions, statement))
            return _with_distinct_names(replace(relation, partition_columns=changed))
        columns = self._named(relation, alter_columns(relation.columns, statement))
        return _with_distinct_names(replace(relation, columns=columns))

    def _named(self, relation: Relation, columns: tuple[Column, ...]) -> tuple[Column, ...]:
        keeps_case = self._dialect is Dialect.SPARK or PROVIDER in relation.properties
        return columns if keeps_case else lower_case_columns(columns)


def _with_distinct_names(relation: Relation) -> Relation:
    twice = duplicate_name(relation.every_column)
    if twice is not None:
        raise Refused(f"{relation.name} would have two columns named {twice}")
    return relation


def _without_session_catalog(parts: NameParts) -> NameParts:
    """``spark_catalog.db.t`` is ``db.t``: Spark's session catalog is the catalog itself."""
    return parts[1:] if len(parts) > 1 and parts[0].lower() in _SESSION_CATALOGS else parts


def _namespace(parts: NameParts) -> tuple[str, ...]:
    return tuple(part.lower() for part in _without_session_catalog(parts))


def _comment_apart(
    comment: str | None, properties: Mapping[str, str]
) -> tuple[str | None, dict[str, str]]:
    """The comment is a property in the metastore, and a separate field in facts."""
    kept = without_volatile(properties)
    stored = kept.pop("comment", None)
    return (comment if stored is None else stored), kept


def _table(name: RelationName, statement: CreateTable) -> Relation:
    comment, properties = _comment_apart(statement.comment, statement.properties)
    columns, partitions = _divided(statement)
    if PROVIDER in properties and columns == (_PLACEHOLDER,):
        raise UnknownColumns(
            "its only column is the one that Spark leaves in a metastore whose tables Hive cannot "
            "read; write the table's own columns"
        )
    return _with_distinct_names(
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
"""As printed by Hive's SHOW CREATE TABLE."""

_IN_PLACE = frozenset({"delta", "iceberg"})
"""Providers whose partition columns keep their places among the others."""


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
    """Spark 4's stored mode: COMPENSATION by default; declared columns cannot evolve, their types can."""
    if statement.schema_mode is SchemaMode.EVOLUTION and statement.columns:
        return SchemaMode.TYPE_EVOLUTION
    return statement.schema_mode or SchemaMode.COMPENSATION


_COPIED_BY_LIKE = ("avro.schema.literal", "avro.schema.url", PROVIDER)


def _copy_table(name: RelationName, source: Relation, statement: CreateTableLike) -> Relation:
    if source.is_view:
        raise Refused(f"{source.name} is a view, whose columns are unknown here: list them")
    copied = {k: v for k, v in source.properties.items() if k in _COPIED_BY_LIKE}
    comment, properties = _comment_apart(None, {**copied, **statement.properties})
    made = replace(source, name=name, comment=comment, properties=properties)
    # Hive copies no constraints.
    kept = made.columns if PROVIDER in properties else tuple(map(as_nullable, made.columns))
    return replace(made, columns=kept)


def _with_recorded_settings(relation: Relation) -> Relation:
    """A Spark view with the settings from its properties, which affect its text's meaning."""
    view = relation.view
    if view is None or view.dialect is not Dialect.SPARK:
        return relation
    found = sql_configs(relation.properties)
    others = {k: v for k, v in relation.properties.items() if not k.startswith(SQL_CONFIG)}
    kept = replace(view, sql_configs={**view.sql_configs, **found})
    return replace(relation, properties=others, view=kept) if found else relation


def _without_recorded_settings(relation: Relation, keys: tuple[str, ...]) -> Relation:
    if relation.view is None:
        return relation
    configs = relation.view.sql_configs
    kept = {key: value for key, value in configs.items() if f"{SQL_CONFIG}{key}" not in keys}
    return replace(relation, view=replace(relation.view, sql_configs=kept))


def _with_query(relation: Relation, text: str, current: tuple[str, ...]) -> Relation:
    if relation.view is None:
        raise Refused(f"{relation.name} is not a view")
    view = replace(
        relation.view, text=text, original_text=text, current_namespace=current, query_columns=()
    )
    # ALTER VIEW AS drops the declared columns, in Hive and in Spark.
    return replace(relation, view=view, columns=())
