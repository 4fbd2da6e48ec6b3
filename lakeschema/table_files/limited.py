"""Reads tables' files in child processes.

Bad content or a hanging storage stops only one of these processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

from lakeschema.catalog.own_schemas import OwnSchema, UnreadSchema
from lakeschema.catalog.relations import SchemaPointer
from lakeschema.isolation.limits import Handler, Limits, PoolClosed, ProcessDied
from lakeschema.isolation.pool import LimitedProcesses
from lakeschema.table_files.access import DEFAULT_LIMITS, ReadingLimits, surroundings
from lakeschema.table_files.reading import schema_from_json

_HANDLER = "table_files"


class LimitedOwnSchemas:
    """Reads schemas in child processes; the first process starts with the first table."""

    def __init__(self, limits: ReadingLimits = DEFAULT_LIMITS) -> None:
        argument = (limits.access, surroundings())
        handler = Handler("lakeschema.table_files.reading:answer_questions", argument)
        self._processes = LimitedProcesses(
            {_HANDLER: handler},
            count=limits.at_once,
            limits=Limits(timeout_seconds=limits.timeout_seconds, has_network=True),
        )
        self._at_once = limits.at_once

    def read(self, pointers: Sequence[SchemaPointer]) -> Sequence[OwnSchema | UnreadSchema]:
        if len(pointers) < 2:
            return [self._read_one(pointer) for pointer in pointers]
        with ThreadPoolExecutor(self._at_once) as threads:
            return list(threads.map(self._read_one, pointers))

    def close(self) -> None:
        self._processes.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read_one(self, pointer: SchemaPointer) -> OwnSchema | UnreadSchema:
        try:
            answer = self._processes.ask(_HANDLER, [pointer.format.value, pointer.location])
        except PoolClosed as closed:
            return UnreadSchema(str(closed))
        except ProcessDied as died:
            why = "were not read in time" if died.timed_out else "ended the process that read them"
            return UnreadSchema(
                f"its files {why}; check that its storage answers, or raise catalog.table_files.timeout_seconds"
            )
        return _schema(answer)


def _schema(answer: Any) -> OwnSchema | UnreadSchema:
    if "reason" in answer:
        return UnreadSchema(answer["reason"])
    return schema_from_json(answer)
