"""The demo: from an ALTER in a metastore to a record class in a program, in under a minute."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from packaging.version import Version
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table

from codegen.naming import distribution_name
from codegen.package import PackageContents
from codegen.wheel import read_wheel
from deploy.demo import consumers, lake, second_catalog
from deploy.demo.impact import show_lineage
from deploy.local_stack import Metastore, spark_session_conf
from deploy.metastore_ddl import MetastoreDdl
from lakeschema.catalog.ddl_change import Script
from lakeschema.catalog.identifiers import RelationName
from publisher.commands.planned_deployment import Question, plan_deployment
from publisher.commands.planning.values import Plan
from publisher.daemon.adapters import build_processes
from publisher.daemon.service import Service
from publisher.index.static import StaticIndex
from publisher.lineage.values import Direction
from publisher.logs import log_to
from publisher.settings import load_settings

PREFIX = "acme-schema"
COMPANY = distribution_name(RelationName.of(lake.DATABASE, "company"), PREFIX)
RELATIONS = ("member", "company", "companyenglevels", "v1", "v2")
_TIMEOUT_SECONDS = 60.0

log = logging.getLogger(__name__)


class DemoFailed(OSError):
    """A program of the demo failed, or packages did not arrive; the message says which."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A package's newest version on the index, and the time from the DDL until it was installable."""

    contents: PackageContents
    seconds: float


