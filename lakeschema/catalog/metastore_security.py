"""Encryption and authentication of a metastore connection, as values that can be sent to executors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

SaslMechanism: TypeAlias = Literal["PLAIN", "GSSAPI"]


@dataclass(frozen=True, slots=True)
class Tls:
    """Certificates, as files in PEM.

    Attributes:
        ca_file: trusted authorities; None means the machine's.
        cert_file, key_file: the client's certificate, if the metastore requires one.
    """

    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None


@dataclass(frozen=True, slots=True)
class Sasl:
    """A login by Hive's ``hive.metastore.sasl.enabled`` (GSSAPI) or its authentication PLAIN.

    Attributes:
        username, password: for PLAIN.
        service: the first part of the metastore's principal, for GSSAPI. The process has the ticket
            (``kinit`` or ``KRB5_CLIENT_KTNAME``).
    """

    mechanism: SaslMechanism
    username: str = ""
    password: str = field(default="", repr=False)
    service: str = "hive"


@dataclass(frozen=True, slots=True)
class Security:
    tls: Tls | None = None
    sasl: Sasl | None = None


UNSECURED = Security()
