"""Statements applied one after another: what exists after each, as the engine would have it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import assert_never

from lakeschema.catalog.ddl_create import PROVIDER, lower_case_names
from lakeschema.catalog.ddl_reader import MalformedStatement
from lakeschema.catalog.ddl_statements import (
    AddColumns,
    AlterColumn,
    ChangeColumn,
    CreateNamespace,
    CreateTable,
    CreateTableLike,
    CreateView,
    DropColumns,
    DropNamespace,
    DropRelation,
    IfExists,
    NameParts,
    NoFacts,
    Place,
    RenameColumn,
    RenameRelation,
    ReplaceColumns,
    ReplaceQuery,
    SetComment,
    SetProperties,
    SetSchemaMode,
    SetSerde,
    Statement,
    UnsetProperties,
    UseNamespace,
)
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import (
    Column,
    Dialect,
    Relation,
    SchemaMode,
    ViewText,
    without_volatile,
)

DEFAULT_NAMESPACE = ("default",)
_SESSION_CATALOGS = frozenset({"spark_catalog"})


class Refused(Exception):
    """The statement can be read, but not applied to what exists."""


class DdlState:
    """Relations by name, as they stand after the statements applied so far."""

    def __init__(self, dialect: Dialect) -> None:
        self.relations: dict[RelationName, Relation] = {}
        self.namespaces: set[tuple[str, ...]] = {DEFAULT_NAMESPACE}
        self._dialect = dialect
        self._current: tuple[str, ...] = DEFAULT_NAMESPACE

    def begin_session(self) -> None:
        """A new session starts in the default database."""
        self._current = DEFAULT_NAMESPACE

    def apply(self, statement: Statement) -> None:
        """Raises ``Refused``, and then nothing was changed."""
        match statement:
            case NoFacts():
                pass
            case CreateNamespace(namespace):
                self.namespaces.add(_namespace(namespace))
            case UseNamespace(namespace):
                self._current = _namespace(namespace) or DEFAULT_NAMESPACE
            case DropNamespace(namespace):
                self._drop_namespace(_namespace(namespace))
            case CreateTable() | CreateTableLike() | CreateView():
                self._create(statement)
            case DropRelation(name):
                self.relations.pop(self._name(name), None)
            case RenameRelation(name, new_name):
                self._rename(name, new_name)
            case _:
                relation = self._existing(statement.name)
                self.relations[relation.name] = self._alter(relation, statement)

    def keep_malformed(self, malformed: MalformedStatement) -> None:
        """A relation whose CREATE is malformed keeps existing, with what is wrong in its facts.

        Otherwise a slip of the pen would look like a DROP.
        """
        subject = malformed.subject
        if subject is None:
            return
        name = self._name(subject.name)
        if subject.is_view:
            view = ViewText(self._dialect, malformed.text, malformed.text, self._current)
            relation = Relation(name, (), view=view)
        else:
            reason = f"its CREATE cannot be read: {malformed.message}: {malformed.text[:200]}"
            relation = Relation(name, (), unreadable=reason)
        self._put(relation)

    def _name(self, parts: NameParts) -> RelationName:
        parts = _without_session_catalog(parts)
        if len(parts) == 1:
            parts = (*self._current, *parts)
        return RelationName.of(*parts)

    def _existing(self, parts: NameParts) -> Relation:
        name = self._name(parts)
        found = self.relations.get(name)
        if found is None:
            raise Refused(f"there is no table or view {name}")
        return found

    def _put(self, relation: Relation) -> None:
        self.namespaces.add(relation.name.namespace)
        self.relations[relation.name] = relation

    def _create(self, statement: CreateTable | CreateTableLike | CreateView) -> None:
        name = self._name(statement.name)
        # There is no CREATE OR REPLACE TABLE … LIKE.
        replaces = (
            not isinstance(statement, CreateTableLike) and statement.if_exists is IfExists.REPLACE
        )
        if name in self.relations and not replaces:
            if statement.if_exists is IfExists.KEEP:
                return
            raise Refused(f"{name} exists already")
        match statement:
            case CreateTable():
                self._put(_table(name, statement))
            case CreateTableLike():
                self._put(_copy_table(name, self._existing(statement.source), statement))
            case CreateView():
                self._put(self._view(name, statement))
            case _:
                assert_never(statement)

    def _view(self, name: RelationName, statement: CreateView) -> Relation:
        spark = self._dialect is Dialect.SPARK or statement.schema_mode is not None
        view = ViewText(
            dialect=Dialect.SPARK if spark else self._dialect,
            text=statement.query,
            original_text=statement.query,
            current_namespace=self._current,
            schema_mode=_stored_mode(statement) if spark else None,
        )
        comment, properties = _comment_apart(statement.comment, statement.properties)
        return Relation(name, statement.columns, comment=comment, properties=properties, view=view)

    def _rename(self, old: NameParts, new: NameParts) -> None:
        relation = self._existing(old)
        new_name = self._name(
            new if len(_without_session_catalog(new)) > 1 else (*relation.name.namespace, *new[-1:])
        )
        if new_name in self.relations:
            raise Refused(f"{new_name} exists already")
        del self.relations[relation.name]
        self._put(replace(relation, name=new_name))

    def _drop_namespace(self, namespace: tuple[str, ...]) -> None:
        for name in [name for name in self.relations if name.namespace == namespace]:
            del self.relations[name]
        if namespace != DEFAULT_NAMESPACE:
            self.namespaces.discard(namespace)

    def _alter(self, relation: Relation, statement: _Alteration) -> Relation:
        match statement:
            case SetProperties(_, properties):
                comment, kept = _comment_apart(
                    relation.comment, {**relation.properties, **properties}
                )
                return replace(relation, properties=kept, comment=comment)
            case UnsetProperties(_, keys):
                kept = {k: v for k, v in relation.properties.items() if k not in keys}
                comment = None if "comment" in keys else relation.comment
                return replace(relation, properties=kept, comment=comment)
            case SetSerde(_, serde, properties):
                return replace(
                    relation,
                    serde=serde or relation.serde,
                    serde_properties={**relation.serde_properties, **properties},
                )
            case SetComment(_, comment):
                return replace(relation, comment=comment)
            case ReplaceQuery(_, text):
                return _with_query(relation, text, self._current)
            case SetSchemaMode(_, mode):
                if relation.view is None:
                    raise Refused(f"{relation.name} is not a view")
                return replace(relation, view=replace(relation.view, schema_mode=mode))
            case _:
                return self._with_columns(relation, statement)

    def _with_columns(self, relation: Relation, statement: _ColumnAlteration) -> Relation:
        if relation.is_view:
            raise Refused(f"{relation.name} is a view, its columns follow from its query")
        keeps_case = self._dialect is Dialect.SPARK or PROVIDER in relation.properties
        partitions = relation.partition_columns
        if isinstance(statement, ChangeColumn | AlterColumn | RenameColumn) and _has(
            partitions,
            statement.column if isinstance(statement, AlterColumn) else statement.old_column,
        ):
            changed = _columns(partitions, statement)
            return replace(
                relation, partition_columns=changed if keeps_case else lower_case_names(changed)
            )
        changed = _columns(relation.columns, statement)
        changed = changed if keeps_case else lower_case_names(changed)
        twice = _duplicate((*changed, *partitions))
        if twice is not None:
            raise Refused(f"{relation.name} would have two columns named {twice}")
        return replace(relation, columns=changed)


_ColumnAlteration = (
    AddColumns | ReplaceColumns | ChangeColumn | AlterColumn | RenameColumn | DropColumns
)
_Alteration = (
    _ColumnAlteration
    | SetProperties
    | UnsetProperties
    | SetSerde
    | SetComment
    | ReplaceQuery
    | SetSchemaMode
)


def _without_session_catalog(parts: NameParts) -> NameParts:
    """``spark_catalog.db.t`` is ``db.t``: Spark's session catalog is the catalog itself."""
    return parts[1:] if len(parts) > 1 and parts[0].lower() in _SESSION_CATALOGS else parts


