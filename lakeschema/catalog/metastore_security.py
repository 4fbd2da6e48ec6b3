"""How a connection to a metastore is encrypted and who it says to be: values that may travel to executors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

SaslMechanism: TypeAlias = Literal["PLAIN", "GSSAPI"]


@dataclass(frozen=True, slots=True)
class Tls:
    """Files in PEM.

    Attributes:
        ca_file: whom to trust; None trusts the machine's authorities.
        cert_file, key_file: the client's own certificate, where the metastore asks for one.
    """

    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None


@dataclass(frozen=True, slots=True)
class Sasl:
    """Hive's ``hive.metastore.sasl.enabled`` (GSSAPI) or ``hive.metastore.authentication`` PLAIN.

    Attributes:
        username, password: for PLAIN.
        service: the first part of the metastore's principal, for GSSAPI; its ticket is the one of
            the process (``kinit`` or ``KRB5_CLIENT_KTNAME``).
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