def run_demo(*, keep: bool = False) -> None:
    """Runs the demo and prints each step. ``keep`` leaves the folder with all files."""
    console = Console(highlight=False)
    began = time.perf_counter()
    folder = Path(tempfile.mkdtemp(prefix="schema-publisher-demo-"))
    try:
        with (folder / "daemon.log").open("w") as logs, contextlib.ExitStack() as stack:
            log_to(logs)
            _Demo(console, folder, stack).run()
        console.print(f"\n[bold]The demo took {time.perf_counter() - began:.0f} s.[/bold]")
    finally:
        if keep:
            console.print(f"The files are in {escape(str(folder))}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


class _Demo:
    def __init__(self, console: Console, folder: Path, stack: contextlib.ExitStack) -> None:
        self._console = console
        self._folder = folder
        self._stack = stack
        self._index = StaticIndex(folder / "index")

    def run(self) -> None:
        environments = self._stack.enter_context(ThreadPoolExecutor(1))
        pinned = environments.submit(make_environment, self._folder / "pinned")
        upgraded = environments.submit(make_environment, self._folder / "upgraded")

        self._chapter("A metastore, and a daemon that reads its events")
        metastore = self._stack.enter_context(Metastore.start(self._folder / "metastore"))
        service = self._stack.enter_context(self._service(metastore))
        self._console.print(f"Hive Metastore at {metastore.uri}, packages at {service.url}/simple/")
        ddl = self._stack.enter_context(MetastoreDdl(metastore.uri))

        self._chapter("Two tables and three views are created")
        self._console.print(
            "Member and Company carry Avro schemas: casing, an enum, required fields, docs.\n"
            "CompanyEngLevels calls the UDF STANDARDIZE; V2 reads V1, and is created before it."
        )
        started = time.perf_counter()
        lake.create_tables(ddl)
        lake.create_views(ddl)
        first = self._wait(dict.fromkeys(RELATIONS, "1.0.0"), started)
        self._show_versions(first)
        self._show_fields(first["companyenglevels"])

        self._chapter("A consumer installs one and reads typed records")
        self._console.print(Syntax(consumers.WRITE_AND_READ, "python", word_wrap=True))
        python = pinned.result()
        self._install(python, service, f"{COMPANY}==1.0.0")
        files = Path(ddl.location(lake.DATABASE, "company").removeprefix("file:"))
        files.mkdir(parents=True, exist_ok=True)
        self._print_run(python, consumers.WRITE_AND_READ, str(files / "part-0.avro"))
        self._console.print("The same records, from the table, on Spark:")
        self._console.print(Syntax(consumers.READ_ON_SPARK, "python", word_wrap=True))
        conf = json.dumps(spark_session_conf(metastore))
        self._print_run(python, consumers.READ_ON_SPARK, conf)

        self._chapter("Where does StdPosition come from, and what would a drop of Position hit?")
        self._show_impact()

        self._chapter("Address is to gain a unit number: plan says what would follow")
        plan = self._plan(Script("unit_number.sql", lake.unit_number_ddl()))

        self._chapter("Address gains a unit number")
        started = time.perf_counter()
        lake.add_unit_number(ddl)
        second = self._wait(dict.fromkeys(("company", "v1", "v2"), "1.1.0"), started)
        self._show_versions(second, before=first)
        self._check_plan(plan, second)

        self._chapter("A pinned consumer is unaffected; an upgraded one sees the field")
        newer = upgraded.result()
        self._install(newer, service, f"{COMPANY}~=1.0")
        path = str(self._folder / "new.avro")
        self._console.print(f"{COMPANY} 1.1.0 writes and reads:")
        self._print_run(newer, consumers.WRITE_UNIT_NUMBER, path)
        self._console.print(f"{COMPANY} 1.0.0, pinned, reads the file that 1.1.0 wrote:")
        self._print_run(python, consumers.READ_PINNED, path)

        self._chapter("A second catalog joins in: a folder of DDL files")
        self._show_second_catalog(newer, service)

    def _chapter(self, title: str) -> None:
        self._console.print()
        self._console.rule(f"[bold]{title}", align="left")

    def _show_impact(self) -> None:
        """Shows lineage and the plan of a drop; does not run the DROP."""
        settings = load_settings(self._folder / "schema-publisher.toml")
        view = RelationName.of(lake.DATABASE, "companyenglevels")
        member = RelationName.of(lake.DATABASE, "member")
        show_lineage(self._console, settings, view, "StdPosition", Direction.UPSTREAM)
        hit = show_lineage(self._console, settings, member, "Position", Direction.DOWNSTREAM)
        plan = self._plan(Script("drop_position.sql", lake.drop_position_ddl()))
        broken = {failing.relation for failing in plan.broken}
        reached = {link.target.relation for link in hit.links}
        if broken != reached:
            raise DemoFailed(f"lineage said {sorted(reached)}, and plan {sorted(broken)}")

    def _show_second_catalog(self, python: Path, service: Service) -> None:
        """Publishes tables of a second catalog, whose folder was empty until now."""
        self._console.print(Syntax(second_catalog.DDL, "sql", word_wrap=True))
        started = time.perf_counter()
        second_catalog.write(self._folder / "reviews")
        seen = self._wait(dict.fromkeys(second_catalog.RELATIONS, "1.0.0"), started)
        self._show_versions(seen, relations=second_catalog.RELATIONS)
        self._install(python, service, *(each.contents.distribution for each in seen.values()))
        self._console.print("Two tables of the same name, in one environment:")
        self._print_run(python, consumers.READ_BOTH)

    def _plan(self, script: Script) -> Plan:
        """Runs ``plan`` before the change, while the daemon runs, and shows its result."""
        settings = load_settings(self._folder / "schema-publisher.toml")
        self._console.print(f"[bold]$ schema-publisher plan {script.label}[/bold]")
        began = time.perf_counter()
        with build_processes(settings) as processes:
            plan = plan_deployment(settings, processes, Question([script]), log.info)
        seconds = time.perf_counter() - began
        table = Table("package", "from", "to", "why", "because of", box=None, pad_edge=False)
        for version in plan.versions:
            table.add_row(
                version.distribution,
                version.newest,
                f"[green]{version.number}[/green]",
                escape(f"{version.change}: {'; '.join(version.reasons)}"),
                escape("; ".join(map(str, version.causes))),
            )
        self._console.print(table)
        broken = ", ".join(str(failing.relation) for failing in plan.broken) or "nothing"
        self._console.print(f"{broken} would break; planned in {seconds * 1000:.0f} ms")
        return plan

    def _check_plan(self, plan: Plan, seen: Mapping[str, Seen]) -> None:
        said = {(v.distribution, v.number, v.change, v.reasons) for v in plan.versions}
        came = {_published(each.contents) for each in seen.values()}
        if said != came:
            raise DemoFailed(f"plan said {sorted(said)}, and published was {sorted(came)}")
        self._console.print(
            f"[green]What plan said came true: {len(came)} of {len(said)} versions."
        )

    @contextlib.contextmanager
    def _service(self, metastore: Metastore) -> Iterator[Service]:
        (self._folder / "reviews").mkdir()
        config = self._folder / "schema-publisher.toml"
        config.write_text(
            f"""\
[artifacts]
prefix = "{PREFIX}"
[[catalog]]
kind = "hive"
default = true
uri = "{metastore.uri}"
[[catalog]]
kind = "ddl"
name = "{second_catalog.NAME}"
path = "{self._folder}/reviews"
[[events]]
kind = "notification-log"
[[events]]
kind = "ddl-folder"
catalog = "{second_catalog.NAME}"
[state]
url = "sqlite:///{self._folder}/state.db"
[index]
kind = "static"
path = "{self._folder}/index"
[snapshot]
runner = "local"
[engine]
debounce_seconds = 0
[http]
port = 0
[translation.udfs]
"{lake.STANDARDIZE}" = {{ returns = "string" }}
"""
        )
        with Service(load_settings(config), config) as service:
            yield service

    def _wait(self, versions: Mapping[str, str], started: float) -> Mapping[str, Seen]:
        """The newest package of each relation, once the packages of ``versions`` are there."""
        seen: dict[str, Seen] = {}
        deadline = started + _TIMEOUT_SECONDS
        while any(relation not in seen for relation in versions):
            for relation, version in versions.items():
                if relation not in seen:
                    contents = self._newest(relation)
                    if contents is not None and contents.version == version:
                        seen[relation] = Seen(contents, time.perf_counter() - started)
            if time.perf_counter() > deadline:
                raise DemoFailed(f"no packages: {sorted(set(versions) - set(seen))}")
            time.sleep(0.01)
        return seen

    def _newest(self, relation: str) -> PackageContents | None:
        is_key = ":" in relation
        name = (
            RelationName.from_key(relation) if is_key else RelationName.of(lake.DATABASE, relation)
        )
        distribution = distribution_name(name, PREFIX)
        files = self._index.files(distribution)
        if not files:
            return None
        newest = max(files, key=lambda file: Version(file.version))
        return read_wheel(self._index.fetch(newest))

    def _show_versions(
        self,
        seen: Mapping[str, Seen],
        before: Mapping[str, Seen] | None = None,
        relations: Sequence[str] = RELATIONS,
    ) -> None:
        table = Table("package", "version", "why", "ready after", box=None, pad_edge=False)
        for relation in relations:
            if relation in seen:
                contents = seen[relation].contents
                why = "; ".join(map(str, contents.provenance["reasons"]))
                change = str(contents.provenance["change"])
                table.add_row(
                    contents.distribution,
                    f"[green]{contents.version}[/green]",
                    escape(f"{change}: {why}" if before else why),
                    f"{seen[relation].seconds * 1000:.0f} ms",
                )
            elif before is not None:
                contents = before[relation].contents
                table.add_row(contents.distribution, contents.version, "unchanged", "")
        self._console.print(table)

    def _show_fields(self, seen: Seen) -> None:
        schema = json.loads(seen.contents.schema_text)
        table = Table("field", "type", box=None, pad_edge=False)
        for field in schema["fields"]:
            table.add_row(escape(field["name"]), escape(json.dumps(field["type"])))
        self._console.print(Panel(table, title="CompanyEngLevels, derived", expand=False))

    def _install(self, python: Path, service: Service, *requirements: str) -> None:
        index = f"{service.url}/simple/"
        shown = " ".join(f"'{each}'" for each in requirements)
        self._console.print(f"[bold]$ pip install --index-url {index} {shown}[/bold]")
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        run([*command, "--no-cache-dir", "--index-url", index, *requirements])

    def _print_run(self, python: Path, program: str, *arguments: str) -> None:
        printed = run([str(python), "-c", program, *arguments])
        for line in printed.splitlines():
            self._console.print(f"  [cyan]{escape(line)}[/cyan]")


def _published(contents: PackageContents) -> tuple[str, str, str, tuple[str, ...]]:
    provenance = contents.provenance
    reasons = tuple(map(str, provenance["reasons"]))
    return contents.distribution, contents.version, str(provenance["change"]), reasons


def make_environment(folder: Path) -> Path:
    """The Python of a new environment. It uses this environment's Spark, which has 400 MB."""
    run([sys.executable, "-m", "venv", str(folder)])
    python = folder / "bin" / "python"
    (own,) = (folder / "lib").glob("python*/site-packages")
    import pyspark

    borrowed = Path(pyspark.__file__).parent.parent
    (own / "borrowed-spark.pth").write_text(f"{borrowed}\n")
    return python


def run(command: Sequence[str]) -> str:
    """Runs a command without this machine's settings for pip; returns its output."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PIP_")}
    environment |= {"PIP_CONFIG_FILE": os.devnull, "PYTHONWARNINGS": "ignore"}
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if ended.returncode != 0:
        raise DemoFailed(f"{' '.join(command[:4])} failed:\n{ended.stdout}{ended.stderr}"[-3000:])
    return ended.stdout
