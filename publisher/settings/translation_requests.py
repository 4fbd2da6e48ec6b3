"""The section ``[translate]``: requests for schemas and other engines' SQL, over HTTP."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from publisher.settings.section import Section


class Translate(Section):
    enabled: bool = False
    """Whether `POST /translate` is answered, and there is a page to try it: views for
    [other engines](emission.md). Where the pages about the service are protected, it is, too:
    [operations](operations.md#translate-over-http).
    """

    max_bytes: Annotated[int, Field(ge=1, le=16_777_216)] = 1_048_576
    """A longer request is refused."""

    timeout_seconds: Annotated[float, Field(gt=0)] = 10.0
    """A translation is killed after this time."""

    memory_bytes: Annotated[int, Field(ge=268_435_456)] = 1_073_741_824
    """Address space of one process."""

    processes: Annotated[int, Field(ge=1, le=16)] = 1
    """How many requests are answered at the same time, each by a process of its own."""

    max_waiting: Annotated[int, Field(ge=0)] = 64
    """Further requests wait, and clients take turns. Beyond this number the newest of the address with
    the most is refused with 503.
    """
