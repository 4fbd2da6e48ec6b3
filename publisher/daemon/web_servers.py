"""The daemon's HTTP servers: one for everything, or a second one for operations pages."""

from __future__ import annotations

import resource
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Final

from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector
from starlette.types import ASGIApp

from publisher.daemon.metrics import EngineMetrics
from publisher.index.static import StaticIndex
from publisher.settings import Http
from publisher.settings.fields import is_this_machine
from publisher.web.access import Access
from publisher.web.app import create_app, create_operations_app, create_public_app
from publisher.web.connections import Limits
from publisher.web.event_posts import Inbox
from publisher.web.hosts import OwnHosts
from publisher.web.limited_requests import JsonService
from publisher.web.packages import Site
from publisher.web.server import WebServer
from publisher.web.status import Daemon
from publisher.web.translations import Translator

_DESCRIPTORS_PER_CONNECTION: Final = 4


class WebServers:
    """The running servers, if HTTP is enabled.

    Raises:
        SettingsError: the operations token's file is unusable.
        AddressTaken: nothing is left running.
    """

    def __init__(
        self,
        http: Http,
        index: StaticIndex | None,
        daemon: Daemon,
        site: Site,
        registry: CollectorRegistry,
        checker: JsonService | None = None,
        translator: Translator | None = None,
        listener: JsonService | None = None,
        inboxes: Sequence[Inbox] = (),
    ) -> None:
        self.url: str | None = None
        self.operations_url: str | None = None
        self._http = http
        self._open = ExitStack()
        if not http.enabled:
            return
        token = http.operations_token()
        with self._open:
            if http.operations_port is None:
                access = Access(token)
                app = create_app(
                    index,
                    daemon,
                    site=site,
                    registry=registry,
                    access=access,
                    checker=checker,
                    translator=translator,
                    listener=listener,
                    inboxes=inboxes,
                )
                self.url = self._serve(app, http.port, access)
            else:
                access = Access(token, has_own_port=True)
                public = create_public_app(index, daemon, site=site)
                self.url = self._serve(public, http.port, access)
                operations = create_operations_app(
                    daemon,
                    site=site,
                    registry=registry,
                    access=access,
                    checker=checker,
                    translator=translator,
                    listener=listener,
                    inboxes=inboxes,
                )
                self.operations_url = self._serve(operations, http.operations_port, access)
            self._open = self._open.pop_all()

    def close(self) -> None:
        self._open.close()

    def _serve(self, app: ASGIApp, port: int, access: Access) -> str:
        if is_this_machine(self._http.host) and access.token is None:
            app = OwnHosts(app, self._http.public_url)
        limits = Limits(max_connections=max_connections(self._http.max_connections))
        return self._open.enter_context(WebServer(app, self._http.host, port, limits)).url


def max_connections(configured: int) -> int:
    """The configured number, limited so that the state, the index and the catalog have file descriptors."""
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if descriptors == resource.RLIM_INFINITY:
        return configured
    return max(1, min(configured, descriptors // _DESCRIPTORS_PER_CONNECTION))


def daemon_registry(metrics: EngineMetrics) -> CollectorRegistry:
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    GCCollector(registry=registry)
    registry.register(metrics)
    return registry
