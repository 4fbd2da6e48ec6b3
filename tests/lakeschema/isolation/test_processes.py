"""A child that hangs, exhausts memory, crashes or answers nonsense costs one answer and nothing else."""

from __future__ import annotations

import queue
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from lakeschema.isolation import process
from lakeschema.isolation.frames import Attached
from lakeschema.isolation.limits import Handler, Limits, PoolClosed, ProcessDied
from lakeschema.isolation.pool import LimitedProcesses
from lakeschema.isolation.process import spawned_early
from tests.waiting import PATIENCE_SECONDS, eventually

PATIENT = Limits(timeout_seconds=PATIENCE_SECONDS, memory_bytes=4 * 1024**3)
IMPATIENT = Limits(timeout_seconds=1.0)
_FACTORIES = "tests.lakeschema.isolation.handlers"


def a_pool(limits: Limits = PATIENT, factory: str = "answering") -> LimitedProcesses:
    handler = Handler(f"{_FACTORIES}:{factory}", {"of the": "deployment"})
    return LimitedProcesses({"test": handler}, count=1, limits=limits)


@pytest.fixture(scope="module")
def shared() -> Iterator[LimitedProcesses]:
    with a_pool() as processes:
        yield processes


def test_a_handler_is_made_of_its_argument(shared: LimitedProcesses) -> None:
    assert shared.ask("test", "argument") == {"of the": "deployment"}


@pytest.mark.parametrize(
    ("question", "why"),
    [("allocate", "MemoryError"), ("exit", "ended"), ("raise", "LookupError: unexpected")],
)
def test_a_death_names_its_cause_and_the_next_question_is_answered(
    shared: LimitedProcesses, question: str, why: str
) -> None:
    with pytest.raises(ProcessDied, match=why):
        shared.ask("test", question)

    assert shared.ask("test", "argument")


@pytest.mark.thorough
def test_no_answer_within_the_limit_is_a_death() -> None:
    with a_pool(IMPATIENT) as processes, pytest.raises(ProcessDied, match="no answer in 1 s"):
        processes.ask("test", "hang")


