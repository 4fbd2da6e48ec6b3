"""Sessions of ``requests`` whose connections obey the deadline of an exchange."""

from __future__ import annotations

import socket
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection

from lakeschema.exchange import ExchangeTimeout, exchange, use


def bound_exchanges(session: requests.Session) -> None:
    """Makes a session obey the deadline of the exchange that uses it; nothing is retried."""
    for scheme in ("http://", "https://"):
        session.mount(scheme, _BoundedAdapter())


class BoundedSession(requests.Session):
    """A session whose responses end in time, with redirects and body.

    Otherwise they raise ``requests.Timeout``.
    """

    def __init__(self, timeout_seconds: float) -> None:
        super().__init__()
        bound_exchanges(self)
        self._timeout_seconds = timeout_seconds

    def request(self, *args: Any, **kwargs: Any) -> requests.Response:
        try:
            with exchange(self._timeout_seconds):
                return super().request(*args, **kwargs)
        except ExchangeTimeout as error:
            raise requests.Timeout("the response did not end in time") from error


class _BoundedAdapter(HTTPAdapter):
    def __init__(self) -> None:
        super().__init__(max_retries=0)

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = _POOLS

    def proxy_manager_for(self, *args: Any, **kwargs: Any) -> Any:
        manager = super().proxy_manager_for(*args, **kwargs)
        manager.pool_classes_by_scheme = _POOLS
        return manager


class _Connection(HTTPConnection):
    def _new_conn(self) -> socket.socket:
        connected = super()._new_conn()
        use(connected)
        return connected

    def request(self, *args: Any, **kwargs: Any) -> None:
        use(self.sock)
        super().request(*args, **kwargs)


class _TlsConnection(_Connection, HTTPSConnection):
    """A TLS connection: for it, ``super()`` in ``_Connection`` means ``HTTPSConnection``."""


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = _TlsConnection


_POOLS = {"http": _Pool, "https": _TlsPool}
