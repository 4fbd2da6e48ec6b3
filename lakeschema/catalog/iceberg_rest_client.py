"""Requests to Iceberg's REST catalogs: paths, pages, and the server's configuration.

Iceberg specification, "REST Catalog API".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.iceberg_http import HttpClient, RestLogin, RestServer
from lakeschema.catalog.iceberg_reply import Reply

_DEFAULT_SEPARATOR = "%1F"
_MAX_PAGES = 100_000


class EndpointMissing(CatalogRefused):
    """The server does not offer this kind of request at all."""


@dataclass(frozen=True, slots=True)
class _Config:
    prefix: str
    separator: str
    endpoints: frozenset[str] | None


class RestClient(HttpClient):
    """Sends requests to a REST catalog. Safe for threads, which share the configuration."""

    def __init__(self, server: RestServer, login: Callable[[], RestLogin]) -> None:
        super().__init__(server, login)
        self._config: _Config | None = None

    def get(
        self, path: str, query: Mapping[str, str] | None = None, etag: str | None = None
    ) -> Reply:
        """The answer to a GET below the catalog's prefix; the caller handles statuses from 400 on.

        Raises:
            CatalogUnavailable, CatalogRefused: as ``ask``.
        """
        config = self.config()
        headers = {} if etag is None else {"If-None-Match": etag}
        reply = self.ask(f"/v1/{config.prefix}{path}", query or {}, headers)
        if reply.is_missing and not reply.has_error:
            self._require_catalog()
        return reply

    def _require_catalog(self) -> None:
        """Checks that the catalog answers.

        A proxy without its catalog answers 404 for every path, so every relation would seem missing.
        """
        try:
            self.ask_config()
        except CatalogRefused as error:
            why = f"another server answers at its address ({error.reason})"
            raise CatalogUnavailable(self.server.name, why) from None

    def pages(self, path: str, query: Mapping[str, str], key: str, what: str) -> Iterator[Any]:
        """The items of every page of a list; none if the server says that the list does not exist.

        Raises:
            EndpointMissing: the server has no such lists.
            CatalogRefused: the server refuses, or its answer is not such a list.
        """
        token, seen = "", {""}
        for _ in range(_MAX_PAGES):
            reply = self.get(path, {**query, "pageToken": token})
            if reply.is_missing:
                return
            if reply.is_unsupported:
                raise EndpointMissing(self.server.name, what, reply.reason)
            items = self.require(reply, what).get(key)
            if not isinstance(items, list):
                raise self.refused(what, f"its answer has no list of {key}")
            yield from items
            following = reply.document.get("next-page-token")
            if not following or str(following) in seen:
                return
            token = str(following)
            seen.add(token)
        raise self.refused(what, "the list does not end")

    def config(self) -> _Config:
        """The server's configuration, which is requested once.

        Raises:
            CatalogUnavailable, CatalogRefused: as ``get``.
        """
        with self._lock:
            found = self._config
        if found is None:
            found = self.ask_config()
            with self._lock:
                self._config = found
        return found

    def ask_config(self) -> _Config:
        """The server's configuration, from a new request."""
        query = {} if self.server.warehouse is None else {"warehouse": self.server.warehouse}
        reply = self.ask("/v1/config", query)
        if reply.status >= 500:
            raise CatalogUnavailable(self.server.name, reply.reason)
        document = self.require(reply, "its configuration")
        merged: dict[str, Any] = {}
        for key in ("defaults", "overrides"):
            part = document.get(key)
            merged |= part if isinstance(part, dict) else {}
        prefix = merged.get("prefix", self.server.prefix)
        separator = merged.get("namespace-separator") or _DEFAULT_SEPARATOR
        endpoints = document.get("endpoints")
        return _Config(
            "".join(f"{_encoded(part)}/" for part in str(prefix or "").split("/") if part),
            str(separator),
            frozenset(map(str, endpoints)) if isinstance(endpoints, list) else None,
        )

    def offers(self, endpoint: str) -> bool:
        """Whether the server has an endpoint, such as ``GET /v1/{prefix}/…``.

        True if unknown.
        """
        endpoints = self.config().endpoints
        return endpoints is None or endpoint in endpoints

    def namespace_segment(self, namespace: tuple[str, ...]) -> str:
        """The namespace as one segment of a path.

        Raises:
            CatalogRefused: the server would read the segment as other levels.
        """
        return self.config().separator.join(segment(level) for level in self._levels(namespace))

    def namespace_text(self, namespace: tuple[str, ...]) -> str:
        """The namespace as the value of a query's parameter, not yet encoded."""
        return unquote(self.config().separator).join(self._levels(namespace))

    def _levels(self, namespace: tuple[str, ...]) -> tuple[str, ...]:
        separator = unquote(self.config().separator)
        for level in namespace:
            if not is_segment(level) or separator in level:
                raise self.refused(
                    f"the namespace {'.'.join(namespace)!r:.200}",
                    f"its level {level!r:.200} cannot be sent to a REST catalog",
                )
        return namespace


def segment(text: str) -> str:
    """A name as one segment of a path."""
    return quote(text, safe="")


def _encoded(part: str) -> str:
    """A part of the prefix for a path. The server has already encoded the prefix as far as necessary."""
    return quote(part, safe="%")


def is_segment(text: str) -> bool:
    """Whether a name is a plain segment of a path, not ``..``, which clients and servers resolve."""
    return text not in {"", ".", ".."}