@pytest.mark.thorough
@pytest.mark.parametrize("size", [10, 2_000_000])
def test_a_child_that_does_not_read_its_question_is_killed(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_START_SECONDS", 1.5)

    with (
        a_pool(IMPATIENT, "never_ready") as processes,
        pytest.raises(ProcessDied, match=r"in 1\.5 s"),
    ):
        processes.ask("test", "x" * size)


@pytest.mark.thorough
def test_a_child_that_stops_reading_is_killed() -> None:
    with a_pool(IMPATIENT) as processes:
        pid = processes.ask("test", ["start", "sleep", "60"])
        assert isinstance(pid, int)
        parent = int(Path(f"/proc/{pid}/stat").read_text().split()[3])
        subprocess.run(["kill", "-STOP", str(parent)], check=True)

        with pytest.raises(ProcessDied, match="question not read in 1 s"):
            processes.ask("test", "x" * 2_000_000)


def test_an_answer_above_its_bound_is_a_death() -> None:
    limits = Limits(timeout_seconds=PATIENCE_SECONDS, max_answer_bytes=1_000_000)
    with a_pool(limits) as processes, pytest.raises(ProcessDied, match="exceeds 1000000 bytes"):
        processes.ask("test", "answer much")


def test_an_answer_too_deep_to_read_is_a_death(shared: LimitedProcesses) -> None:
    with pytest.raises(ProcessDied, match="recursion"):
        shared.ask("test", "answer deeply")


def test_what_a_handler_prints_does_not_disturb_its_answer(shared: LimitedProcesses) -> None:
    assert isinstance(shared.ask("test", "print"), int)
    assert shared.ask("test", "argument")


def test_a_question_is_asked_again_if_it_killed_a_process_that_had_answered_others() -> None:
    with a_pool() as processes:
        answers = [processes.ask("test", "third") for _ in range(3)]

    assert answers == [1, 2, 1]


def test_bytes_cross_beside_json(shared: LimitedProcesses) -> None:
    data = bytes(range(256)) * 1000

    assert shared.ask("test", Attached("echo", data)) == Attached("echo", data)


@pytest.mark.thorough
def test_whoever_waits_for_a_process_is_refused_when_the_pool_closes() -> None:
    processes = a_pool(IMPATIENT)
    refusals: queue.Queue[str] = queue.Queue()

    def ask() -> None:
        try:
            processes.ask("test", "hang")
        except (PoolClosed, ProcessDied) as refusal:
            refusals.put(type(refusal).__name__)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    processes.close()

    ends = {refusals.get(timeout=PATIENCE_SECONDS) for _ in threads}
    assert "PoolClosed" in ends
    with pytest.raises(PoolClosed):
        processes.ask("test", "argument")


def test_what_a_child_started_dies_with_it() -> None:
    with a_pool() as processes:
        pid = processes.ask("test", ["start", "sleep", "600"])
        assert Path(f"/proc/{pid}").exists()

    assert eventually(lambda: not _runs(pid))


def test_neither_the_working_directory_nor_the_environment_names_code_to_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    canary = tmp_path / "imported"
    for module in ("resource.py", "json.py", "ctypes.py", "sitecustomize.py"):
        (tmp_path / module).write_text(f"open({str(canary)!r}, 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), *sys.path])

    with a_pool() as processes:
        folders = processes.ask("test", "import path")

    assert str(tmp_path) not in folders
    assert "" not in folders
    assert not canary.exists()


def test_a_child_imports_what_its_parent_can_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere.py").write_text("def answering(argument):\n    return lambda q: q + 1\n")
    monkeypatch.syspath_prepend(tmp_path)

    with LimitedProcesses({"h": Handler("elsewhere:answering")}, limits=PATIENT) as processes:
        assert processes.ask("h", 1) == 2


def test_a_child_has_no_password_of_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHEMA_PUBLISHER_INDEX__PASSWORD", "s3cr3t")

    with a_pool() as processes:
        environment = processes.ask("test", "environment")

    assert "s3cr3t" not in str(environment)


def test_a_child_has_no_network_where_the_system_lets_it_go(shared: LimitedProcesses) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        connected = shared.ask("test", ["connect", server.getsockname()[1]])

    assert connected is not _may_leave_the_network()


def _may_leave_the_network() -> bool:
    unshare = (
        "import ctypes, sys; libc = ctypes.CDLL(None); "
        "sys.exit(all(libc.unshare(flags) for flags in (0x40000000, 0x50000000)))"
    )
    return subprocess.run([sys.executable, "-c", unshare], check=False).returncode == 0


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_child_that_was_started_early_answers_within_the_limits_it_is_given() -> None:
    handler = Handler(f"{_FACTORIES}:answering", "argument of the handler")
    with (
        spawned_early([_FACTORIES]) as child,
        LimitedProcesses({"test": handler}, limits=PATIENT, early=child) as processes,
    ):
        assert child is not None
        assert processes.ask("test", "argument") == "argument of the handler"
        with pytest.raises(ProcessDied, match="MemoryError"):
            processes.ask("test", "allocate")
        assert child.process.returncode is not None
        assert processes.ask("test", "argument") == "argument of the handler"


def test_a_child_that_was_started_early_ends_though_nobody_asks_it() -> None:
    with spawned_early([]) as child:
        assert child is not None
        assert child.process.poll() is None

    assert child.process.returncode is not None
    assert child.trace.closed


def test_a_module_that_an_early_child_cannot_import_is_named_in_its_death() -> None:
    handler = Handler(f"{_FACTORIES}:answering")
    with (
        spawned_early(["no_such_module"]) as child,
        LimitedProcesses({"test": handler}, limits=PATIENT, early=child) as processes,
        pytest.raises(ProcessDied, match="no_such_module"),
    ):
        processes.ask("test", "argument")
