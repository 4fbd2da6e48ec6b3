"""The section ``[statements]``: statements that ran, from which the service learns which tables they fill."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from publisher.settings.fields import DialectName
from publisher.settings.section import Section
from publisher.settings.sources import KafkaTopicSettings


class StatementTopic(KafkaTopicSettings):
    kind: Literal["kafka"] = "kafka"
    """The only kind."""

    group_id: str = "schema-publisher-statements"
    """The consumer group. If two processes share a group, the broker shuts out the earlier one."""


class Statements(Section):
    enabled: bool = False
    """Whether `POST /statements` is answered: see
    [operations](operations.md#tables-that-statements-fill). It is protected like the pages about
    the service."""

    log: Path | None = None
    """A file or folder of statements that ran: `.sql`, or `.jsonl`, `.ndjson` and `.json` with an
    object a line. New statements are read within seconds."""

    kafka: StatementTopic | None = None
    """A topic whose messages are the same objects, or arrays of them: `[statements.kafka]`."""

    dialect: DialectName = "spark"
    """The dialect of statements that name no dialect: one of [these](analysis.md#the-request)."""

    keep_days: Annotated[float, Field(gt=0)] = 90.0
    """How long a statement is remembered after it last ran."""

    @property
    def are_heard(self) -> bool:
        """Whether the service learns from statements."""
        return self.enabled or self.log is not None or self.kafka is not None
