"""Traces of events with OpenTelemetry, sent over OTLP/HTTP. Imported only if ``[tracing]`` is enabled."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from typing import Final

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, Status, StatusCode, set_span_in_context

from lakeschema.catalog.identifiers import RelationName
from publisher.spans import HEAR, Stage

MAX_OPEN: Final = 10_000
"""The limit of open traces; at the limit, further events are not traced."""

_NAME: Final = "schema-publisher"
_PREFIX: Final = "schema_publisher"
_ENDING_SECONDS: Final = 3.0
_DONE: Final = "done"


@dataclass(slots=True)
class _Open:
    """An open trace.

    Attributes:
        has_begun: whether a worker has claimed the relation; then a further event needs another trace.
    """

    root: Span
    outcome: str = ""
    has_begun: bool = False


@dataclass(frozen=True, slots=True)
class _Heard:
    source: str
    happened_at: float
    received_at: float
    stored_at: float


class EventTraces:
    """Traces with OpenTelemetry.

    A relation has one trace at a time; later events begin the next trace.
    """

    are_on: Final = True

    def __init__(self, endpoint: str | None) -> None:
        """Prepares the exporter; without ``endpoint``, OpenTelemetry's environment variables name it.

        Raises:
            ValueError: a variable of OpenTelemetry has no usable value.
        """
        named = Resource({SERVICE_NAME: _NAME}).merge(OTELResourceDetector().detect())
        self._provider = TracerProvider(resource=Resource.create().merge(named))
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
        self._tracer = self._provider.get_tracer(_NAME, metadata.version(_NAME))
        self._lock = threading.Lock()
        self._open: dict[RelationName, _Open] = {}
        self._next: dict[RelationName, _Heard] = {}

    def hear(
        self,
        names: Sequence[RelationName],
        source: str,
        event_times: Mapping[RelationName, float],
        received_at: float,
    ) -> None:
        stored_at = time.time()
        with self._lock:
            for name in dict.fromkeys(names):
                happened_at = min(event_times.get(name, received_at), received_at)
                heard = _Heard(source, happened_at, received_at, stored_at)
                opened = self._open.get(name)
                if opened is None:
                    self._begin(name, heard)
                elif opened.has_begun:
                    self._next.setdefault(name, heard)
                else:
                    opened.root.add_event("another event", {f"{_PREFIX}.source": source})

    @contextmanager
    def stage(self, title: str, names: Sequence[RelationName]) -> Iterator[Stage]:
        began = time.time_ns()
        with self._lock:
            found = {name: self._open[name] for name in names if name in self._open}
            for opened in found.values():
                opened.has_begun = True
        stage = _Stage(
            {
                name: self._tracer.start_span(
                    title,
                    set_span_in_context(opened.root),
                    attributes={f"{_PREFIX}.relation": str(name)},
                    start_time=began,
                )
                for name, opened in found.items()
            }
        )
        try:
            yield stage
        except BaseException as error:
            stage.end_all(f"failed: {type(error).__name__}", is_error=True)
            raise
        stage.end_all(_DONE)
        for name, outcome in stage.outcomes.items():
            found[name].outcome = outcome

    def end(self, name: RelationName, outcome: str, package: str = "", version: str = "") -> None:
        with self._lock:
            opened = self._open.pop(name, None)
            if opened is not None:
                _describe(opened.root, outcome or opened.outcome or _DONE, package, version)
                opened.root.end()
            heard = self._next.pop(name, None)
            if heard is not None:
                self._begin(name, heard)

    def close(self) -> None:
        """Sends the remaining spans, for at most a few seconds."""
        ending = threading.Thread(target=self._provider.shutdown, name="end traces", daemon=True)
        ending.start()
        ending.join(_ENDING_SECONDS)

    def _begin(self, name: RelationName, heard: _Heard) -> None:
        if len(self._open) >= MAX_OPEN:
            return
        about = {f"{_PREFIX}.relation": str(name), f"{_PREFIX}.source": heard.source}
        root = self._tracer.start_span(
            "event", attributes=about, start_time=_nanoseconds(heard.happened_at)
        )
        self._open[name] = _Open(root)
        hearing = self._tracer.start_span(
            HEAR,
            set_span_in_context(root),
            attributes=about,
            start_time=_nanoseconds(heard.received_at),
        )
        hearing.end(_nanoseconds(heard.stored_at))


class _Stage:
    def __init__(self, spans: Mapping[RelationName, Span]) -> None:
        self._spans = spans
        self.outcomes: dict[RelationName, str] = {}

    def note(self, name: RelationName, outcome: str, package: str = "", version: str = "") -> None:
        if name in self._spans:
            self.outcomes[name] = outcome
            _describe(self._spans[name], outcome, package, version)

    def end_all(self, outcome: str, *, is_error: bool = False) -> None:
        for name, span in self._spans.items():
            if name not in self.outcomes:
                _describe(span, outcome)
            if is_error:
                span.set_status(Status(StatusCode.ERROR, outcome))
            span.end()


def _describe(span: Span, outcome: str, package: str = "", version: str = "") -> None:
    span.set_attribute(f"{_PREFIX}.outcome", outcome)
    if package:
        span.set_attribute(f"{_PREFIX}.package", package)
    if version:
        span.set_attribute(f"{_PREFIX}.version", version)


def _nanoseconds(seconds: float) -> int:
    return int(seconds * 1e9)
