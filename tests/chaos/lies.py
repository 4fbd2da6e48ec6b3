"""Answers that a broken index, or a broken connection to it, may give."""

from __future__ import annotations

import threading

from tests.chaos.index_proxy import Answer, Exchange, tell_the_truth

_DRIP_SECONDS = 0.5
_PLAIN = {"Content-Type": "text/plain"}


def drop_request(exchange: Exchange) -> None:
    exchange.hang_up()


def drop_answer(exchange: Exchange) -> None:
    exchange.forward()
    exchange.hang_up()


def fail_after_storing(exchange: Exchange) -> None:
    answer = exchange.forward()
    broken = Answer(500, _PLAIN, b"an error after the work")
    exchange.send(broken if exchange.is_upload else answer)


def accept_without_storing(exchange: Exchange) -> None:
    if exchange.is_upload:
        exchange.send(Answer(200, _PLAIN, b"accepted"))
    else:
        tell_the_truth(exchange)


class StalePages:
    """Serves each page as it was at its first request."""

    def __init__(self) -> None:
        self._pages: dict[str, Answer] = {}

    def __call__(self, exchange: Exchange) -> None:
        if exchange.is_upload:
            tell_the_truth(exchange)
            return
        if exchange.path not in self._pages:
            self._pages[exchange.path] = exchange.forward()
        exchange.send(self._pages[exchange.path])


class DrippedBodies:
    """Sends single bytes with pauses, until ``stop``."""

    def __init__(self) -> None:
        self._stopped = threading.Event()

    def __call__(self, exchange: Exchange) -> None:
        exchange.send_slowly(exchange.forward(), lambda: _ignore(self._stopped.wait(_DRIP_SECONDS)))

    def stop(self) -> None:
        self._stopped.set()


def _ignore(_: object) -> None:
    return None
