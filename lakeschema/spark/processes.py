"""The limited child process of a Python worker: executors read untrusted text only there."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from lakeschema.isolation.limits import Limits
from lakeschema.isolation.pool import LimitedProcesses
from lakeschema.translation.deriving.limited_deriver import (
    HANDLER,
    LimitedDeriver,
    derivation_handler,
)
from lakeschema.translation.model.interface import Options


def deriver_of_worker(options: Options, limits: Limits) -> LimitedDeriver:
    """The deriver of this Python worker. A worker runs one task after another, with one child process."""
    process = pickle.dumps((derivation_handler(options), limits))
    return LimitedDeriver(_processes(process), options)


@contextmanager
def deriver_of_driver(options: Options, limits: Limits) -> Iterator[LimitedDeriver]:
    """A deriver for a part of the job that runs in this process; its child ends with the block."""
    with LimitedProcesses(
        {HANDLER: derivation_handler(options)}, count=1, limits=limits
    ) as started:
        yield LimitedDeriver(started, options)


# Spark reuses its Python workers. A child for each task would import the translation core again.
@lru_cache(maxsize=1)
def _processes(pickled: bytes) -> LimitedProcesses:
    handler, limits = pickle.loads(pickled)  # noqa: S301 (pickled here)
    return LimitedProcesses({HANDLER: handler}, count=1, limits=limits)
