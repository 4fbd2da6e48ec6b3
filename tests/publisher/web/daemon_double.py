"""A daemon that does nothing, for pages to ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from publisher.web.status import ServiceStatus


@dataclass(frozen=True)
class IdleDaemon:
    shown: ServiceStatus = field(default_factory=ServiceStatus)
    failing: Mapping[str, str] = field(default_factory=dict)

    def is_live(self) -> bool:
        return self.shown.live

    def troubles(self) -> Mapping[str, str]:
        return self.failing

    def status(self) -> ServiceStatus:
        return self.shown
