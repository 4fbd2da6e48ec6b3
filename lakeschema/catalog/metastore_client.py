"""Thrift calls to a Hive Metastore with several addresses; each thread has one connection.

A call is repeated if no answer came, so it must only read, or be safe to repeat.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

from hive_metastore import ThriftHiveMetastore
from hive_metastore.ttypes import MetaException
from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_random_exponential
from thrift.protocol.TBinaryProtocol import TBinaryProtocol, TBinaryProtocolAccelerated
from thrift.protocol.TProtocol import TProtocolException
from thrift.Thrift import TApplicationException
from thrift.transport.TTransport import TTransportException

from lakeschema.catalog.errors import CatalogUnavailable
from lakeschema.catalog.metastore_security import UNSECURED, Security
from lakeschema.catalog.metastore_transport import open_transport
from lakeschema.exchange import ExchangeTimeout, exchange

logger = logging.getLogger(__name__)

Result = TypeVar("Result")
DEFAULT_PORT = 9083

# Messages of a metastore whose database is temporarily down.
_PASSING = re.compile(
    r"JDO(Data|Fatal|Query)|SQL(Transient|Recoverable|NonTransientConnection|Timeout)"
    r"|[Cc]onnection (refused|reset|is closed|pool)|[Dd]eadlock|lock wait timeout",
)

_TIMEOUTS_PER_EXCHANGE = 3

_UNEXPLAINED = "unexpected exception"
"""Thrift's message for every socket error that it does not raise itself."""


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int

    @classmethod
    def parse(cls, uri: str) -> Address:
        """Reads ``thrift://host:9083``; the port is optional."""
        parts = urlsplit(uri.strip())
        if parts.scheme != "thrift" or not parts.hostname:
            raise ValueError(f"invalid metastore address {uri!r}: expected thrift://host:9083")
        return cls(parts.hostname, parts.port or DEFAULT_PORT)

    def __str__(self) -> str:
        return f"thrift://{self.host}:{self.port}"


class _StaleReplica(Exception):
    """The error for a server that is behind the server that returned the current event id."""


class _LenientProtocol(TBinaryProtocol):  # type: ignore[misc]  # thrift is untyped
    """Reads text that is not UTF-8. The compiled reader would refuse a whole batch because of it."""

    def readString(self) -> str:  # noqa: N802  the binding's name
        return bytes(self.readBinary()).decode("utf-8", "replace")


class _Connection(threading.local):
    """A thread's connection; the next read must not be older than ``event_id``."""

    def __init__(self) -> None:
        self.client: Any = None
        self.transport: Any = None
        self.address = 0
        self.event_id: int | None = None


