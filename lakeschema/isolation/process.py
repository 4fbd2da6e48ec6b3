"""One child process that answers questions about untrusted input, and is killed at a limit.

Questions and answers are JSON and bytes: an answer can be wrong, but cannot run code here. Every
wait has a deadline, for writing a question as well as for reading an answer.
"""

from __future__ import annotations

import logging
import os
import pickle
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

from lakeschema.isolation.frames import (
    HEADER_BYTES,
    Attached,
    decode,
    encode,
    frame,
    frame_length,
)
from lakeschema.isolation.limits import Handlers, Limits, ProcessDied

log = logging.getLogger(__name__)

_MAX_TRACE_BYTES = 400
_START_SECONDS = 60.0
# A wheel fits into the pipe at once, so the processes need not take many small turns.
_PIPE_BYTES = 256 * 1024
_BOOTSTRAP = (
    "import sys; sys.path += [p for p in sys.argv[2:] if p not in sys.path]; "
    "from lakeschema.isolation.serving import serve; serve(sys.argv[1].split())"
)
_PASSED_VARIABLES = (
    *("LANG", "LC_ALL", "TZ", "TMPDIR", "SYSTEMROOT"),
    # Some Python installations need these to find their own libraries.
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
    # Coverage measurement needs these to follow a process to its children.
    *("COVERAGE_PROCESS_CONFIG", "COVERAGE_PROCESS_START"),
)


@dataclass(frozen=True, slots=True)
class Child:
    """A process that waits for its limits and handlers; ``trace`` is its standard error."""

    process: subprocess.Popen[bytes]
    trace: IO[bytes]

    def kill(self) -> None:
        """Kills the child, and any process that the child started."""
        self.trace.close()
        _kill_group(self.process)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


def spawn(imports: Sequence[str] = ()) -> Child:
    """Starts a child, which imports these modules before it receives limits and handlers.

    Raises:
        OSError: the child could not be started.
    """
    trace = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the process)
    try:
        return Child(_popen(imports, trace), trace)
    except OSError:
        trace.close()
        raise


@dataclass(frozen=True, slots=True)
class _Deadline:
    """A deadline, ``seconds`` after it was set."""

    seconds: float
    at: float

    @classmethod
    def after(cls, seconds: float) -> _Deadline:
        return cls(seconds, time.monotonic() + seconds)


@contextmanager
def spawned_early(imports: Sequence[str]) -> Iterator[Child | None]:
    """A child for a program that does not yet know its limits and handlers; None if none could be started."""
    try:
        child = spawn(imports)
    except OSError:
        # The next start tries again, and reports the reason.
        yield None
        return
    try:
        yield child
    finally:
        child.kill()


