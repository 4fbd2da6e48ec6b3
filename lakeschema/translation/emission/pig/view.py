"""Writes the Pig script that returns the same rows as the view's engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation
from lakeschema.translation.deriving.derivation import derive_view
from lakeschema.translation.emission.pig.loads import loads_of
from lakeschema.translation.emission.pig.names import Aliases
from lakeschema.translation.emission.pig.script import PigScript, ViewPlan, pig_script
from lakeschema.translation.model.errors import UnsupportedConstruct, errors_of
from lakeschema.translation.model.interface import Interface, Options
from lakeschema.translation.plan.relations import Plan

Upstreams = Callable[[RelationName], Mapping[RelationName, Interface]]
"""The interfaces of the relations that a view reads."""


def pig_view(
    name: RelationName,
    relations: Mapping[RelationName, Relation],
    upstreams: Upstreams,
    options: Options,
    *,
    alias: str | None = None,
    taken: Iterable[str] = (),
) -> PigScript:
    """The script of one view, including the statements of all views that it reads.

    Args:
        name: a view among ``relations``.
        relations: at least the view and its upstreams at any distance.
        upstreams: returns the interfaces of the relations that a view reads.
        options: the options for deriving the view's schema.
        alias: the alias of the rows; the view's name by default.
        taken: names that the script must not use.

    Raises:
        TranslationError: a view cannot be read, or Pig has no equivalent.
    """
    view = relations[name]

    def view_plan(read: RelationName) -> Plan | None:
        relation = relations.get(read)
        if relation is None or not relation.is_view:
            return None
        return derive_view(relation, upstreams(read), options)[1]

    derivation, plan = derive_view(view, upstreams(name), options)
    names = derivation.interface.names
    return pig_view_of(
        view, plan, names, relations, view_plan, options, alias=alias, taken=tuple(taken)
    )


def pig_view_of(
    view: Relation,
    plan: Plan,
    names: Sequence[str],
    relations: Mapping[RelationName, Relation],
    view_plan: ViewPlan,
    options: Options,
    *,
    alias: str | None = None,
    taken: tuple[str, ...] = (),
) -> PigScript:
    """The script of a view with this plan; see ``pig_view``. The plan may be a rewritten one.

    ``view_plan`` returns the plan of a view that this view reads.

    Raises:
        TranslationError: Pig has no equivalent.
    """

    def hives_plan(read: RelationName) -> Plan | None:
        if read in relations:
            _check(relations[read])
        return view_plan(read)

    chosen = alias or Aliases(taken).fresh(view.name.name)
    with errors_of(view.name):
        _check(view)
        return pig_script(
            plan,
            names,
            chosen,
            view_plan=hives_plan,
            load=loads_of(options.pig_loads),
            taken=taken,
            plain_values=options.pig_plain_values,
        )


def _check(relation: Relation) -> None:
    if relation.view is not None and relation.view.dialect is not Dialect.HIVE:
        raise UnsupportedConstruct("a view of Spark's dialect for Pig", relation=relation.name)
