"""One run: a quiet phase, a phase of hostile input, a phase of all faults, and a settling phase."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from thrift.Thrift import TException

from tests.chaos.catalog_reading import CatalogReader, Stored
from tests.chaos.evidence import PREFIX, Evidence
from tests.chaos.fault_kinds import GAPS, HOSTILE_TARGETS, FaultKind, fault_kinds
from tests.chaos.history import executed_statements, history_of
from tests.chaos.hostile_tables import NAME_PREFIX
from tests.chaos.journal import Clock, Journal, read_journal, start_clock
from tests.chaos.judge import is_settled
from tests.chaos.lake import Name
from tests.chaos.schedule import Planned, plan
from tests.chaos.stack import EXPOSED, INNOCENT, Deployment, Stack, running_stack
from tests.chaos.workload import Workload

DATABASES = (EXPOSED, INNOCENT)
_FIRST_STATEMENTS = 40
_POLL_SECONDS = 2.0
_JOIN_SECONDS = 120.0
_CONFIRM_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The duration and the targets of a run.

    Attributes:
        settle_seconds: how long the last changes may take once all faults are over.
        without: targets to leave alone, to find the fault that does the harm.
    """

    seconds: float
    seed: int
    settle_seconds: float
    journals: Path
    without: frozenset[str] = frozenset()

    @property
    def quiet_seconds(self) -> float:
        return min(120.0, self.seconds * 0.2)

    @property
    def hostile_seconds(self) -> float:
        return min(180.0, self.seconds * 0.2)


@dataclass(frozen=True, slots=True)
class Outcome:
    """``phases``: the begin and end of each, in seconds since the run began."""

    phases: Mapping[str, tuple[float, float]]
    evidence: Sequence[Evidence]
    failures: Sequence[str]
    cross_checks: Mapping[str, str]


class RunFailed(Exception):
    """The run could not be carried out and so proves nothing; the message says why."""


def run(options: RunOptions) -> Outcome:
    clock = start_clock()
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    try:
        with ExitStack() as parts:
            stack = parts.enter_context(running_stack(folder, options.journals, clock))
            return _Run(options, clock, stack).play()
    finally:
        for log in folder.glob("*/*.log"):
            shutil.copy(log, options.journals / f"{log.parent.name}-{log.name}")
        shutil.rmtree(folder, ignore_errors=True)