class LimitedProcess:
    """A child that starts at the first question, and again after each death. Not safe for threads.

    ``early`` is a running child that replaces the first start.
    """

    def __init__(self, handlers: Handlers, limits: Limits, early: Child | None = None) -> None:
        self._handlers = handlers
        self._limits = limits
        self._early = early
        self._process: subprocess.Popen[bytes] | None = None
        self._trace: IO[bytes] | None = None
        self._greeted = False

    @property
    def is_new(self) -> bool:
        """Whether the process has answered nothing yet. Then no earlier question has harmed it."""
        return not self._greeted

    def start(self) -> None:
        """Starts the process now, so that the first question does not wait for its imports.

        Raises:
            ProcessDied: the process could not be started.
        """
        if self._process is not None:
            return
        try:
            child, self._early = self._early or spawn(), None
            self._process, self._trace = child.process, child.trace
            start = pickle.dumps((dict(self._handlers), self._limits))
            self._write(self._process, frame(start), self._deadline_of_start())
        except (OSError, TimeoutError) as error:
            raise ProcessDied(self._kill_and_explain(error)) from error

    def ask(self, handler: str, question: Any) -> Any:
        """The answer of one of the handlers.

        Raises:
            ProcessDied: the process died; the next question gets a new process.
        """
        message = frame(encode(_addressed(handler, question)))
        self.start()
        process = self._process
        assert process is not None
        try:
            if not self._greeted:
                self._greet(process, self._deadline_of_start())
            deadline = self._deadline()
            self._write(process, message, deadline)
            return decode(self._read(process, deadline))
        except (OSError, ValueError, RecursionError) as error:
            timed_out = isinstance(error, TimeoutError)
            raise ProcessDied(self._kill_and_explain(error), timed_out=timed_out) from error

    def stop(self) -> None:
        """Kills the process, and any process it started."""
        process, self._process = self._process, None
        trace, self._trace = self._trace, None
        self._greeted = False
        if process is not None and trace is not None:
            Child(process, trace).kill()

    def _greet(self, process: subprocess.Popen[bytes], deadline: _Deadline) -> None:
        greeting = decode(self._read(process, deadline))
        self._greeted = True
        if not greeting["network_cut"]:
            log.debug("child process keeps the network", extra={"why": greeting["why"]})

    def _deadline(self) -> _Deadline:
        return _Deadline.after(self._limits.timeout_seconds)

    def _deadline_of_start(self) -> _Deadline:
        """The deadline of a start.

        Imports are trusted, and on a busy machine may take longer than any question.
        """
        return _Deadline.after(max(self._limits.timeout_seconds, _START_SECONDS))

    def _write(self, process: subprocess.Popen[bytes], message: bytes, deadline: _Deadline) -> None:
        assert process.stdin is not None
        pipe = process.stdin.fileno()
        unsent = memoryview(message)
        while unsent:
            self._wait(pipe, select.POLLOUT, deadline, "question not read")
            unsent = unsent[os.write(pipe, unsent) :]

    def _read(self, process: subprocess.Popen[bytes], deadline: _Deadline) -> bytes:
        assert process.stdout is not None
        pipe = process.stdout.fileno()
        length = frame_length(self._read_exactly(pipe, HEADER_BYTES, deadline))
        if length > self._limits.max_answer_bytes:
            raise OSError(f"its answer exceeds {self._limits.max_answer_bytes} bytes")
        return self._read_exactly(pipe, length, deadline)

    def _read_exactly(self, pipe: int, length: int, deadline: _Deadline) -> bytes:
        received = bytearray()
        while len(received) < length:
            self._wait(pipe, select.POLLIN, deadline, "no answer")
            chunk = os.read(pipe, min(length - len(received), 1 << 20))
            if not chunk:
                raise BrokenPipeError("its process ended")
            received += chunk
        return bytes(received)

    def _wait(self, pipe: int, event: int, deadline: _Deadline, what: str) -> None:
        poller = select.poll()
        poller.register(pipe, event)
        left = deadline.at - time.monotonic()
        if left <= 0 or not poller.poll(left * 1000):
            raise TimeoutError(f"{what} in {deadline.seconds:g} s")

    def _kill_and_explain(self, error: Exception) -> str:
        """Ends the process; returns the error and the last line of the process's trace."""
        if self._process is not None:
            _kill_group(self._process)
        last_line = ""
        if self._trace is not None:
            size = self._trace.seek(0, os.SEEK_END)
            self._trace.seek(max(0, size - _MAX_TRACE_BYTES))
            trace = self._trace.read().decode("utf-8", "replace")
            last_line = trace.strip().rpartition("\n")[2]
        self.stop()
        reason = "its process ended" if isinstance(error, BrokenPipeError) else str(error)
        return f"{reason}: {last_line}" if last_line else reason


def _popen(imports: Sequence[str], trace: IO[bytes]) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        # Isolated: neither the working directory nor the environment names code to import.
        [sys.executable, "-I", "-c", _BOOTSTRAP, " ".join(imports), *_import_path()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=trace,
        # The environment may hold passwords, which nothing in the child needs.
        env={key: os.environ[key] for key in _PASSED_VARIABLES if key in os.environ},
        cwd="/",
        bufsize=0,
        pipesize=_PIPE_BYTES,
        # Ctrl-C must only reach the program, which ends its children itself.
        start_new_session=True,
    )
    assert process.stdin is not None
    os.set_blocking(process.stdin.fileno(), False)
    return process


def _addressed(handler: str, question: Any) -> Any:
    if isinstance(question, Attached):
        return Attached([handler, question.value], question.data)
    return [handler, question]


def _import_path() -> Sequence[str]:
    """The folders that this process imports from, without its working directory.

    An isolated child already has its installation's own folders.
    """
    folders = [os.path.abspath(entry) for entry in sys.path if entry]  # noqa: PTH100 (text, as is)
    return [folder for folder in folders if folder != os.getcwd()]  # noqa: PTH109


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kills the process and all processes that it started.

    The process leads a group until a caller has waited for its end.
    """
    if process.returncode is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
