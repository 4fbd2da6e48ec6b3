"""Opens a project's deployment, and finds what the project would change there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from lakeschema.catalog.catalogs import adapter_of
from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.metastore_views import MetastoreViews, StoredRelation
from lakeschema.catalog.relations import Catalog, Relation
from lakeschema.isolation.pool import LimitedProcesses
from publisher.commands.failures import USAGE_ERROR, Refused
from publisher.commands.plan import plan_change
from publisher.commands.planned_deployment import build_audience, build_forecast, opened_state
from publisher.commands.planning.catalog_now import Say
from publisher.commands.planning.values import Plan
from publisher.commands.projects.applying import is_marked
from publisher.commands.projects.artifacts import Repositories, artifact_problems
from publisher.commands.projects.defining import define
from publisher.commands.projects.reading import FILE, readable_project
from publisher.commands.projects.stepping import Steps, change_of, steps_to
from publisher.commands.projects.values import Live, Problem, Project, record_of
from publisher.daemon.adapters import build_deriver, build_options, build_processes, open_catalog
from publisher.settings import Settings, load_settings
from publisher.settings.errors import SettingsError


@dataclass(frozen=True, slots=True)
class OpenProject:
    """A project with its open catalog; ``store``: None for a catalog other than a metastore."""

    project: Project
    settings: Settings
    catalog: Catalog
    store: MetastoreViews | None
    processes: LimitedProcesses

    def with_functions(
        self, relations: Mapping[RelationName, Relation]
    ) -> Mapping[RelationName, Relation]:
        return relations if self.store is None else self.store.with_functions(relations)

    def metastore(self) -> MetastoreViews:
        """The store.

        Raises:
            Refused: the catalog is not a metastore.
        """
        if self.store is None:
            kind = self.settings.catalogs[self.project.catalog].kind
            why = f"views are written to a Hive Metastore, and {self.project.deployment} has"
            hint = 'set kind = "hive" and the uri of the metastore in its [catalog]'
            if len(self.settings.catalog) > 1:
                hint += f", or name such a catalog in {FILE}: catalog = "
                hint += " or ".join(
                    f'"{each.name}"' for each in self.settings.catalog if each.kind == "hive"
                )
            raise Refused(USAGE_ERROR, f'{why} a catalog of kind "{kind}"', hint)
        return self.store


@dataclass(frozen=True, slots=True)
class ProjectPlan:
    """The consequences of applying a project.

    Attributes:
        consequences: of the steps for packages, dependents and users.
        teams: the owners of the relations that the steps reach, with these relations.
    """

    project: Project
    steps: Steps
    problems: Sequence[Problem]
    consequences: Plan
    teams: Sequence[tuple[str, Sequence[RelationName]]] = ()

    @property
    def breaks(self) -> bool:
        return bool(self.problems) or self.consequences.breaks


@contextmanager
def opened_project(folder: Path, config: Path | None) -> Iterator[OpenProject]:
    """Opens the catalog of the settings that ``config`` or the project names."""
    project = readable_project(folder)
    if config is not None:
        project = replace(project, deployment=config)
    settings = load_settings(project.deployment)
    project = _in_catalog(project, settings)
    with open_catalog(settings) as catalog, build_processes(settings) as processes:
        adapter = adapter_of(catalog, project.catalog)
        store = None
        if isinstance(adapter, HiveMetastoreCatalog):
            store = MetastoreViews(adapter.client, project.catalog)
        yield OpenProject(project, settings, catalog, store, processes)


def _in_catalog(project: Project, settings: Settings) -> Project:
    try:
        catalog = settings.key_of_catalog(project.catalog)
    except SettingsError as error:
        raise Refused(USAGE_ERROR, f"{FILE}: catalog: {error}") from error
    views = [replace(view, name=replace(view.name, catalog=catalog)) for view in project.views]
    return replace(project, catalog=catalog, views=views)


def plan_project(opened: OpenProject, say: Say, *, drops: bool, artifacts: bool) -> ProjectPlan:
    """The project's steps, their consequences, and all problems.

    Args:
        opened: the project.
        say: shows progress to a person.
        drops: whether to drop views of this project whose files are gone.
        artifacts: whether to ask the repositories for artifacts.

    Raises:
        CatalogError, PackageIndexError: the catalog or the index does not answer.
    """
    project, settings = opened.project, opened.settings
    problems: list[Problem] = []
    if artifacts:
        problems += artifact_problems(project, Repositories.of(project))
    deriver = build_deriver(settings, opened.processes)
    say(f"deriving {len(project.views)} views")
    options = build_options(settings)
    defined = define(project, opened.catalog, deriver, options, opened.with_functions)
    live = live_of(opened)
    if any(is_marked(each.properties) for each in live.relations.values()):
        say("an apply of this project was interrupted, or still runs")
    steps = steps_to(project, defined.definitions, live, drops=drops)
    problems += [*defined.problems, *steps.problems]
    consequences = Plan()
    if steps.steps:
        change = change_of(steps.steps)
        with opened_state(settings, say, believes_state=True) as state:
            consequences = plan_change(
                opened.catalog,
                deriver,
                build_forecast(settings, opened.processes, state),
                replace(change, relations=opened.with_functions(change.relations)),
                state=state,
                say=say,
                audience=build_audience(settings),
            )
    return ProjectPlan(project, steps, sorted(problems), consequences, _teams(opened, consequences))


def live_of(opened: OpenProject) -> Live:
    """The project's views as the catalog has them."""
    project = opened.project
    names = [view.name for view in project.views]
    namespaces = frozenset(opened.catalog.namespaces())
    if opened.store is None:
        read = opened.catalog.read(names)
        found = {name: StoredRelation(each, {}, "", "") for name, each in read.items()}
        return Live(found, namespaces, has_records=False)
    there = [d for d in project.databases if Namespace((d,), project.catalog) in namespaces]
    views = [name for database in there for name in opened.store.views(database)]
    stored = opened.store.read(list(dict.fromkeys([*names, *views])))
    kept = {name: each for name, each in stored.items() if name in names or _is_of(project, each)}
    return Live(kept, namespaces, has_records=True)


def _is_of(project: Project, found: StoredRelation) -> bool:
    record = record_of(found.properties)
    return record is not None and record.project == project.name


def _teams(opened: OpenProject, plan: Plan) -> Sequence[tuple[str, Sequence[RelationName]]]:
    """The owners of the relations that the steps affect, without the views that the steps write."""
    catalog = opened.project.catalog
    adapter = adapter_of(opened.catalog, catalog)
    if not isinstance(adapter, HiveMetastoreCatalog):
        return ()
    own = {each.relation for each in plan.relations}
    reached = {
        replace(name, catalog="")
        for each in plan.relations
        for name in (*each.dependents_before, *each.dependents_after)
        if name not in own and name.catalog == catalog
    }
    found: dict[str, list[RelationName]] = {}
    for name, owner in sorted(adapter.owners(sorted(reached)).items()):
        found.setdefault(owner, []).append(replace(name, catalog=catalog))
    return sorted(found.items())
