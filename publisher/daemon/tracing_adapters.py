"""Builds the tracing of events, if the settings enable it."""

from __future__ import annotations

from publisher.settings import Settings, SettingsError
from publisher.spans import NO_TRACES, Traces

_EXTRA = "pip install '.[tracing]' in the checkout of schema-publisher"


def build_traces(settings: Settings) -> Traces:
    """The traces; without ``tracing.enabled`` OpenTelemetry is not imported.

    Raises:
        SettingsError: OpenTelemetry is not installed, or one of its variables is unusable.
    """
    chosen = settings.tracing
    if not chosen.enabled:
        return NO_TRACES
    try:
        from publisher.daemon.event_traces import EventTraces
    except ImportError as error:
        why = f"tracing.enabled: OpenTelemetry is not installed ({error.name}): {_EXTRA}"
        raise SettingsError((why,)) from None
    try:
        return EventTraces(chosen.endpoint)
    except ValueError as error:
        raise SettingsError(
            (f"tracing: a variable of OpenTelemetry is unusable: {error}",)
        ) from None