class _Run:
    def __init__(self, options: RunOptions, clock: Clock, stack: Stack) -> None:
        self._options = options
        self._clock = clock
        self._stack = stack
        self._timeline = Journal(options.journals / "timeline.jsonl", clock)
        self._ddl = Journal(options.journals / "ddl.jsonl", clock)
        self._workload = Workload(stack.metastores, DATABASES, options.seed, self._ddl)
        self._failures: list[str] = []
        self._stopping = threading.Event()

    def play(self) -> Outcome:
        self._workload.create_databases()
        self._workload.run(_FIRST_STATEMENTS)
        for daemon in self._stack.daemons:
            daemon.start()
        self._settle("first packages")
        phases: dict[str, tuple[float, float]] = {}
        with self._statements():
            phases["quiet"] = self._phase("quiet", self._options.quiet_seconds, frozenset())
            hostile = self._options.hostile_seconds
            phases["hostile input"] = self._phase("hostile input", hostile, HOSTILE_TARGETS)
            rest = self._options.seconds - self._options.quiet_seconds - hostile
            phases["chaos"] = self._phase("chaos", rest, frozenset(GAPS))
        settled = self._settle("settling")
        evidence = [self._evidence(each, settled[each.name]) for each in self._stack.deployments]
        self._check_daemons()
        checks = {f"verify {each.name}": _verify(each) for each in self._stack.deployments}
        checks |= {each.name: each.health() for each in self._stack.daemons}
        return Outcome(phases, evidence, self._failures, checks)

    @contextmanager
    def _statements(self) -> Iterator[None]:
        thread = threading.Thread(target=self._guarded(self._workload.run), daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._workload.stop()
            self._stopping.set()
            thread.join(_JOIN_SECONDS)
            self._workload.close()
        if thread.is_alive():
            raise RunFailed(f"a statement did not end within {_JOIN_SECONDS:g} s")

    def _phase(self, name: str, seconds: float, targets: frozenset[str]) -> tuple[float, float]:
        begin = self._clock()
        end = begin + seconds
        self._timeline.write("phase", name=name, seconds=round(seconds, 1))
        kinds = {
            each.kind.name: each
            for each in fault_kinds(self._stack, lambda: self._workload.lake, self._options.seed)
            if each.kind.target in targets - self._options.without
        }
        planned = plan(
            [k.kind for k in kinds.values()], GAPS, f"{self._options.seed} {name}", seconds
        )
        threads = [
            threading.Thread(target=self._guarded(self._perform), args=(begin, faults, kinds))
            for faults in planned.values()
        ]
        try:
            for thread in threads:
                thread.start()
            self._stopping.wait(max(0.0, end - self._clock()))
        except BaseException:
            self._stopping.set()
            raise
        finally:
            # All processes that faults restart must run before the stack is stopped.
            for thread in threads:
                thread.join()
        return begin, self._clock()

    def _perform(
        self, begin: float, faults: Sequence[Planned], kinds: Mapping[str, FaultKind]
    ) -> None:
        for planned in faults:
            if self._stopping.wait(max(0.0, begin + planned.at - self._clock())):
                return
            fault = kinds[planned.kind].make()
            self._timeline.write("start", fault=planned.kind, detail=fault.start())
            try:
                self._stopping.wait(planned.seconds)
            finally:
                fault.stop()
                self._timeline.write("stop", fault=planned.kind)

    def _guarded(self, action: Callable[..., None]) -> Callable[..., None]:
        """Ends the run if the action fails, and reports the failure."""

        def run(*arguments: object) -> None:
            try:
                action(*arguments)
            except Exception as error:  # noqa: BLE001  a thread has nobody else to tell
                self._failures.append(f"{type(error).__name__}: {error}"[:2000])
                self._stopping.set()

        return run

    def _settle(self, name: str) -> Mapping[str, float | None]:
        """Seconds until each index agreed with the catalog; None if it did not in time."""
        begin = self._clock()
        confirmed_at = begin
        self._timeline.write("phase", name=name)
        found: dict[str, float | None] = dict.fromkeys(d.name for d in self._stack.deployments)
        while self._clock() - begin < self._options.settle_seconds and None in found.values():
            if dead := [each.name for each in self._stack.daemons if not each.process.is_alive()]:
                raise RunFailed(f"ended by themselves, see their logs: {', '.join(dead)}")
            open_ones = [d for d in self._stack.deployments if found[d.name] is None]
            for deployment in open_ones:
                if is_settled(self._evidence(deployment, 0.0)):
                    found[deployment.name] = round(self._clock() - begin, 1)
                elif self._clock() > confirmed_at + _CONFIRM_SECONDS:
                    self._confirm_deletions(open_ones)
                    confirmed_at = self._clock()
            time.sleep(_POLL_SECONDS)
        self._timeline.write("settled", seconds=found)
        return found

    def _confirm_deletions(self, deployments: Sequence[Deployment]) -> None:
        """Confirms deletions that the service holds back, as a person would."""
        for deployment in deployments:
            begin = self._clock()
            done = deployment.daemons[0].run_command("confirm-deletions")
            seconds = round(self._clock() - begin, 1)
            self._timeline.write(
                "confirm deletions", of=deployment.name, exit=done.returncode, seconds=seconds
            )

    def _evidence(self, deployment: Deployment, settled: float | None) -> Evidence:
        return Evidence(
            deployment=deployment.name,
            history=history_of(executed_statements(read_journal(self._ddl.path))),
            catalog=self._catalog(),
            sent=deployment.sent(),
            arrived=deployment.arrived(),
            files=deployment.files(),
            yanks=deployment.yanks,
            settled_after_seconds=settled,
            bound_seconds=self._options.settle_seconds,
            removed=deployment.removed(),
            hostile=f"{PREFIX}-{EXPOSED}-{NAME_PREFIX}",
        )

    def _catalog(self) -> Mapping[Name, Stored]:
        found: dict[Name, Stored] = {}
        try:
            for catalog, metastore in self._stack.metastores.items():
                with CatalogReader(metastore.host, metastore.port, catalog) as reader:
                    found |= reader.relations(DATABASES)
        except (TException, OSError) as error:
            raise RunFailed(f"the metastore does not answer: {error}") from error
        return {n: each for n, each in found.items() if not n.relation.startswith(NAME_PREFIX)}

    def _check_daemons(self) -> None:
        for daemon in self._stack.daemons:
            if not daemon.process.is_alive():
                self._failures.append(f"{daemon.name} ended by itself: see {daemon.log.name}")


def _verify(deployment: Deployment) -> str:
    """The program's own report about the index: a cross-check, not a verdict."""
    done = deployment.daemons[0].run_command("verify")
    lines = [line for line in done.stdout.splitlines() if "cannot be derived" not in line]
    return f"exit {done.returncode}, {len(lines)} differ" + "".join(f"; {x}" for x in lines[:3])
