"""Opens a deployment's catalog, index and state for a plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from lakeschema.catalog.ddl_change import Script
from lakeschema.catalog.relations import Catalog, Dialect
from lakeschema.isolation.pool import LimitedProcesses
from publisher.commands.audience.hits import Audience
from publisher.commands.plan import plan_as_it_is, plan_changes
from publisher.commands.planning.catalog_now import Say
from publisher.commands.planning.packages import PackageForecast, Rules
from publisher.commands.planning.values import Plan
from publisher.daemon.adapters import (
    build_ddl_catalogs,
    build_ddl_dialect,
    build_deriver,
    build_index_to_read,
    build_limited_packaging,
    build_packaging,
    build_policy,
    build_selection,
    open_catalog,
)
from publisher.settings import DdlCatalogSettings, Settings, StaticIndexSettings
from publisher.state.places import place_of
from publisher.state.reading import StateReading, UnreadableState, read_state


@dataclass(frozen=True, slots=True)
class Question:
    """The request for a plan.

    Attributes:
        scripts: the DDL to plan; without scripts, the plan shows what is not published yet.
        dialect: the dialect of the scripts; None means the catalog's dialect.
        believes_state: whether the state may answer in place of the catalog.
    """

    scripts: Sequence[Script] = ()
    dialect: Dialect | None = None
    believes_state: bool = True


def plan_deployment(
    settings: Settings, processes: LimitedProcesses, question: Question, say: Say
) -> Plan:
    """Plans the changes of the scripts.

    Raises:
        MalformedDdl: a statement cannot be read, or applied to the catalog.
        CatalogUnavailable, PackageIndexError: the catalog or the index does not answer.
    """
    with open_catalog(settings) as catalog:
        return plan_opened(settings, catalog, processes, question, say)


def plan_opened(
    settings: Settings,
    catalog: Catalog,
    processes: LimitedProcesses,
    question: Question,
    say: Say,
) -> Plan:
    """Like ``plan_deployment``, with an open catalog."""
    deriver = build_deriver(settings, processes)
    audience = build_audience(settings)
    if not question.scripts:
        # This is slow to import, and only needed for a slow plan.
        from publisher.commands.progress_bar import TerminalProgress

        forecast = build_forecast(settings, processes, None)
        with TerminalProgress() as progress:
            plan = plan_as_it_is(catalog, deriver, forecast, say, progress)
        return replace(plan, hits=audience.hits(plan))
    with opened_state(settings, say, believes_state=question.believes_state) as state:
        return plan_changes(
            catalog,
            deriver,
            build_forecast(settings, processes, state),
            question.scripts,
            state=state,
            say=say,
            dialect=question.dialect or build_ddl_dialect(settings),
            audience=audience,
            tells_renames=isinstance(settings.default_catalog, DdlCatalogSettings),
            catalogs=build_ddl_catalogs(settings),
        )


def build_audience(settings: Settings) -> Audience:
    """The known users of the packages.

    Raises:
        Refused: a file that the settings name is missing, too large or damaged.
    """
    packaging, named = build_packaging(settings), settings.plan
    audience = Audience(packaging.distribution)
    # Each reader is only imported if the settings name a file for it.
    if named.query_log is not None:
        from publisher.commands.audience.query_log import require_query_log

        require_query_log(named.query_log)
        dialect = Dialect(named.query_dialect)
        audience = replace(audience, query_log=named.query_log, query_dialect=dialect)
    if named.lock_files:
        from publisher.commands.audience.lock_files import read_registered

        pins = read_registered(named.lock_files, packaging.prefix)
        audience = replace(audience, pins=pins)
    if named.downloads is not None:
        from publisher.commands.audience.downloads import read_downloads

        audience = replace(audience, downloads=read_downloads(named.downloads))
    return audience


def build_rules(settings: Settings) -> Rules:
    return Rules(
        settings.artifacts.versioning,
        build_selection(settings),
        build_policy(settings),
        can_yank=isinstance(settings.index, StaticIndexSettings),
    )


def build_forecast(
    settings: Settings, processes: LimitedProcesses, state: StateReading | None
) -> PackageForecast:
    """The forecast of the versions that would be published."""
    packaging = build_limited_packaging(settings, processes)
    return PackageForecast(build_index_to_read(settings), packaging, build_rules(settings), state)


@contextmanager
def opened_state(
    settings: Settings, say: Say, *, believes_state: bool
) -> Iterator[StateReading | None]:
    with ExitStack() as stack:
        state: StateReading | None = None
        if believes_state:
            try:
                state = stack.enter_context(read_state(place_of(settings.state)))
            except UnreadableState as error:
                say(str(error))
        yield state
