"""``project``: views in Git, from a folder to the metastore and to Trino."""

from __future__ import annotations

import json as json_text
import os
import sys
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from publisher.commands.examples import examples_of
from publisher.commands.failures import NO, USAGE_ERROR, Refused
from publisher.commands.planning.formats import PlanFormat, ReportFormat, default_format

if TYPE_CHECKING:
    from publisher.commands.projects.applying import Applied
    from publisher.commands.projects.opening import OpenProject, ProjectPlan
    from publisher.commands.projects.values import Record
    from publisher.commands.registering.registration import Registered
    from publisher.settings import Settings

app = typer.Typer(
    no_args_is_help=True,
    help="Views in Git: checks a folder of queries, plans and applies it to the metastore, and finds drift.",
)

Folder = Annotated[Path, typer.Argument(help="The project's folder.", metavar="[FOLDER]")]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config", "-c", help="Settings file; by default the one that the project names."
    ),
]
Drops = Annotated[
    bool, typer.Option("--drop", help="Drop this project's views whose files are gone.")
]
Format = Annotated[
    PlanFormat | None,
    typer.Option("--format", help="By default text on a terminal, else JSON.", show_default=False),
]
Report = Annotated[
    ReportFormat | None,
    typer.Option("--format", help="By default text on a terminal, else JSON.", show_default=False),
]


class QueryDialect(Enum):
    """The SQL of a project's queries."""

    HIVE = "hive"
    SPARK = "spark"


@app.command(epilog=examples_of("project init"))
def init(
    folder: Annotated[Path, typer.Argument(help="A new or an empty folder.")],
    name: Annotated[
        str | None, typer.Option(help="The project's name; by default the folder's.")
    ] = None,
    *,
    made_from: Annotated[
        list[str] | None,
        typer.Option(
            "--from",
            help="A file or folder of .sql with CREATE VIEW; the project gets its views, not an example's."
            " May be repeated.",
            show_default=False,
        ),
    ] = None,
    dialect: Annotated[
        QueryDialect, typer.Option(help="The SQL of the views.")
    ] = QueryDialect.HIVE,
) -> None:
    """Writes a new project, with pipelines for GitHub and GitLab: an example that passes check, or your views."""
    from lakeschema.catalog.relations import Dialect
    from publisher.commands.ddl_input import read_scripts
    from publisher.commands.projects.converting import converted
    from publisher.commands.projects.reading import unread_queries
    from publisher.commands.projects.starting import write_project

    chosen = Dialect(dialect.value)
    named = made_from or []
    views = converted(read_scripts(named, sys.stdin.buffer), chosen) if named else None
    notes = [
        f"{path} is not read, for its name does not end in .sql: name it with --from"
        for given in named
        if os.path.isdir(given)  # noqa: PTH112 (a Path refuses a long text)
        for path in unread_queries(Path(given))
    ]
    for path in write_project(folder, name or folder.resolve().name, chosen, views):
        typer.echo(f"written {path}")
    if views is not None:
        notes += views.notes
        for note in notes:
            _say(note)
        typer.echo(
            f"next: name your metastore in {folder / 'schema-publisher.toml'}, and the owner"
        )
    typer.echo(f"next: schema-publisher project check {folder}")
    if notes:
        raise typer.Exit(NO)


@app.command(epilog=examples_of("project check"))
def check(
    folder: Folder = Path(),
    config: Config = None,
    *,
    offline: Annotated[
        bool, typer.Option("--offline", help="Ask no repository for artifacts.")
    ] = False,
    output_format: Report = None,
) -> None:
    """Reads and types every view, and looks up its artifacts; exit status 1 if something would break."""
    chosen = PlanFormat((output_format or default_format(None)).value)
    _write(_planned(folder, config, drops=False, artifacts=not offline), chosen)


@app.command(epilog=examples_of("project plan"))
def plan(
    folder: Folder = Path(),
    config: Config = None,
    *,
    drop: Drops = False,
    offline: Annotated[
        bool, typer.Option("--offline", help="Ask no repository for artifacts.")
    ] = False,
    output_format: Format = None,
) -> None:
    """Shows what apply would change: views, packages, dependents, teams and pins. Changes nothing.

    Exit status 1 if something would break.
    """
    chosen = output_format or PlanFormat(default_format(None).value)
    _write(_planned(folder, config, drops=drop, artifacts=not offline), chosen)


