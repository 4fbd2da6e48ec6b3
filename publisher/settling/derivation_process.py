"""Derivation in child processes that may be killed: untrusted SQL costs at most one of them.

A child serves many derivations, so that each costs one round trip over a pipe. It reads a line of
JSON and answers with one; a crash, or no answer within the time limit, raises
``DerivationCrashed``. It ends when its pipe closes, or by an alarm if it is busy then.
"""

from __future__ import annotations

import json
import os
import pickle
import queue
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import IO, Any

from lakeschema.catalog.facts_json import facts_from_json, facts_to_json
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.derivation_json import (
    derivation_from_json,
    derivation_to_json,
    interface_from_json,
    interface_to_json,
    udf_from_json,
    udf_to_json,
)
from lakeschema.translation.functions.udfs import resolver_answers
from lakeschema.translation.interface import Interface, Options, UdfAnswer
from lakeschema.translation.outcome import Derived, Failed, Outcome, Status
from publisher.settling.deriving import DerivationCrashed, Deriver, DirectDeriver

_MAX_TRACE_BYTES = 400


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one child. ``memory_bytes`` is address space, part of which Python itself uses."""

    timeout_seconds: float = 30.0
    memory_bytes: int = 2 * 1024**3


class ChildDeriver:
    """A ``Deriver`` for several threads. ``entry`` is what a child runs, ``module:function``.

    The function takes ``Options`` and returns a ``Deriver``.
    """

    def __init__(
        self,
        options: Options,
        *,
        children: int = 2,
        limits: Limits = Limits(),
        entry: str = "publisher.settling.deriving:DirectDeriver",
    ) -> None:
        self._options = options
        self._direct = DirectDeriver(options)
        self._idle: queue.LifoQueue[_Child] = queue.LifoQueue()
        for _ in range(children):
            self._idle.put(_Child(options, limits, entry))

    def warm(self) -> None:
        """Starts every child now, so that the first event does not wait for it."""
        children = [self._idle.get() for _ in range(self._idle.qsize())]
        for child in children:
            child.start()
            self._idle.put(child)

    def upstreams(self, relation: Relation) -> tuple[RelationName, ...] | Failed:
        if relation.view is None:
            return ()
        answer = self._ask(relation, {"ask": "upstreams", "relation": facts_to_json(relation)})
        if "failed" in answer:
            return _read_failure(answer)
        return tuple(RelationName.of(*parts) for parts in answer["upstreams"])

    def derive(self, relation: Relation, upstreams: Mapping[RelationName, Interface]) -> Outcome:
        answer = self._ask(
            relation,
            {
                "ask": "derive",
                "relation": facts_to_json(relation),
                "upstreams": [interface_to_json(i) for i in upstreams.values()],
                # Resolved here, so that the derivation uses the answers that ``inputs_hash`` covers.
                "udfs": {
                    name: udf_to_json(udf)
                    for name, udf in resolver_answers(relation, self._options).items()
                },
            },
        )
        if "failed" in answer:
            return _read_failure(answer)
        return Derived(derivation_from_json(answer["derivation"]))

    def inputs_hash(self, relation: Relation, upstream_hashes: Mapping[RelationName, str]) -> str:
        return self._direct.inputs_hash(relation, upstream_hashes)

    def interface_hash(self, interface: Interface) -> str:
        return self._direct.interface_hash(interface)

    def close(self) -> None:
        """Ends idle children; a busy one ends when its pipe closes."""
        while True:
            try:
                self._idle.get_nowait().stop()
            except queue.Empty:
                return

    def _ask(self, relation: Relation, question: Mapping[str, Any]) -> Mapping[str, Any]:
        with self._borrow_child() as child:
            return child.ask(relation.name, question)

    @contextmanager
    def _borrow_child(self) -> Iterator[_Child]:
        child = self._idle.get()
        try:
            yield child
        finally:
            self._idle.put(child)


class _Child:
    """One process, started at the first request, and again after each crash."""

    def __init__(self, options: Options, limits: Limits, entry: str) -> None:
        self._options = options
        self._limits = limits
        self._entry = entry
        self._process: subprocess.Popen[bytes] | None = None
        self._trace: IO[bytes] | None = None
        self._received = b""

    def start(self) -> subprocess.Popen[bytes]:
        if self._process is not None:
            return self._process
        self._trace = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the process)
        self._received = b""
        process = subprocess.Popen(
            [sys.executable, "-m", "publisher.settling.derivation_process", self._entry],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._trace,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
            # Ctrl-C is for the daemon, which ends its children itself.
            start_new_session=True,
        )
        self._process = process
        assert process.stdin is not None
        # The settings' own values, from this process to its child; never untrusted bytes.
        options = replace(self._options, udfs=dict(self._options.udfs), udf_resolver=None)
        start = (options, self._limits)
        pickle.dump(start, process.stdin)
        process.stdin.flush()
        return process

    def ask(self, name: RelationName, question: Mapping[str, Any]) -> Mapping[str, Any]:
        process = self.start()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(question).encode("ascii") + b"\n")
            process.stdin.flush()
            answer: Mapping[str, Any] = json.loads(self._read_line(process))
        except (OSError, TimeoutError) as error:
            raise DerivationCrashed(name, self._kill_and_explain(error)) from error
        return answer

    def _read_line(self, process: subprocess.Popen[bytes]) -> bytes:
        assert process.stdout is not None
        deadline = time.monotonic() + self._limits.timeout_seconds
        output = process.stdout.fileno()
        poller = select.poll()
        poller.register(output, select.POLLIN | select.POLLHUP)
        while b"\n" not in self._received:
            left = deadline - time.monotonic()
            if left <= 0 or not poller.poll(left * 1000):
                raise TimeoutError(f"no answer in {self._limits.timeout_seconds:g} s")
            chunk = os.read(output, 1 << 20)
            if not chunk:
                raise BrokenPipeError("its process ended")
            self._received += chunk
        line, _, self._received = self._received.partition(b"\n")
        return line

    def _kill_and_explain(self, error: Exception) -> str:
        """Ends the process; the error, with the last line of the process's trace."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        last_line = ""
        if self._trace is not None:
            self._trace.seek(0)
            trace = self._trace.read()[-_MAX_TRACE_BYTES:].decode("utf-8", "replace")
            last_line = trace.strip().rpartition("\n")[2]
        self.stop()
        return f"{error}: {last_line}" if last_line else str(error)

    def stop(self) -> None:
        process, self._process = self._process, None
        trace, self._trace = self._trace, None
        if trace is not None:
            trace.close()
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue  # unsent data is lost with the process


