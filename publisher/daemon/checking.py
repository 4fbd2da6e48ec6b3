"""Checks of statements by limited processes that stay warm, and a bounded queue before them."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from lakeschema.analysis.checking import HANDLER, Choices, check_handler, question
from lakeschema.analysis.defence import UnknownRule
from lakeschema.analysis.grants import MalformedGrants
from lakeschema.analysis.permissions import Views
from lakeschema.catalog.errors import CatalogError
from lakeschema.isolation.limits import Handler, Limits, ProcessDied
from lakeschema.isolation.process import LimitedProcess
from publisher.daemon.check_counts import CheckCounts, Verdict
from publisher.daemon.known_relations import Known, KnownRelations
from publisher.daemon.user_grants import Granted, UserGrants
from publisher.settings import Check, SettingsError
from publisher.web.checks import CheckFailed, CheckUnavailable

log = logging.getLogger(__name__)


def handler_of(settings: Check, *, asks_grants: bool) -> Handler:
    """What answers in the processes.

    Raises:
        SettingsError: a rule is unknown, or the file of the grants cannot be used.
    """
    choices = Choices(
        settings.dialect,
        settings.max_bytes,
        settings.rules,
        settings.grants(),
        Views(settings.views),
        asks_grants=asks_grants,
    )
    try:
        return check_handler(choices)
    except UnknownRule as error:
        raise SettingsError((f"check.rules: {error}",)) from None
    except MalformedGrants as error:
        raise SettingsError((f"check.grants_file ({settings.grants_file}): {error}",)) from None


class Checks:
    """Safe for threads.

    Raises:
        SettingsError: a rule is unknown, or the file of the grants cannot be used.
    """

    def __init__(
        self, settings: Check, known: KnownRelations, grants: UserGrants | None = None
    ) -> None:
        """``grants``: of a metastore; without them those of the settings' file, if there is one."""
        handlers = {HANDLER: handler_of(settings, asks_grants=grants is not None)}
        self._grants = grants
        limits = Limits(settings.timeout_seconds, settings.memory_bytes)
        self.max_bytes = settings.max_bytes
        self._known = known
        self._most = settings.processes + settings.max_waiting
        self._under_way = 0
        self._is_closed = False
        self._lock = threading.Lock()
        self._idle: queue.LifoQueue[_Process] = queue.LifoQueue()
        for _ in range(settings.processes):
            self._idle.put(_Process(LimitedProcess(handlers, limits)))
        self._threads = ThreadPoolExecutor(settings.processes, thread_name_prefix="check")
        self.counts = CheckCounts()

    def start(self) -> None:
        """Begins to read what is known, and starts the processes beside the caller."""
        self._bring()
        self._known.start(self._bring)

    def _bring(self) -> None:
        """Tells each process what is known now, so that no request waits for that."""
        with self._lock:
            if not self._is_closed:
                for _ in range(self._idle.qsize()):
                    self._threads.submit(self._warm)

    def submit(self, request: bytes) -> Future[Mapping[str, Any]]:
        try:
            return self._submit(request)
        except CheckUnavailable:
            self.counts.add(Verdict.REFUSED)
            raise

    def _submit(self, request: bytes) -> Future[Mapping[str, Any]]:
        if self._known.current is None:
            raise CheckUnavailable("the service begins, and has not read its relations yet")
        with self._lock:
            if self._is_closed:
                raise CheckUnavailable("the service ends")
            if self._under_way >= self._most:
                raise CheckUnavailable("too many statements wait to be checked")
            self._under_way += 1
            answer = self._threads.submit(self._check, request)
        answer.add_done_callback(self._done)
        return answer

    def close(self) -> None:
        """Ends the processes; one that answers ends after its answer."""
        self._known.close()
        with self._lock:
            self._is_closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        while True:
            try:
                self._idle.get_nowait().stop()
            except queue.Empty:
                break

    def _done(self, _: Future[Mapping[str, Any]]) -> None:
        with self._lock:
            self._under_way -= 1

    def _check(self, request: bytes) -> Mapping[str, Any]:
        known = self._known.current
        assert known is not None
        process = self._idle.get()
        try:
            answer: Mapping[str, Any] = process.ask(known, self._granted(), request)
            if "grants_of" in answer:
                self._read_grants(str(answer["grants_of"]))
                answer = process.ask(known, self._granted(), request)
        except ProcessDied as died:
            log.warning("a statement's check died", extra={"why": died.reason})
            why = "it took too long" if died.timed_out else "its process ended"
            self.counts.add(Verdict.FAILED)
            raise CheckFailed(f"the statement could not be checked: {why}") from None
        finally:
            self._give_back(process)
        self.counts.add_answer(answer)
        return answer

    def _granted(self) -> Granted:
        return {} if self._grants is None else self._grants.current()

    def _read_grants(self, user: str) -> None:
        assert self._grants is not None
        try:
            self._grants.read(user)
        except CatalogError as error:
            log.warning("privileges of a user not read", extra={"why": str(error)})
            self.counts.add(Verdict.FAILED)
            why = "the metastore does not say what the user may do"
            raise CheckUnavailable(why) from None

    def _warm(self) -> None:
        process = self._idle.get()
        try:
            process.ask(self._known.current or {}, self._granted(), b"")
        except ProcessDied as died:
            log.warning("a process for checks did not start", extra={"why": died.reason})
        finally:
            self._give_back(process)

    def _give_back(self, process: _Process) -> None:
        if self._is_closed:
            process.stop()
        else:
            self._idle.put(process)


class _Process:
    """A limited process, and what it knows of relations."""

    def __init__(self, process: LimitedProcess) -> None:
        self._process = process
        self._known: Known = {}
        self._granted: Granted = {}

    def ask(self, known: Known, granted: Granted, request: bytes) -> Any:
        """Raises: ProcessDied: there is no answer; the next one comes of a new process."""
        if self._process.is_new:
            self._known, self._granted = {}, {}
        changed, removed = _differences(self._known, known)
        new_grants, forgotten = _differences(self._granted, granted)
        asked = question(changed, removed, request, new_grants, forgotten)
        answer = self._process.ask(HANDLER, asked)
        self._known, self._granted = known, granted
        return answer

    def stop(self) -> None:
        self._process.stop()


def _differences(
    before: Mapping[str, Any], now: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """What is new or other, and what is gone."""
    if now is before:
        return {}, []
    changed = {name: value for name, value in now.items() if before.get(name) is not value}
    return changed, [name for name in before if name not in now]