class MetastoreClient:
    """Runs calls on this thread's connection.

    Attributes:
        name: this metastore's name in errors.
    """

    def __init__(
        self,
        uris: Sequence[str],
        *,
        name: str = "hive",
        timeout_seconds: float = 30.0,
        attempts: int = 4,
        longest_wait_seconds: float = 2.0,
        security: Security = UNSECURED,
    ) -> None:
        self.name = name
        self._addresses = tuple(Address.parse(uri) for uri in uris)
        if not self._addresses:
            raise ValueError("a metastore needs at least one address")
        self._timeout_seconds = timeout_seconds
        self._attempts = attempts
        self._longest_wait_seconds = longest_wait_seconds
        self._security = security
        self._here = _Connection()
        self._open: set[Any] = set()
        self._lock = threading.Lock()

    def run(self, call: Callable[[Any], Result]) -> Result:
        """The result of ``call`` with a Thrift client; transient errors are retried.

        Exceptions that the server declares pass through.

        Raises:
            CatalogUnavailable: no server answered in any attempt.
        """
        retrying = Retrying(
            retry=retry_if_exception(_is_transient),
            stop=stop_after_attempt(self._attempts),
            wait=wait_random_exponential(multiplier=0.05, max=self._longest_wait_seconds),
            reraise=True,
        )
        try:
            result: Result = retrying(self._once, call)
        except Exception as error:
            if _is_transient(error):
                raise CatalogUnavailable(self.name, self._describe(error)) from error
            raise
        return result

    def current_event_id(self) -> int | None:
        """The newest notification's id; None if the server keeps no log.

        If a later ``run`` in this thread needs another connection, it refuses a server that is
        behind this id.
        """
        self._here.event_id = None
        try:
            answer = self.run(lambda client: client.get_current_notificationEventId())
        except TApplicationException as error:
            if error.type != TApplicationException.UNKNOWN_METHOD:
                raise
            return None
        self._here.event_id = answer.eventId
        return int(answer.eventId)

    def close(self) -> None:
        """Closes the connections of all threads."""
        with self._lock:
            for transport in self._open:
                transport.close()
            self._open.clear()
        self._here.client = None

    def _once(self, call: Callable[[Any], Result]) -> Result:
        """Runs a call once.

        The call ends within a few timeouts, including connecting and both handshakes.
        """
        try:
            with exchange(_TIMEOUTS_PER_EXCHANGE * self._timeout_seconds):
                return self._exchange(call)
        except ExchangeTimeout as error:
            self._disconnect()
            self._here.address += 1
            timed_out = TTransportException.TIMED_OUT
            raise TTransportException(timed_out, "the answer did not end in time") from error

    def _exchange(self, call: Callable[[Any], Result]) -> Result:
        try:
            return call(self._connect())
        except UnicodeDecodeError:
            self._disconnect()
            logger.warning("metastore sent text that is not utf-8", extra={"metastore": self.name})
            try:
                return call(self._connect(_LenientProtocol))
            finally:
                self._disconnect()
        except Exception as error:
            # After an undeclared error the stream may contain half an answer.
            if _is_transient(error) or isinstance(error, TApplicationException):
                self._disconnect()
                self._here.address += 1
            raise
        except BaseException:
            # A signal may have come before the end of the answer.
            self._disconnect()
            raise

    def _connect(self, protocol: type = TBinaryProtocolAccelerated) -> Any:
        here = self._here
        if here.client is not None and here.transport.isOpen():
            return here.client
        address = self._addresses[here.address % len(self._addresses)]
        here.transport = open_transport(
            address.host, address.port, self._timeout_seconds, self._security
        )
        with self._lock:
            self._open.add(here.transport)
        client = ThriftHiveMetastore.Client(protocol(here.transport))
        if here.event_id is not None:
            known = client.get_current_notificationEventId().eventId
            if known < here.event_id:
                raise _StaleReplica(f"{address} is at event {known}, before {here.event_id}")
        here.client = client
        return client

    def _disconnect(self) -> None:
        here = self._here
        if here.transport is not None:
            here.transport.close()
            with self._lock:
                self._open.discard(here.transport)
        here.client = here.transport = None

    def _describe(self, error: BaseException) -> str:
        addresses = ", ".join(str(address) for address in self._addresses)
        return f"{_message(error)} ({addresses})"


def _message(error: BaseException) -> str:
    message = getattr(error, "message", None) or str(error) or type(error).__name__
    cause = getattr(error, "inner", None)
    if isinstance(error, TProtocolException) or _exceeds_limit(error):
        return f"the answer is not Thrift: {message}"
    if isinstance(error, TTransportException) and message == _UNEXPLAINED and cause is not None:
        return getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
    return str(message)


def _exceeds_limit(error: BaseException) -> bool:
    """Whether the error arose because the first bytes of another protocol were read as a length."""
    sizes = {TTransportException.SIZE_LIMIT, TTransportException.NEGATIVE_SIZE}
    return isinstance(error, TTransportException) and error.type in sizes


def _is_transient(error: BaseException) -> bool:
    if isinstance(error, TTransportException | TProtocolException | OSError | EOFError):
        return True
    if isinstance(error, MetaException | TApplicationException):
        return bool(_PASSING.search(error.message or ""))
    return isinstance(error, _StaleReplica)