class _ParentsAnswers:
    """The child's ``UdfResolver``: the answers of the parent's resolver, sent with each question."""

    def __init__(self) -> None:
        self.answers: Mapping[str, UdfAnswer] = {}

    def __call__(self, class_name: str, _dependencies: tuple[str, ...], /) -> UdfAnswer | None:
        return self.answers.get(class_name)


def _read_failure(answer: Mapping[str, Any]) -> Failed:
    status, reason = answer["failed"]
    return Failed(Status(status), reason)


def _answer(deriver: Deriver, question: Mapping[str, Any]) -> Mapping[str, Any]:
    relation = facts_from_json(question["relation"])
    if question["ask"] == "upstreams":
        named = deriver.upstreams(relation)
        if isinstance(named, Failed):
            return {"failed": [named.status.value, named.reason]}
        return {"upstreams": [list(name.parts) for name in named]}
    interfaces = [interface_from_json(value) for value in question["upstreams"]]
    match deriver.derive(relation, {i.name: i for i in interfaces}):
        case Failed(status, reason):
            return {"failed": [status.value, reason]}
        case Derived(derivation):
            return {"derivation": derivation_to_json(derivation)}


def serve(entry: str) -> None:
    """The child: answers until its pipe closes. An unexpected error ends it, with a trace."""
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # printed text must not mix with the answers
    options, limits = pickle.load(questions)  # noqa: S301 (from our own parent)
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    module, _, function = entry.partition(":")
    resolver = _ParentsAnswers()
    options = replace(options, udf_resolver=resolver)
    deriver: Deriver = getattr(__import__(module, fromlist=[function]), function)(options)
    for line in questions:
        # If the parent has died, no other process stops a derivation that does not end.
        signal.alarm(int(limits.timeout_seconds) + 5)
        question = json.loads(line)
        resolver.answers = {n: udf_from_json(udf) for n, udf in question.get("udfs", {}).items()}
        answers.write(json.dumps(_answer(deriver, question)).encode("ascii") + b"\n")
        answers.flush()
        signal.alarm(0)


if __name__ == "__main__":
    serve(sys.argv[1])
