"""The limited child process of a Python worker: the only place where executors read untrusted text."""

from __future__ import annotations

import pickle
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
    """The worker's deriver. A worker runs one task after another, and so does its process."""
    process = pickle.dumps((derivation_handler(options), limits))
    return LimitedDeriver(_processes(process), options)


# Spark reuses its Python workers; a process for each task would import the translation core again.
@lru_cache(maxsize=1)
def _processes(pickled: bytes) -> LimitedProcesses:
    handler, limits = pickle.loads(pickled)  # noqa: S301 (pickled here)
    return LimitedProcesses({HANDLER: handler}, count=1, limits=limits)
