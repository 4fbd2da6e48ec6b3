"""Errors that the engine handles as one relation's failure: only its log shows them."""

from __future__ import annotations

import logging


class _Unexpected(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.errors: list[BaseException] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            self.errors.append(record.exc_info[1])


UNEXPECTED = _Unexpected()
logging.getLogger("publisher").addHandler(UNEXPECTED)
