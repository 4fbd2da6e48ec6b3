"""Makes SQL that refreshes a view's stored rows after inserts, and queries that read stored views.

Both are refused unless they certainly give the view's rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation, ViewText
from lakeschema.translation.deriving.derivation import derive_view
from lakeschema.translation.emission.spark.query import SparkQuery
from lakeschema.translation.emission.spark.text import relation as sparks_name
from lakeschema.translation.emission.spark.udfs import SparkFunctions
from lakeschema.translation.emission.spark.view import spark_view_of
from lakeschema.translation.emission.trino.query import TrinoQuery
from lakeschema.translation.emission.trino.view import trino_view_of
from lakeschema.translation.functions.semantics import semantics_of
from lakeschema.translation.functions.settings import carried
from lakeschema.translation.model.errors import CannotRefresh, CannotSubstitute, errors_of
from lakeschema.translation.model.interface import Derivation, FloatingSums, Interface, Options
from lakeschema.translation.plan.relations import Plan, PlanColumn, Scan, plans_of
from lakeschema.translation.rewriting.containment import StoredView
from lakeschema.translation.rewriting.delta_of_inserts import Insertion
from lakeschema.translation.rewriting.merging import Merging
from lakeschema.translation.rewriting.refresh_by_inserts import Append, Merge, refresh_by_inserts
from lakeschema.translation.rewriting.repeatable import why_unrepeatable
from lakeschema.translation.rewriting.stored_view_read import StoredViewReader
from lakeschema.translation.rewriting.views_inlined import views_inlined


@dataclass(frozen=True, slots=True)
class RewrittenView:
    """A view with a rewritten plan, which has the view's columns.

    ``read`` has the interfaces of at least the relations that the plan scans.
    """

    relation: Relation
    plan: Plan
    names: Sequence[str]
    read: Mapping[RelationName, Interface]
    options: Options

    def spark(self) -> SparkQuery:
        """The query for Spark.

        Raises:
            TranslationError: Spark has no equivalent.
        """
        functions = SparkFunctions.of(self.options)
        return spark_view_of(self.relation, self.plan, self.names, sparks_name, functions)

    def trino(self) -> TrinoQuery:
        """The query for Trino.

        Raises:
            TranslationError: Trino has no equivalent.
        """
        return trino_view_of(self.relation, self.plan, self.names, self.read, self.options)


@dataclass(frozen=True, slots=True)
class Refresh:
    """How inserted rows change a view's stored rows.

    Attributes:
        view: the rows to add or, if there are ``keys``, the rows that replace all stored rows.
        keys: the columns that identify a group's row; None if rows are added.
    """

    view: RewrittenView
    keys: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class StoredViews:
    """Answers about stored rows of views. The relations include all upstreams of the views."""

    relations: Mapping[RelationName, Relation]
    derivations: Mapping[RelationName, Derivation]
    options: Options

    def refresh(
        self,
        name: RelationName,
        insertions: Mapping[RelationName, Insertion],
        stored: RelationName,
    ) -> Refresh | None:
        """How rows inserted upstream change the rows in ``stored``; None if they change no row.

        Args:
            name: the name of a view.
            insertions: the inserted rows, by relation; a relation may be at any distance upstream.
            stored: a table with the view's columns and its earlier rows.

        Raises:
            CannotRefresh: the inserted rows do not determine the view's rows; the message says why.
            TranslationError: a view cannot be read.
        """
        with errors_of(name):
            reached = self._reached(name, insertions)
            if not reached & insertions.keys():
                return None
            plan = views_inlined(
                self._plan(name), lambda view: self._within(view, name, insertions)
            )
            self._check_others(reached, insertions)
            rows = Scan(stored, self._columns(name, plan))
            found = refresh_by_inserts(plan, rows, insertions, self._merging(name))
        if found is None:
            return None
        names = self.derivations[name].interface.names
        others = [(table, each.inserted) for table, each in insertions.items()]
        others += [(table, each.before) for table, each in insertions.items() if each.before]
        read = self._read([*others, (name, stored)])
        view = RewrittenView(self.relations[name], found.rows, names, read, self.options)
        match found:
            case Append():
                return Refresh(view, None)
            case Merge(keys=places):
                return Refresh(view, tuple(names[place] for place in places))

    def over_stored(
        self, name: RelationName, stored: Mapping[RelationName, RelationName]
    ) -> tuple[RewrittenView, tuple[RelationName, ...]]:
        """The rewritten view or query over other views' stored rows, and the names of these views.

        Args:
            name: the view or query to rewrite.
            stored: for each view, the table with its current rows; the first views that fit are
                used.

        Raises:
            CannotSubstitute: no view can be used; the message says why.
            TranslationError: a view cannot be read.
        """
        with errors_of(name):
            plan = self._expanded(name, name, stored)
            used: list[RelationName] = []
            reasons: list[str] = []
            for view, table in stored.items():
                found, reason = self._reading(plan, name, view, table)
                if found is plan:
                    reasons.append(f"{view}: {reason}")
                else:
                    plan = found
                    used.append(view)
            if not used:
                raise CannotSubstitute(reasons)
        read = self._read(stored.items())
        names = self.derivations[name].interface.names
        return RewrittenView(self.relations[name], plan, names, read, self.options), tuple(used)

    def _reading(
        self, plan: Plan, name: RelationName, view: RelationName, table: RelationName
    ) -> tuple[Plan, str]:
        """The plan of ``name`` with ``view`` read from its rows in ``table``, and "".

        If that is impossible, the unchanged plan and the reason.
        """
        of_view = self._expanded(view, view, {})
        for below in sorted({b for leaf in _scanned(of_view) for b in self._reached(leaf, ())}):
            reason = self._why_unrepeatable(below, floats=True)
            if reason is not None:
                return plan, f"in {below}, {reason}"
        rows = Scan(table, self._columns(view, of_view))
        # This applies if the plan reads the whole view; the reader below judges parts of it.
        own = why_unrepeatable(of_view, floats=True)
        if view in _scanned(plan) and own is None:
            plan = views_inlined(plan, lambda scanned: rows if scanned == view else None)
        if not self._is_read_alike(view, name):
            return plan, own or "it is of another dialect or was made under other settings"
        reader = StoredViewReader(StoredView(of_view, rows, self._merging(name)))
        return reader.plan(plan), own or reader.reason

    def _expanded(
        self, name: RelationName, reader: RelationName, kept: Collection[RelationName]
    ) -> Plan:
        """The plan with views replaced by their plans, except views in ``kept``.

        Views under the rules of another dialect are not replaced, either.
        """

        def within(view: RelationName) -> Plan | None:
            plain = not self.relations[view].is_view or view in kept
            if plain or not self._is_read_alike(view, reader):
                return None
            return self._expanded(view, reader, kept)

        return views_inlined(self._plan(name), within)

    def _reached(
        self, name: RelationName, leaves: Collection[RelationName]
    ) -> frozenset[RelationName]:
        """The relation and its upstreams at any distance, down to ``leaves``."""
        found: set[RelationName] = set()
        waiting = [name]
        while waiting:
            reader = waiting.pop()
            if reader not in found:
                found.add(reader)
                waiting += () if reader in leaves else self.derivations[reader].upstreams
        return frozenset(found)

    def _within(
        self,
        view: RelationName,
        reader: RelationName,
        insertions: Mapping[RelationName, Insertion],
    ) -> Plan | None:
        """The plan of a view that gains rows; None if it can be read as it is."""
        reached = self._reached(view, insertions)
        if view in insertions or not reached & insertions.keys():
            return None
        if not self._is_read_alike(view, reader):
            raise CannotRefresh(
                f"{view}, which it reads, is of another dialect or was made under other settings"
            )
        return views_inlined(self._plan(view), lambda name: self._within(name, view, insertions))

    def _check_others(
        self, reached: Collection[RelationName], insertions: Mapping[RelationName, Insertion]
    ) -> None:
        """Refuses views without new rows that might return other rows if they were read again."""
        for name in sorted(reached):
            if not self._reached(name, insertions) & insertions.keys():
                reason = self._why_unrepeatable(name, floats=self._floats)
                if reason is not None:
                    raise CannotRefresh(f"in {name}, {reason}")

    def _read(
        self, alike: Iterable[tuple[RelationName, RelationName | None]]
    ) -> Mapping[RelationName, Interface]:
        """The interfaces of all relations, and of tables with another relation's columns (``alike``)."""
        known = {name: derivation.interface for name, derivation in self.derivations.items()}
        others = {
            other: known[name] for name, other in alike if other is not None and name in known
        }
        return {**known, **others}

    def _why_unrepeatable(self, name: RelationName, *, floats: bool) -> str | None:
        """Why reading the view again might return other rows; None if it cannot."""
        if not self.relations[name].is_view:
            return None
        return why_unrepeatable(self._plan(name), floats=floats)

    def _is_read_alike(self, one: RelationName, other: RelationName) -> bool:
        views = [self._text(name) for name in (one, other)]
        return (
            len({semantics_of(view) for view in views}) == 1
            and len({tuple(sorted(carried(view).items())) for view in views}) == 1
        )

    def _plan(self, name: RelationName) -> Plan:
        upstreams = {
            read: self.derivations[read].interface for read in self.derivations[name].upstreams
        }
        return derive_view(self.relations[name], upstreams, self.options)[1]

    def _columns(self, name: RelationName, plan: Plan) -> tuple[PlanColumn, ...]:
        """The columns of a scan of the view's stored rows."""
        names = self.derivations[name].interface.names
        return tuple(
            PlanColumn(shown, column.type, column.nullable)
            for shown, column in zip(names, plan.columns, strict=True)
        )

    def _merging(self, name: RelationName) -> Merging:
        return Merging(semantics_of(self._text(name)), self._floats)

    def _text(self, name: RelationName) -> ViewText:
        view = self.relations[name].view
        assert view is not None, f"{name} is a table"
        return view

    @property
    def _floats(self) -> bool:
        return self.options.floating_sums is FloatingSums.ACCEPT


def _scanned(plan: Plan) -> frozenset[RelationName]:
    return frozenset(node.relation for node in plans_of(plan) if isinstance(node, Scan))
