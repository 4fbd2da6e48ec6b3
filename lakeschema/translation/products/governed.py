"""Makes a relation's schema, plan and texts under policies, for one group of readers.

Each relation is derived over its upstreams as these readers see them, so that types, nulls and
lineage follow from the masks. A text contains the queries of the views that it reads, because the
engine's views of these names have no masks. A table is written as a view that selects all columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from lakeschema.avro.model import Record
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation, ViewText
from lakeschema.translation.avro.masked_interface import masked_interface, without_columns
from lakeschema.translation.avro.vanilla_hive import as_hive_sees
from lakeschema.translation.deriving.derivation import derive_view
from lakeschema.translation.deriving.direct_deriver import DirectDeriver
from lakeschema.translation.deriving.with_upstreams import derive_with_upstreams
from lakeschema.translation.emission.hive.query import HiveQuery
from lakeschema.translation.emission.hive.text import relation as hives_name
from lakeschema.translation.emission.hive.view import hive_view_of
from lakeschema.translation.emission.pig.script import PigScript
from lakeschema.translation.emission.pig.view import pig_view_of
from lakeschema.translation.emission.selects import RelationText
from lakeschema.translation.emission.spark.query import SparkQuery
from lakeschema.translation.emission.spark.text import relation as sparks_name
from lakeschema.translation.emission.spark.udfs import SparkFunctions
from lakeschema.translation.emission.spark.view import spark_view_of
from lakeschema.translation.emission.trino.query import TrinoQuery
from lakeschema.translation.emission.trino.text import relation_text as trinos_name
from lakeschema.translation.emission.trino.view import trino_view_of
from lakeschema.translation.functions.semantics import semantics_of
from lakeschema.translation.model.errors import CannotEnforce, TooLarge, TranslationError, errors_of
from lakeschema.translation.model.interface import Derivation, Interface, Options
from lakeschema.translation.model.outcome import Derived, Failed, Outcome, failure
from lakeschema.translation.plan.relations import Columns, Plan, Project, Scan, references
from lakeschema.translation.policies.choosing import Chosen, choose
from lakeschema.translation.policies.provenance import Governed, governed_columns
from lakeschema.translation.policies.rules import HashMask, PartialMask, Policies
from lakeschema.translation.resolution.row_filters import resolve_row_filter
from lakeschema.translation.resolution.scans import scan_of
from lakeschema.translation.rewriting.policies_at_scans import (
    Enforced,
    enforced,
    policies_at_scans,
)

MAX_TEXT = 1_000_000
"""The maximum length of a text in characters: a view that is read twice is written twice."""

_Query = TypeVar("_Query", SparkQuery, TrinoQuery, HiveQuery)
_Write: TypeAlias = Callable[[Relation, Plan, RelationText], _Query]


@dataclass(frozen=True, slots=True)
class GovernedRelation:
    """A relation under the policies for one reader.

    Attributes:
        relations: the facts of at least this relation and all relations that it reads.
        derivations: the derivations of the relation and its upstreams under the policies, upstream
            relations first.
        whole: the interface of each relation, with its upstreams' masks but without its own masks.
        chosen: the policies that apply to each relation.
        columns: the masks and tags of each relation's columns, left to right.
    """

    name: RelationName
    relations: Mapping[RelationName, Relation]
    derivations: Mapping[RelationName, Derivation]
    whole: Mapping[RelationName, Interface]
    chosen: Mapping[RelationName, Chosen]
    columns: Mapping[RelationName, Sequence[Governed]]
    options: Options

    @property
    def schema(self) -> Record:
        interface = self.derivations[self.name].interface
        gone = {interface.names[place].lower() for place in self._dropped}
        return without_columns(interface.schema, gone)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns that the reader gets."""
        names = self.derivations[self.name].interface.names
        return tuple(names[place] for place in self._kept)

    @property
    def governed(self) -> Mapping[str, Governed]:
        """The reader's columns that masks or tags affect, by name."""
        each = self.columns[self.name]
        found = ((name, each[p]) for name, p in zip(self.names, self._kept, strict=True))
        return {name: governed for name, governed in found if governed.masks or governed.tags}

    @property
    def filtered(self) -> tuple[RelationName, ...]:
        """The relations whose rows are filtered for the reader."""
        return tuple(sorted(name for name in self.chosen if self.chosen[name].conditions))

    @property
    def dropped(self) -> tuple[str, ...]:
        """The columns that are withheld from the reader."""
        names = self.derivations[self.name].interface.names
        return tuple(names[place] for place in self._dropped)

    @property
    def _dropped(self) -> tuple[int, ...]:
        return tuple(i for i, column in enumerate(self.columns[self.name]) if column.dropped)

    @property
    def _kept(self) -> tuple[int, ...]:
        return tuple(i for i, column in enumerate(self.columns[self.name]) if not column.dropped)

    def plan(self, table_dialect: Dialect = Dialect.SPARK) -> Plan:
        """The plan of the rows that the reader gets, over scans of tables and of unchanged views.

        ``table_dialect``: the dialect for reading a table; a view has its own.

        Raises:
            TranslationError: a policy cannot be enforced.
        """
        view = self._as_view(table_dialect)
        plan = self._plan_of(view)
        if not self.chosen[self.name].is_empty:
            columns = self._own_columns(plan, view)
            with errors_of(self.name):
                plan = enforced(self._policy(plan, self.name, view), columns)
        return _with_columns(plan, self._kept) if self._dropped else plan

    def spark(self) -> SparkQuery:
        """The query for Spark.

        Raises:
            TranslationError: a policy cannot be enforced, or Spark has no equivalent.
        """
        functions = SparkFunctions.of(self.options)

        def write(view: Relation, plan: Plan, text: RelationText) -> SparkQuery:
            return spark_view_of(view, plan, self._names_of(view.name), text, functions)

        queries = self._written(write, sparks_name)
        query = queries[self.name]
        for name, inner in queries.items():
            if dict(inner.settings) != dict(query.settings):
                raise CannotEnforce(
                    str(name), f"{self.name}, which reads it, was made under other settings"
                )
        return query

    def trino(self) -> TrinoQuery:
        """The query for Trino.

        Raises:
            TranslationError: a policy cannot be enforced, or Trino has no equivalent.
        """

        def write(view: Relation, plan: Plan, text: RelationText) -> TrinoQuery:
            names, upstreams = self._names_of(view.name), self._read_by(view.name)
            return trino_view_of(view, plan, names, upstreams, self.options, text)

        def own_name(name: RelationName) -> str:
            return trinos_name(name, self.options.trino_catalogs)

        queries = self._written(write, own_name)
        functions = {function for query in queries.values() for function in query.functions}
        return replace(queries[self.name], functions=tuple(sorted(functions)))

    def hive(self) -> HiveQuery:
        """The query for Hive.

        Raises:
            TranslationError: a policy cannot be enforced, or Hive has no equivalent.
        """

        def write(view: Relation, plan: Plan, text: RelationText) -> HiveQuery:
            names, upstreams = self._names_of(view.name), self._read_by(view.name)
            return hive_view_of(view, plan, names, upstreams, text)

        return self._written(write, hives_name)[self.name]

    def pig(self, taken: Iterable[str] = ()) -> PigScript:
        """The script for Pig; ``taken`` are names that it must not define.

        Raises:
            TranslationError: a policy cannot be enforced, or Pig has no equivalent.
        """

        def view_plan(name: RelationName) -> Plan | None:
            relation = self.relations.get(name)
            return self._plan_of(relation) if relation is not None and relation.is_view else None

        return pig_view_of(
            self._as_view(Dialect.HIVE),
            self.plan(Dialect.HIVE),
            self.names,
            self.relations,
            view_plan,
            self.options,
            taken=tuple(taken),
        )

    def _written(
        self, write: _Write[_Query], own_name: RelationText
    ) -> Mapping[RelationName, _Query]:
        """The query of each view that must be written; the query of the relation itself comes last.

        Each query contains the queries of the views that it reads.
        """
        queries: dict[RelationName, _Query] = {}

        def text(name: RelationName) -> str:
            return f"({queries[name].sql})" if name in queries else own_name(name)

        for name in self.derivations:
            own = name == self.name
            view = self._as_view() if own else self.relations[name]
            if not view.is_view:
                continue
            with errors_of(name):
                plan = self.plan() if own else self._plan_of(view)
                queries[name] = write(view, plan, text)
            if len(queries[name].sql) > MAX_TEXT:
                raise TooLarge(
                    f"with its upstream views, its text is longer than {MAX_TEXT:,} characters",
                    relation=name,
                )
        return queries

    def _names_of(self, name: RelationName) -> Sequence[str]:
        return self.names if name == self.name else self.whole[name].names

    def _read_by(self, name: RelationName) -> Mapping[RelationName, Interface]:
        """The relations that a view scans; a table is treated as a view that scans itself."""
        read = self.derivations[name].upstreams if self.relations[name].is_view else (name,)
        return {each: self.whole[each] for each in read}

    def _as_view(self, table_dialect: Dialect = Dialect.SPARK) -> Relation:
        """The relation as a view; a table's text is empty, since its plan is a scan."""
        relation = self.relations[self.name]
        if relation.is_view:
            return relation
        return replace(relation, view=ViewText(table_dialect, "", "", relation.name.namespace))

    def _plan_of(self, view: Relation) -> Plan:
        """The plan of a view under the policies of its upstreams, without its own policies."""
        if not self.relations[view.name].is_view:
            return _scan(self.whole[view.name], view)
        upstreams = {
            read: self.derivations[read].interface for read in self.derivations[view.name].upstreams
        }
        plan = derive_view(view, upstreams, self.options)[1]
        with errors_of(view.name):
            return policies_at_scans(plan, lambda scan: self._at(scan, view))

    def _at(self, scan: Scan, reader: Relation) -> Enforced | None:
        if self.chosen[scan.relation].is_empty:
            return None
        rows = _scan(self.whole[scan.relation], reader)
        return self._policy(rows, scan.relation, reader)

    def _policy(self, rows: Plan, name: RelationName, reader: Relation) -> Enforced:
        chosen, view = self.chosen[name], reader.view
        assert view is not None, "policies are put over what a view reads"
        masks = [chosen.masks.get(place) for place in range(len(rows.columns))]
        if view.dialect is Dialect.TRINO and any(
            isinstance(mask, HashMask | PartialMask) for mask in masks
        ):
            raise CannotEnforce(
                str(name), "views of Trino's dialect can have null, constant and dropped columns"
            )
        conditions = [
            resolve_row_filter(text, rows, self.relations[name], semantics_of(view), self.options)
            for text in chosen.conditions
        ]
        return Enforced(rows, conditions, masks)

    def _own_columns(self, plan: Plan, relation: Relation) -> Columns:
        """The plan's columns with the types that the relation's own masks give."""
        shown = _scan(self.derivations[self.name].interface, relation).columns
        masks = self.chosen[self.name].masks
        return tuple(
            shown[place] if place in masks else column for place, column in enumerate(plan.columns)
        )