@app.command(epilog=examples_of("project apply"))
def apply(
    folder: Folder = Path(),
    config: Config = None,
    *,
    plan_file: Annotated[
        Path | None,
        typer.Option(
            "--plan", help="A plan in JSON; refuse to apply anything else.", show_default=False
        ),
    ] = None,
    drop: Drops = False,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite",
            help="Also replace views that were changed by hand, or that no project wrote.",
        ),
    ] = False,
    allow_major: Annotated[
        bool,
        typer.Option(
            "--allow-major", help="Also apply changes that lead to a major version of a package."
        ),
    ] = False,
    allow_broken: Annotated[
        bool,
        typer.Option(
            "--allow-broken", help="Also apply changes that break dependents or logged queries."
        ),
    ] = False,
    recover: Annotated[
        bool,
        typer.Option(
            "--recover", help="First restore or finish the views that an interrupted apply left."
        ),
    ] = False,
    by: Annotated[
        str | None,
        typer.Option(help="Who applies the project; by default the user.", show_default=False),
    ] = None,
    commit: Annotated[
        str | None,
        typer.Option(help="The commit; by default the one that Git reports.", show_default=False),
    ] = None,
    output_format: Report = None,
) -> None:
    """Writes the views into the metastore, upstream first.

    A group of dependent views is written as a whole, or not at all. Then creates them in Trino, if the
    settings have [trino].
    """
    from publisher.commands.output.project_output import write_applied
    from publisher.commands.projects.opening import opened_project, plan_project
    from publisher.commands.projects.recording import UNKNOWN, record_for

    with opened_project(folder, config) as opened:
        opened.metastore()
        _settle_interrupted(opened, recover=recover)
        found = plan_project(opened, _say, drops=drop, artifacts=True)
        _require_same(found, plan_file)
        _require_allowed(
            found, overwrite=overwrite, allow_major=allow_major, allow_broken=allow_broken
        )
        record = record_for(opened.project, by, commit)
        if record.commit == UNKNOWN:
            _say(f"Git gives no commit of {folder}, so the record has none: add --commit")
        applied = _applied(opened, found, record)
    registered, failure = _registered(found, applied, opened.settings)
    chosen = output_format or default_format(None)
    write_applied(applied, registered, record, chosen, sys.stdout)
    if failure is not None:
        raise failure
    if any(each.is_left for each in applied):
        _say("some views are left unfinished: repeat the command with --recover")
    is_refused = any(each.change.value == "refused" for each in registered)
    if is_refused or not all(each.is_done for each in applied):
        raise typer.Exit(NO)


@app.command(epilog=examples_of("project drift"))
def drift(folder: Folder = Path(), config: Config = None, *, output_format: Report = None) -> None:
    """Shows views that changed or vanished in the metastore since apply; exit status 1 if there are any."""
    from publisher.commands.output.project_output import write_drift
    from publisher.commands.projects.drifting import drift_of
    from publisher.commands.projects.opening import live_of, opened_project

    with opened_project(folder, config) as opened:
        opened.metastore()
        found = drift_of(opened.project, live_of(opened))
    write_drift(found, opened.project.name, output_format or default_format(None), sys.stdout)
    raise typer.Exit(NO if found else 0)


@app.command(epilog=examples_of("project build"))
def build(
    folder: Folder = Path(),
    config: Config = None,
    *,
    output: Annotated[Path, typer.Option(help="Folder for the wheel.")] = Path("dist"),
    publish: Annotated[
        bool, typer.Option("--publish", help="Also upload the wheel to the settings' index.")
    ] = False,
) -> None:
    """Builds a wheel of the views and the artifacts of their functions; the same files give the same bytes."""
    from publisher.commands.projects.building import build_project_wheel, publish_wheel
    from publisher.commands.projects.reading import readable_project
    from publisher.daemon.adapters import build_index
    from publisher.settings import load_settings

    project = readable_project(folder)
    wheel = build_project_wheel(project)
    output.mkdir(parents=True, exist_ok=True)
    path = output / wheel.filename
    path.write_bytes(wheel.data)
    typer.echo(f"written {path}")
    if publish:
        settings = load_settings(config or project.deployment)
        is_new = publish_wheel(wheel, build_index(settings), settings.artifacts.prefix)
        what = "published" if is_new else "is on the index already:"
        typer.echo(f"{what} {wheel.distribution} {wheel.version}")


def _planned(folder: Path, config: Path | None, *, drops: bool, artifacts: bool) -> ProjectPlan:
    from publisher.commands.planning.values import Plan
    from publisher.commands.projects.opening import ProjectPlan, opened_project, plan_project
    from publisher.commands.projects.reading import read_project
    from publisher.commands.projects.stepping import Steps

    project = read_project(folder)
    if project.problems:
        # The report of a pipeline has them; without all its views, a project has no steps.
        return ProjectPlan(project, Steps((), (), (), ()), project.problems, Plan())
    with opened_project(folder, config) as opened:
        return plan_project(opened, _say, drops=drops, artifacts=artifacts)


