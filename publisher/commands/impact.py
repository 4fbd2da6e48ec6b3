"""The command ``impact``: shows the effects of changing a column or a relation."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from publisher.commands.arguments import Config, Json
from publisher.commands.failures import NO, Refused
from publisher.commands.planning.formats import ReportFormat, default_format

if TYPE_CHECKING:
    from lakeschema.analysis.catalog import KnownTable
    from lakeschema.analysis.usage.counting import Counts
    from lakeschema.catalog.identifiers import RelationName
    from lakeschema.catalog.relations import Catalog
    from lakeschema.translation.model.interface import Derivation
    from publisher.commands.impacting.finding import Stored
    from publisher.commands.impacting.values import Person
    from publisher.commands.planning.values import Plan
    from publisher.lineage.hits import Hit
    from publisher.lineage.values import Traced
    from publisher.settings import Settings
    from publisher.state.protocol import State, Transaction


def impact(
    name: Annotated[
        str, typer.Argument(help="database.table.column or database.table", metavar="NAME")
    ],
    config: Config = None,
    *,
    log: Annotated[
        Path | None,
        typer.Option(
            help="A file or folder of statements that ran, to find affected readers and tables; by "
            "default plan.query_log."
        ),
    ] = None,
    days: Annotated[int, typer.Option(min=1, help="How many of the log's last days count.")] = 90,
    policies: Annotated[
        Path | None,
        typer.Option(help="TOML file of masks and tags, to find those that are affected."),
    ] = None,
    output_format: Annotated[
        ReportFormat | None,
        typer.Option(
            "--format", help="By default text on a terminal, else JSON.", show_default=False
        ),
    ] = None,
    json: Json = None,
) -> None:
    """Shows what depends on a column or a relation, nearest first, and what breaks if it is removed.

    It lists views, tables that statements fill, packages with their next versions, people in a log,
    tags and masks. Nothing is changed.
    """
    from lakeschema.catalog.errors import MalformedName
    from lakeschema.catalog.typed_names import resolve_name
    from publisher.commands.deployment import state_to_read
    from publisher.commands.impacting.finding import people_of, with_plan, with_policies
    from publisher.commands.impacting.values import Impact
    from publisher.commands.lineage import invalid_name
    from publisher.commands.output.impact_output import write_impact
    from publisher.commands.translating import read_every_policy
    from publisher.commands.usage import known_catalog
    from publisher.daemon.adapters import build_packaging, naming_rules, open_catalog
    from publisher.lineage.hits import hits_of
    from publisher.lineage.questions import NotFound, place_of
    from publisher.lineage.tracing import trace
    from publisher.lineage.values import Direction
    from publisher.settings import load_settings

    settings = load_settings(config)
    names = partial(resolve_name, rules=naming_rules(settings))
    rules = None if policies is None else read_every_policy(policies)
    chosen_log = log or settings.plan.query_log
    distribution = build_packaging(settings).distribution

    def traced(tx: Transaction) -> Traced | NotFound:
        place = place_of(tx, name, names)
        if isinstance(place, NotFound):
            return place
        return trace(tx, place, Direction.DOWNSTREAM, distribution)

    with closing(state_to_read(settings)) as state, open_catalog(settings) as catalog:
        try:
            found = state.read(traced)
        except MalformedName as error:
            raise invalid_name(name) from error
        if isinstance(found, NotFound):
            raise Refused(NO, found.reason, found.hint)
        hits = hits_of(found)
        plan, why = _planned(settings, catalog, found)
        if plan is not None:
            hits = with_plan(hits, plan)
        if rules is not None:
            hits = with_policies(hits, rules, _stored(state, catalog, hits))
        people: Sequence[Person] | None = None
        if chosen_log is not None:
            relations, owners = known_catalog(state, catalog)
            people = people_of(hits, _counts(chosen_log, settings, days, relations), owners)
    answer = Impact(found.asked, hits, people, days, why, is_governed=rules is not None)
    write_impact(answer, output_format or default_format(json), sys.stdout)


def _planned(settings: Settings, catalog: Catalog, traced: Traced) -> tuple[Plan | None, str]:
    """The plan for the removal of the relation, or why there is no plan."""
    from publisher.commands.impacting.loss import CannotLose, loss_of
    from publisher.commands.plan import plan_change
    from publisher.commands.planned_deployment import build_forecast, opened_state
    from publisher.daemon.adapters import build_deriver, build_processes

    asked = traced.asked
    relation = catalog.read([asked.relation]).get(asked.relation)
    if relation is None:
        return None, f"the catalog no longer has {asked.relation}"
    try:
        change = loss_of(asked, relation, traced.columns)
    except CannotLose as error:
        return None, str(error)
    with (
        opened_state(settings, _say, believes_state=True) as reading,
        build_processes(settings) as processes,
    ):
        forecast = build_forecast(settings, processes, reading)
        deriver = build_deriver(settings, processes)
        return plan_change(catalog, deriver, forecast, change, state=reading, say=_say), ""


def _stored(state: State, catalog: Catalog, hits: Sequence[Hit]) -> Stored:
    """The relations of the hits and all relations that they read, upstream relations first."""
    from lakeschema.translation.deriving.upstream_first import waves
    from publisher.commands.impacting.finding import Stored
    from publisher.settling.deriving import derivation_from_text

    derivations: dict[RelationName, Derivation] = {}
    wanted = [hit.relation for hit in hits]
    while wanted:
        texts = state.read(partial(_derivations, wanted))
        read = {name: derivation_from_text(text) for name, text in texts.items()}
        derivations |= read
        upstreams = {each for derivation in read.values() for each in derivation.upstreams}
        wanted = sorted(upstreams - derivations.keys() - set(wanted))
    whole: dict[RelationName, Derivation] = {}
    for wave in waves({name: d.upstreams for name, d in derivations.items()}):
        # The columns of a view are unknown if one of its upstreams cannot be derived.
        known = [name for name in wave if all(u in whole for u in derivations[name].upstreams)]
        whole |= {name: derivations[name] for name in known}
    return Stored(whole, catalog.read(list(whole)))


def _derivations(names: Sequence[RelationName], tx: Transaction) -> Mapping[RelationName, str]:
    return tx.graph.derivations(names)


def _counts(
    log: Path, settings: Settings, days: int, relations: Mapping[RelationName, KnownTable]
) -> Counts:
    """The counts of statements in the log's last days; statements without a day are counted, too."""
    from lakeschema.analysis.usage.disuse import days_before
    from lakeschema.analysis.usage.tables import count_log_within_limits
    from publisher.commands.usage import logged_statements
    from publisher.daemon.adapters import catalog_names

    statements, _ = logged_statements(log, settings.check.dialect)
    last = max((each.day for each in statements), default="")
    since = days_before(last, days) if last else ""
    recent = [each for each in statements if not each.day or each.day > since]
    return count_log_within_limits(recent, relations, catalogs=catalog_names(settings)).counts


def _say(what: str) -> None:
    typer.echo(f"schema-publisher: {what}", err=True)
