"""The section ``[translate]``: requests over HTTP for schemas and other engines' SQL."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from publisher.settings.section import Section


class Translate(Section):
    enabled: bool = False
    """Whether the service answers `POST /translate` and has a page to try it: views for [other
    engines](emission.md). Both are protected like the pages about the service:
    [operations](operations.md#translate-over-http).
    """

    max_bytes: Annotated[int, Field(ge=1, le=16_777_216)] = 1_048_576
    """The longest request that is accepted."""

    timeout_seconds: Annotated[float, Field(gt=0)] = 10.0
    """A translation is killed after this time."""

    memory_bytes: Annotated[int, Field(ge=268_435_456)] = 1_073_741_824
    """The address space of one process."""

    processes: Annotated[int, Field(ge=1, le=16)] = 1
    """How many processes answer requests at the same time."""

    max_waiting: Annotated[int, Field(ge=0)] = 64
    """How many further requests wait, while clients take turns. Beyond this number, the newest
    request of the address with the most requests is refused with 503."""