def _namespace(parts: NameParts) -> tuple[str, ...]:
    return tuple(part.lower() for part in _without_session_catalog(parts))


def _comment_apart(
    comment: str | None, properties: Mapping[str, str]
) -> tuple[str | None, dict[str, str]]:
    """The comment lives in the metastore's properties and is a field of its own in facts."""
    kept = without_volatile(properties)
    stored = kept.pop("comment", None)
    return (comment if stored is None else stored), kept


def _table(name: RelationName, statement: CreateTable) -> Relation:
    comment, properties = _comment_apart(statement.comment, statement.properties)
    twice = _duplicate((*statement.columns, *statement.partition_columns))
    if twice is not None:
        raise Refused(f"{name} would have two columns named {twice}")
    return Relation(
        name=name,
        columns=statement.columns,
        partition_columns=statement.partition_columns,
        comment=comment,
        properties=properties,
        serde=statement.serde,
        serde_properties=statement.serde_properties,
    )


def _stored_mode(statement: CreateView) -> SchemaMode:
    """What Spark 4 stores: COMPENSATION by default; declared columns cannot evolve, their types can."""
    if statement.schema_mode is SchemaMode.EVOLUTION and statement.columns:
        return SchemaMode.TYPE_EVOLUTION
    return statement.schema_mode or SchemaMode.COMPENSATION


