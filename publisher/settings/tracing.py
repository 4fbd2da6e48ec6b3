from __future__ import annotations

from publisher.settings.fields import PublicUrl
from publisher.settings.section import Section


class Tracing(Section):
    enabled: bool = False
    """Whether traces of events are sent. Needs the extra `tracing`."""

    endpoint: PublicUrl | None = None
    """Where an OTLP receiver takes traces over HTTP, as `"http://localhost:4318/v1/traces"`. Not
    set: the variables of OpenTelemetry, such as `OTEL_EXPORTER_OTLP_ENDPOINT`, decide."""
