"""Answers translation requests in warm limited processes, behind a bounded queue."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from concurrent.futures import Future
from enum import Enum
from typing import Final, Protocol

from lakeschema.isolation.limits import Limits, ProcessDied
from lakeschema.isolation.process import LimitedProcess
from lakeschema.translation.model.interface import Options
from lakeschema.translation.requests.limited_answers import (
    HANDLER,
    Answer,
    Form,
    Result,
    Told,
    Wanted,
    question,
    read_answer,
    translation_handler,
)
from publisher.daemon.admission import Admission
from publisher.runtime import Counters
from publisher.settings import Translate
from publisher.web.limited_requests import Failed, Unavailable

log = logging.getLogger(__name__)

_MAX_ANSWER_BYTES: Final = 16 * 1024**2
_MAX_TURNS: Final = 8
_FIRST_REQUEST: Final = b'{"query": "SELECT 1 AS one", "to": "trino"}'


class Ending(Enum):
    """How a request ended.

    INVALID: the request is invalid. UNTRANSLATABLE: the answer is a refusal with its reason.
    FAILED: it exceeded a limit, or the program failed. REFUSED: too many requests waited, the
    relations could not be read, or the service ended.
    """

    OK = "ok"
    INVALID = "invalid"
    UNTRANSLATABLE = "untranslatable"
    FAILED = "failed"
    REFUSED = "refused"


_ENDINGS: Final = {
    Result.OK: Ending.OK,
    Result.INVALID: Ending.INVALID,
    Result.UNTRANSLATABLE: Ending.UNTRANSLATABLE,
    Result.FAULT: Ending.FAILED,
}


class Surroundings(Protocol):
    def tell(self, wanted: Wanted, told: Told) -> None:
        """Adds the wanted relations.

        Raises:
            Unavailable: a relation cannot be read now.
        """


class Translations:
    """Answers translation requests. Safe for threads."""

    def __init__(self, settings: Translate, options: Options, surroundings: Surroundings) -> None:
        """Starts no process yet; ``options`` are the defaults for each request."""
        self.max_bytes = settings.max_bytes
        self._seconds = settings.timeout_seconds
        self._surroundings = surroundings
        handlers = {HANDLER: translation_handler(options, _MAX_ANSWER_BYTES)}
        limits = Limits(settings.timeout_seconds, settings.memory_bytes, 2 * _MAX_ANSWER_BYTES)
        processes = [LimitedProcess(handlers, limits) for _ in range(settings.processes)]
        self._endings = Counters()
        self._admission = Admission(
            processes, settings.max_waiting, "translate", lambda: self._count(Ending.REFUSED)
        )

    def start(self) -> None:
        """Starts the processes, in other threads. They import their modules at once."""
        self._admission.with_each_idle(_warm)

    def submit(self, request: bytes, form: Form, client: str) -> Future[Answer]:
        return self._admission.submit(client, lambda process: self._answer(process, request, form))

    def close(self) -> None:
        """Ends each process after its current answer."""
        self._admission.close()

    def endings(self) -> Mapping[str, int]:
        """How many requests had each ending, also if the number is zero."""
        counted = self._endings.values()
        return {ending.value: counted.get(ending.value, 0) for ending in Ending}

    def _answer(self, process: LimitedProcess, request: bytes, form: Form) -> Answer:
        try:
            answer = self._ask(process, request, form)
        except ProcessDied as died:
            log.warning("a translation died", extra={"why": died.reason})
            why = "it took too long" if died.timed_out else "its process ended"
            self._count(Ending.FAILED)
            raise Failed(f"the request could not be answered: {why}") from None
        except Failed:
            self._count(Ending.FAILED)
            raise
        except Unavailable:
            self._count(Ending.REFUSED)
            raise
        self._count(_ENDINGS[answer.result])
        return answer

    def _ask(self, process: LimitedProcess, request: bytes, form: Form) -> Answer:
        """Gets a process's answer in several turns.

        In each turn the process names the relations that it needs. Views need further relations, which it
        names in the next turn.
        """
        told, end = Told(), time.monotonic() + self._seconds
        for _ in range(_MAX_TURNS):
            answer = read_answer(process.ask(HANDLER, question(request, form, told)))
            if isinstance(answer, Answer):
                return answer
            if time.monotonic() > end:
                raise Failed("the request could not be answered: it took too long")
            self._surroundings.tell(answer, told)
        raise Failed("the views that the request reads changed meanwhile; try again")

    def _count(self, ending: Ending) -> None:
        self._endings.add(ending.value)


def _warm(process: LimitedProcess) -> None:
    try:
        process.ask(HANDLER, question(_FIRST_REQUEST, Form.JSON, Told()))
    except ProcessDied as died:
        log.warning("a process for translations did not start", extra={"why": died.reason})
