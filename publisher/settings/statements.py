"""The section ``[statements]``: statements that ran, from which the service learns what fills tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from publisher.settings.fields import DialectName
from publisher.settings.section import Section
from publisher.settings.sources import KafkaSettings


class StatementTopic(KafkaSettings):
    kind: Literal["kafka"] = "kafka"
    """Nothing else."""

    group_id: str = "schema-publisher-statements"
    """Of two processes that share one the broker shuts out the earlier."""


class Statements(Section):
    enabled: bool = False
    """Whether `POST /statements` is answered: see
    [operations](operations.md#tables-that-statements-fill). Where the pages about the service are
    protected, it is, too.
    """

    log: Path | None = None
    """A file or folder of statements that ran: `.sql`, or `.jsonl`, `.ndjson` and `.json` with an object
    a line. What is added is read within seconds.
    """

    kafka: StatementTopic | None = None
    """A topic whose messages are such objects, or arrays of them: `[statements.kafka]`."""

    dialect: DialectName = "spark"
    """Of statements that name none: one of [these](analysis.md#the-request)."""

    keep_days: Annotated[float, Field(gt=0)] = 90.0
    """What no statement said for so long is forgotten."""

    @property
    def are_heard(self) -> bool:
        """Whether anything tells of statements."""
        return self.enabled or self.log is not None or self.kafka is not None
