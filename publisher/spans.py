"""The interface for traces of an event's way to the index; by default nothing is traced.

A trace belongs to a relation that an event names. It begins with the event, and ends with the new
version or with the end of the work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Final, Protocol, TypeAlias

from lakeschema.catalog.identifiers import RelationName

HEAR: Final = "hear"
READ: Final = "read"
DERIVE: Final = "derive"
GENERATE: Final = "generate"
UPLOAD: Final = "upload"
LIST: Final = "list"


class Stage(Protocol):
    def note(self, name: RelationName, outcome: str, package: str = "", version: str = "") -> None:
        """Records how the stage ended for one relation. Without a note, the outcome is ``done``."""


class Traces(Protocol):
    """The running traces. Safe for threads; no method waits."""

    @property
    def are_on(self) -> bool: ...

    def hear(
        self,
        names: Sequence[RelationName],
        source: str,
        event_times: Mapping[RelationName, float],
        received_at: float,
    ) -> None:
        """Begins the traces of an event's relations; times are wall time."""

    def stage(self, title: str, names: Sequence[RelationName]) -> AbstractContextManager[Stage]:
        """Opens a span in the trace of each of these relations that is traced."""

    def end(self, name: RelationName, outcome: str, package: str = "", version: str = "") -> None:
        """Ends the relation's trace. If ``outcome`` is empty, the outcome of the last stage counts."""

    def close(self) -> None: ...


Watch: TypeAlias = Callable[[str], AbstractContextManager[object]]
"""Opens a stage of one relation by its title."""


class _NotTraced:
    def note(self, name: RelationName, outcome: str, package: str = "", version: str = "") -> None:
        pass


_NOTHING: Final = nullcontext[Stage](_NotTraced())


def not_watched(_: str) -> AbstractContextManager[object]:
    return _NOTHING


class NoTraces:
    are_on: Final = False

    def hear(
        self,
        names: Sequence[RelationName],
        source: str,
        event_times: Mapping[RelationName, float],
        received_at: float,
    ) -> None:
        pass

    def stage(self, title: str, names: Sequence[RelationName]) -> AbstractContextManager[Stage]:  # noqa: ARG002
        return _NOTHING

    def end(self, name: RelationName, outcome: str, package: str = "", version: str = "") -> None:
        pass

    def close(self) -> None:
        pass


NO_TRACES: Final[Traces] = NoTraces()
