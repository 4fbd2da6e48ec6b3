"""An open connection to one metastore address: a socket, with TLS and SASL as configured."""

from __future__ import annotations

import socket
import ssl
from importlib.util import find_spec
from typing import Any, Final

from thrift.transport.TSocket import TSocket
from thrift.transport.TSSLSocket import TSSLSocket
from thrift.transport.TTransport import (
    TBufferedTransport,
    TSaslClientTransport,
    TTransportException,
)

from lakeschema.catalog.metastore_security import Sasl, Security, Tls
from lakeschema.exchange import use

MAX_ANSWER_BYTES = 1 << 30
"""The maximum for one SASL frame: Hive sends a whole batch of tables in one frame."""


_PACKAGES: Final = {"PLAIN": ("puresasl", "sasl"), "GSSAPI": ("kerberos", "kerberos")}
"""The package that a mechanism imports, and the extra that installs it."""


def open_transport(host: str, port: int, timeout_seconds: float, security: Security) -> Any:
    """An open transport; a failure leaves no socket behind.

    Raises:
        TTransportException: the server cannot be reached, its certificate is not trusted, or it
            refuses the credentials.
    """
    endpoint = (
        _PlainSocket(host, port) if security.tls is None else _tls_socket(host, port, security.tls)
    )
    endpoint.setTimeout(timeout_seconds * 1000)
    transport = TBufferedTransport(endpoint)
    try:
        if security.sasl is not None:
            transport = _sasl_transport(transport, host, security.sasl)
        transport.open()
    except Exception as error:  # the mechanisms' exceptions have no common root
        # Thrift's TLS socket cannot be closed before it was opened.
        if endpoint.handle is not None:
            endpoint.close()
        raise TTransportException(TTransportException.NOT_OPEN, _reason(error)) from error
    return transport


class _Bounded:
    """A transport that, from its first request on, obeys the deadline of the current exchange."""

    handle: socket.socket | None

    def write(self, buff: bytes) -> None:
        use(self.handle)
        super().write(buff)  # type: ignore[misc]  # the socket class that this is mixed into has it


class _PlainSocket(_Bounded, TSocket):  # type: ignore[misc]  # thrift is untyped
    pass


class _TlsSocket(_Bounded, TSSLSocket):  # type: ignore[misc]
    pass


def _reason(error: Exception) -> str:
    """The reason of a failure; Thrift hides it if a certificate is not trusted."""
    cause = getattr(error, "inner", None)
    if isinstance(cause, ssl.SSLError):
        return str(cause)
    if isinstance(error, TTransportException | OSError):
        return str(getattr(error, "message", None) or error)
    return f"sasl failed: {type(error).__name__}: {error}"


def _tls_socket(host: str, port: int, tls: Tls) -> Any:
    context = ssl.create_default_context(cafile=tls.ca_file)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if tls.cert_file is not None:
        context.load_cert_chain(tls.cert_file, tls.key_file)
    return _TlsSocket(host, port, ssl_context=context)


def _sasl_transport(transport: Any, host: str, sasl: Sasl) -> Any:
    package, extra = _PACKAGES[sasl.mechanism]
    if find_spec(package) is None:
        needed = f"pip install '.[{extra}]' in the checkout of schema-publisher"
        raise TTransportException(message=f"sasl {sasl.mechanism} needs a package: {needed}")
    credentials = (
        {"username": sasl.username, "password": sasl.password} if sasl.mechanism == "PLAIN" else {}
    )
    return TSaslClientTransport(
        transport,
        host,
        sasl.service,
        sasl.mechanism,
        max_frame_size=MAX_ANSWER_BYTES,
        **credentials,
    )