_COPIED_BY_LIKE = ("avro.schema.literal", "avro.schema.url", PROVIDER)


def _copy_table(name: RelationName, source: Relation, statement: CreateTableLike) -> Relation:
    if source.is_view:
        raise Refused(f"{source.name} is a view, and its columns are not known here: list them")
    copied = {k: v for k, v in source.properties.items() if k in _COPIED_BY_LIKE}
    comment, properties = _comment_apart(None, {**copied, **statement.properties})
    return replace(source, name=name, comment=comment, properties=properties)


def _with_query(relation: Relation, text: str, current: tuple[str, ...]) -> Relation:
    if relation.view is None:
        raise Refused(f"{relation.name} is not a view")
    view = replace(
        relation.view, text=text, original_text=text, current_namespace=current, query_columns=()
    )
    # ALTER VIEW AS forgets the declared columns, in Hive and in Spark.
    return replace(relation, view=view, columns=())


def _columns(columns: tuple[Column, ...], statement: _ColumnAlteration) -> tuple[Column, ...]:
    match statement:
        case AddColumns(_, added):
            for column, place in added:
                columns = _place_column((*columns, column), len(columns), place)
            return columns
        case ReplaceColumns(_, replaced):
            return replaced
        case ChangeColumn(_, old, column, place):
            index = _index(columns, old)
            return _place_column((*columns[:index], column, *columns[index + 1 :]), index, place)
        case AlterColumn():
            return _alter_column(columns, statement)
        case RenameColumn(_, old, new):
            index = _index(columns, old)
            renamed = replace(columns[index], name=new)
            return (*columns[:index], renamed, *columns[index + 1 :])
        case DropColumns(_, dropped, if_exists):
            if not if_exists:
                for name in dropped:
                    _index(columns, name)
            gone = {name.lower() for name in dropped}
            return tuple(column for column in columns if column.name.lower() not in gone)
        case _:
            assert_never(statement)


def _alter_column(columns: tuple[Column, ...], statement: AlterColumn) -> tuple[Column, ...]:
    index = _index(columns, statement.column)
    old = columns[index]
    column = Column(
        old.name,
        old.type if statement.type is None else statement.type,
        old.comment if statement.comment is None else statement.comment,
        old.nullable if statement.nullable is None else statement.nullable,
    )
    return _place_column((*columns[:index], column, *columns[index + 1 :]), index, statement.place)


def _place_column(columns: tuple[Column, ...], index: int, place: Place) -> tuple[Column, ...]:
    column = columns[index]
    others = (*columns[:index], *columns[index + 1 :])
    if place.first:
        return (column, *others)
    if place.after is None:
        return columns
    after = _index(others, place.after)
    return (*others[: after + 1], column, *others[after + 1 :])


def _index(columns: tuple[Column, ...], name: str) -> int:
    for index, column in enumerate(columns):
        if column.name.lower() == name.lower():
            return index
    raise Refused(f"there is no column {name}")


def _has(columns: Iterable[Column], name: str) -> bool:
    return any(column.name.lower() == name.lower() for column in columns)


def _duplicate(columns: Iterable[Column]) -> str | None:
    seen: set[str] = set()
    for column in columns:
        name = column.name.lower()
        if name in seen:
            return name
        seen.add(name)
    return None