def govern(
    name: RelationName,
    relations: Mapping[RelationName, Relation],
    policies: Policies,
    options: Options,
) -> GovernedRelation:
    """A relation under the policies for one reader (``Policies.for_group``).

    Raises:
        TranslationError: a relation cannot be derived, or a policy does not fit or cannot be enforced.
    """
    deriver = _GovernedDeriver(policies, options)
    derivations = derive_with_upstreams(name, relations, options, deriver)
    columns = governed_columns(derivations, deriver.chosen)
    found = GovernedRelation(
        name, relations, derivations, deriver.whole, deriver.chosen, columns, options
    )
    if not found.names:
        raise CannotEnforce(str(name), "no column would remain")
    return found


class _GovernedDeriver:
    """Derives relations as a reader sees them, and remembers the chosen policies."""

    def __init__(self, policies: Policies, options: Options) -> None:
        self._direct = DirectDeriver(options)
        self._policies = policies
        self.whole: dict[RelationName, Interface] = {}
        self.chosen: dict[RelationName, Chosen] = {}

    def upstreams(self, relation: Relation) -> tuple[RelationName, ...] | Failed:
        return self._direct.upstreams(relation)

    def derive(self, relation: Relation, upstreams: Mapping[RelationName, Interface]) -> Outcome:
        outcome = self._direct.derive(relation, upstreams)
        if isinstance(outcome, Failed):
            return outcome
        interface = outcome.derivation.interface
        try:
            with errors_of(relation.name):
                chosen = choose(self._policies, relation, interface)
                shown = masked_interface(interface, chosen.masks)
        except TranslationError as error:
            return failure(error)
        self.whole[relation.name], self.chosen[relation.name] = interface, chosen
        return Derived(replace(outcome.derivation, interface=shown))

    def inputs_hash(self, relation: Relation, upstream_hashes: Mapping[RelationName, str]) -> str:
        return self._direct.inputs_hash(relation, upstream_hashes)

    def interface_hash(self, interface: Interface) -> str:
        return self._direct.interface_hash(interface)


def _with_columns(plan: Plan, places: Sequence[int]) -> Plan:
    """The plan with only these columns.

    Other columns are not computed, because an engine may lack their types.
    """
    if isinstance(plan, Project):
        return replace(plan, items=tuple(plan.items[place] for place in places))
    read = references(plan)
    return Project(plan, tuple((read[place].name, read[place]) for place in places))


def _scan(interface: Interface, reader: Relation) -> Scan:
    """A scan of the relation, with the types that the reader's dialect gives its columns."""
    assert reader.view is not None, "tables do not read"
    dialect = reader.view.dialect
    return scan_of(interface if dialect is Dialect.SPARK else as_hive_sees(interface), dialect)