def _write(found: ProjectPlan, chosen: PlanFormat) -> None:
    from publisher.commands.output.project_output import write_project_plan

    write_project_plan(found, chosen, sys.stdout)
    raise typer.Exit(NO if found.breaks else 0)


def _settle_interrupted(opened: OpenProject, *, recover: bool) -> None:
    """Finishes or restores an interrupted apply if ``recover``; else refuses to continue.

    Also refuses if a view could not be recovered.
    """
    from publisher.commands.projects.applying import is_marked, recover_marked
    from publisher.commands.projects.opening import live_of
    from publisher.commands.projects.values import record_of

    store = opened.metastore()
    live = live_of(opened)
    marked = {n: each for n, each in live.relations.items() if is_marked(each.properties)}
    if not marked:
        return
    if not recover:
        name, found = next(iter(marked.items()))
        record = record_of(found.properties)
        who = "" if record is None else f" by {record.by} at {record.at}"
        why = f"an apply{who} was interrupted, or still runs: {name} is marked"
        raise Refused(NO, why, "if it does not run any more, repeat the command with --recover")
    for each in recover_marked(store, marked):
        _say(f"{each.name}: {each.ending.value} {each.reason}".rstrip())
        if not (each.is_done or each.ending.value == "restored"):
            raise Refused(NO, f"{each.name} could not be recovered: {each.reason}")


def _require_same(found: ProjectPlan, plan_file: Path | None) -> None:
    from publisher.commands.output.project_output import step_json

    if plan_file is None:
        return
    try:
        planned = json_text.loads(plan_file.read_text(encoding="utf-8-sig"))["project"]
        steps, name = planned["steps"], planned["name"]
    except (OSError, ValueError, LookupError, TypeError) as error:
        why = f"--plan {plan_file}: not a plan of a project: {error}"
        raise Refused(USAGE_ERROR, why, "write it with project plan --format json") from error
    if name != found.project.name or steps != [step_json(step) for step in found.steps.steps]:
        differing = _first_difference(steps, [step_json(step) for step in found.steps.steps])
        why = f"the plan is outdated: {differing}"
        raise Refused(NO, why, "plan again, and look at the new plan")


def _first_difference(planned: Any, now: list[dict[str, Any]]) -> str:
    for step in now:
        if step not in planned:
            return f"{step['relation']} differs from what was planned"
    return "it has steps that are done or no longer needed"


def _require_allowed(
    found: ProjectPlan, *, overwrite: bool, allow_major: bool, allow_broken: bool
) -> None:
    if found.problems:
        raise Refused(NO, "\n".join(map(str, found.problems)))
    warned = [step for step in found.steps.steps if step.warning]
    if warned and not overwrite:
        what = "\n".join(f"{step.name}: {step.warning}" for step in warned)
        raise Refused(NO, what, "add --overwrite to replace it with the project's definition")
    consequences = found.consequences
    if consequences.breaks and not allow_broken:
        broken = [f"{each.relation} would break: {each.reason}" for each in consequences.broken]
        what = "\n".join(broken or ["logged queries would break"])
        raise Refused(NO, what, "add --allow-broken to apply it all the same")
    major = [version for version in consequences.versions if version.change == "major"]
    if major and not allow_major:
        what = "\n".join(f"{v.relation}: {v.number} (major): {', '.join(v.reasons)}" for v in major)
        raise Refused(NO, what, "add --allow-major to apply it all the same")


def _applied(opened: OpenProject, found: ProjectPlan, record: Record) -> list[Applied]:
    from publisher.commands.projects.applying import apply_cone
    from publisher.commands.projects.stepping import cones_of
    from publisher.commands.termination import exit_on_sigterm

    reads = [(read.dependent, read.upstream) for read in found.consequences.reads]
    done: list[Applied] = []
    # If a pipeline is cancelled, no group of views stays half written.
    with exit_on_sigterm():
        for cone in cones_of(found.steps.steps, reads):
            done += apply_cone(opened.metastore(), cone, record)
    return done


def _registered(
    found: ProjectPlan, applied: Sequence[Applied], settings: Settings
) -> tuple[Sequence[Registered], Refused | None]:
    """Creates the project's views in Trino, also those that an earlier run could not create.

    A failure of Trino must not hide the steps that were applied to the metastore.
    """
    from publisher.commands.projects.applying import Ending
    from publisher.commands.registering.command import register_named

    written = [each.name for each in applied if each.ending in {Ending.CREATED, Ending.ALTERED}]
    names = sorted({*found.steps.unchanged, *written})
    if not names or settings.trino.url is None or settings.trino.views is None:
        return [], None
    try:
        return register_named(names, settings), None
    except Refused as refused:
        return [], refused


def _say(what: str) -> None:
    typer.echo(f"schema-publisher: {what}", err=True)
