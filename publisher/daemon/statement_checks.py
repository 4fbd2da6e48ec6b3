"""Checks statements in warm limited processes, behind a bounded queue."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from lakeschema.analysis.catalog import NO_CATALOGS, CatalogNames
from lakeschema.analysis.checking import HANDLER, Choices, check_handler, question
from lakeschema.analysis.defence import UnknownRule
from lakeschema.analysis.grants import MalformedGrants
from lakeschema.analysis.permissions import Views
from lakeschema.catalog.errors import CatalogError
from lakeschema.isolation.limits import Handler, Limits, ProcessDied
from lakeschema.isolation.process import LimitedProcess
from publisher.daemon.admission import Admission
from publisher.daemon.check_counts import CheckCounts, Verdict
from publisher.daemon.known_relations import Known, KnownRelations
from publisher.daemon.user_grants import Granted, UserGrants
from publisher.settings import Check, SettingsError
from publisher.web.limited_requests import Failed, Unavailable

log = logging.getLogger(__name__)


def handler_of(
    settings: Check, *, asks_grants: bool, catalogs: CatalogNames = NO_CATALOGS
) -> Handler:
    """The handler that answers in the processes.

    Raises:
        SettingsError: a rule is unknown, or the grants' file is unusable.
    """
    choices = Choices(
        settings.dialect,
        settings.max_bytes,
        settings.rules,
        settings.grants(),
        Views(settings.views),
        asks_grants=asks_grants,
        catalogs=catalogs,
    )
    try:
        return check_handler(choices)
    except UnknownRule as error:
        raise SettingsError((f"check.rules: {error}",)) from None
    except MalformedGrants as error:
        raise SettingsError((f"check.grants_file ({settings.grants_file}): {error}",)) from None


class Checks:
    """Answers requests for checks. Safe for threads.

    Raises:
        SettingsError: a rule is unknown, or the grants' file is unusable.
    """

    def __init__(
        self,
        settings: Check,
        known: KnownRelations,
        grants: UserGrants | None = None,
        catalogs: CatalogNames = NO_CATALOGS,
    ) -> None:
        """Starts no process yet.

        Args:
            settings: the limits, the rules and the file of grants.
            known: the relations that statements may name.
            grants: reads grants from a metastore; None: the settings' file has them, if it is set.
            catalogs: the names of catalogs in statements.
        """
        asks = grants is not None
        handlers = {HANDLER: handler_of(settings, asks_grants=asks, catalogs=catalogs)}
        self._grants = grants
        limits = Limits(settings.timeout_seconds, settings.memory_bytes)
        self.max_bytes = settings.max_bytes
        self._known = known
        processes = [_Process(LimitedProcess(handlers, limits)) for _ in range(settings.processes)]
        self.counts = CheckCounts()
        self._admission = Admission(processes, settings.max_waiting, "check", self._count_refusal)

    def start(self) -> None:
        """Starts reading the known relations, and starts the processes in other threads."""
        self._bring()
        self._known.start(self._bring)

    def _bring(self) -> None:
        """Sends each process the known relations now, so that no request waits for them."""
        self._admission.with_each_idle(self._warm)

    def submit(self, request: bytes, client: str) -> Future[Mapping[str, Any]]:
        if self._known.current is None:
            self._count_refusal()
            raise Unavailable("the service begins, and has not read its relations yet")
        return self._admission.submit(client, lambda process: self._check(process, request))

    def _count_refusal(self) -> None:
        self.counts.add(Verdict.REFUSED)

    def close(self) -> None:
        """Ends each process after its current answer."""
        self._known.close()
        self._admission.close()

    def _check(self, process: _Process, request: bytes) -> Mapping[str, Any]:
        known = self._known.current
        assert known is not None
        try:
            answer: Mapping[str, Any] = process.ask(known, self._granted(), request)
            if "grants_of" in answer:
                self._read_grants(str(answer["grants_of"]))
                answer = process.ask(known, self._granted(), request)
            if "grants_of" in answer:
                self.counts.add(Verdict.FAILED)
                raise Unavailable("the user's privileges expire as soon as they are read")
        except ProcessDied as died:
            log.warning("a statement's check died", extra={"why": died.reason})
            why = "it took too long" if died.timed_out else "its process ended"
            self.counts.add(Verdict.FAILED)
            raise Failed(f"the statement could not be checked: {why}") from None
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
            why = "the metastore does not give the user's privileges"
            raise Unavailable(why) from None

    def _warm(self, process: _Process) -> None:
        try:
            process.ask(self._known.current or {}, self._granted(), None)
        except ProcessDied as died:
            log.warning("a process for checks did not start", extra={"why": died.reason})


class _Process:
    """A limited process, with the relations and grants that were sent to it."""

    def __init__(self, process: LimitedProcess) -> None:
        self._process = process
        self._known: Known = {}
        self._granted: Granted = {}

    def ask(self, known: Known, granted: Granted, request: bytes | None) -> Any:
        """The answer of the process. Raises ``ProcessDied`` without an answer.

        The next request gets a new process.
        """
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
    """The new and changed values, and the names that are gone."""
    if now is before:
        return {}, []
    changed = {name: value for name, value in now.items() if before.get(name) is not value}
    return changed, [name for name in before if name not in now]
