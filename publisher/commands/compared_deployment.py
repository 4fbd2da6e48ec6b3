"""Compares a desired state with a catalog, or with the packages of another deployment."""

from __future__ import annotations

from dataclasses import replace

from lakeschema.isolation.pool import LimitedProcesses
from publisher.commands.consumer import index_at
from publisher.commands.failures import USAGE_ERROR, Refused
from publisher.commands.plan import plan_change
from publisher.commands.planned_deployment import (
    Question,
    build_audience,
    build_rules,
    opened_state,
)
from publisher.commands.planning.against import LIVE, Against, OtherCatalog, OtherIndex
from publisher.commands.planning.catalog_now import Say
from publisher.commands.planning.desired import (
    Desired,
    desired_of_catalog,
    desired_of_scripts,
    difference,
)
from publisher.commands.planning.packages import PackageForecast
from publisher.commands.planning.published import plan_against_packages
from publisher.commands.planning.values import Plan
from publisher.daemon.adapters import (
    build_ddl_catalogs,
    build_ddl_dialect,
    build_deriver,
    build_index_to_read,
    build_limited_packaging,
    open_catalog,
)
from publisher.index.protocol import PackageIndex
from publisher.settings import Settings


def compare_deployment(
    settings: Settings,
    processes: LimitedProcesses,
    against: Against,
    question: Question,
    say: Say,
) -> Plan:
    """The plan that makes ``against`` equal to the scripts or, without scripts, to the catalog.

    The limited ``processes`` must run with the settings of ``against``.

    Raises:
        MalformedDdl: a statement cannot be read or applied.
        CatalogUnavailable, CatalogRefused, PackageIndexError: the catalog or the index does not
            answer.
        Refused: there is nothing to compare, or the address is invalid.
    """
    match against:
        case OtherCatalog(settings=theirs):
            if not question.scripts and theirs is settings:
                why = f"--against {LIVE} compares DDL with the catalog, and there is no DDL"
                raise Refused(USAGE_ERROR, why, "name the folder that holds the desired state")
            return _with_catalog(settings, processes, against, question, say)
        case OtherIndex(address):
            return _with_index(settings, processes, index_at(address), question, say)


def _with_catalog(
    settings: Settings,
    processes: LimitedProcesses,
    against: OtherCatalog,
    question: Question,
    say: Say,
) -> Plan:
    theirs = against.settings
    desired = _desired(settings, processes, question, theirs)
    believes = question.believes_state and against.has_state
    with (
        open_catalog(theirs) as actual,
        opened_state(theirs, say, believes_state=believes) as state,
    ):
        forecast = PackageForecast(
            build_index_to_read(theirs),
            build_limited_packaging(theirs, processes),
            build_rules(theirs),
            state,
        )
        say(f"comparing {len(desired.relations)} relations")
        change = difference(desired, actual)
        deriver = build_deriver(theirs, processes)
        return plan_change(
            actual,
            deriver,
            forecast,
            change,
            state=state,
            say=say,
            audience=build_audience(theirs),
        )


def _with_index(
    settings: Settings,
    processes: LimitedProcesses,
    index: PackageIndex,
    question: Question,
    say: Say,
) -> Plan:
    desired = _desired(settings, processes, question, settings)
    packaging = build_limited_packaging(settings, processes)
    forecast = PackageForecast(index, packaging, build_rules(settings))
    say(f"deriving {len(desired.relations)} relations")
    plan = plan_against_packages(desired, build_deriver(settings, processes), forecast)
    return replace(plan, hits=build_audience(settings).hits(plan))


def _desired(
    settings: Settings, processes: LimitedProcesses, question: Question, theirs: Settings
) -> Desired:
    """The desired state. The settings ``theirs`` decide the meaning of names in scripts."""
    if question.scripts:
        return desired_of_scripts(
            question.scripts,
            question.dialect or build_ddl_dialect(theirs),
            build_deriver(settings, processes),
            build_ddl_catalogs(theirs),
        )
    with open_catalog(settings) as catalog:
        return desired_of_catalog(catalog)
