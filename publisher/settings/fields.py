"""Types of single settings: the form of a value, and the error for a wrong value."""

from __future__ import annotations

import re
from enum import Enum
from ipaddress import ip_address
from typing import Annotated, TypeAlias
from urllib.parse import unquote, urlsplit

from pydantic import AfterValidator, BeforeValidator, Field

from lakeschema.analysis.syntax.dialects import UnknownDialect, grammar_of
from lakeschema.translation.requests.option_values import read_option


def _matching(pattern: str, message: str) -> AfterValidator:
    """A validator; ``message`` may show the ``{value}``, unless the value may contain a secret."""
    compiled = re.compile(pattern)

    def check(value: str) -> str:
        if not compiled.match(value):
            raise ValueError(message.format(value=value))
        return value

    return AfterValidator(check)


def option(key: str) -> BeforeValidator:
    """Reads a value like ``translate --batch``; None and values that are parsed already stay unchanged."""

    def read(value: object) -> object:
        return value if value is None or isinstance(value, Enum) else read_option(key, value)

    return BeforeValidator(read)


def check_metastores(value: str) -> str:
    """Returns the addresses unchanged.

    Raises:
        ValueError: one is malformed.
    """
    # The Thrift bindings are slow to import, and other catalogs do not need them.
    from lakeschema.catalog.metastore_client import Address

    for uri in value.split(","):
        try:
            Address.parse(uri)
        except ValueError:
            message = f"invalid metastore address {uri!r}: expected thrift://host:9083"
            raise ValueError(message) from None
    return value


def crosses_network_in_plain_text(address: str) -> bool:
    """Whether others can read requests to this address: it is plain HTTP to another machine."""
    parts = urlsplit(address)
    return parts.scheme == "http" and not is_this_machine(parts.hostname or "")


def are_this_machine(addresses: str) -> bool:
    """Whether all the addresses, separated by commas, name this machine; a scheme is optional."""
    parts = [address.strip().rpartition("//")[2] for address in addresses.split(",")]
    return all(is_this_machine(urlsplit(f"//{part}").hostname or "") for part in parts)


def is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def require_address(value: str) -> str:
    """Returns the address unchanged.

    Raises:
        ValueError: it is malformed. The message never contains the value, because it may contain
            credentials.
    """
    try:
        parts = urlsplit(value)
        is_address = bool(parts.scheme in {"http", "https"} and parts.hostname)
        _ = parts.port  # raises if it is not a number
    except ValueError:
        is_address = False
    if not is_address or any(character.isspace() for character in value):
        raise ValueError("expected http://HOST/… or https://HOST/…")
    return value


def _dialect(value: str) -> str:
    try:
        grammar_of(value)
    except UnknownDialect as error:
        raise ValueError(str(error)) from None
    return value


DialectName: TypeAlias = Annotated[str, AfterValidator(_dialect)]
"""The dialect of statements that are analysed."""
Port: TypeAlias = Annotated[int, Field(ge=0, le=65535)]
PublicUrl: TypeAlias = Annotated[
    str,
    # The URL becomes part of commands that people copy to a shell.
    _matching(
        r"^https?://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?\Z",
        "invalid URL {value!r}: expected https://HOST, with a port or a path if there is one",
    ),
]
Prefix: TypeAlias = Annotated[
    str,
    Field(max_length=40),
    _matching(
        r"^[a-z][a-z0-9]*(-[a-z0-9]+)*\Z",
        "invalid prefix {value!r}: expected lower-case words joined by '-', such as acme-schema",
    ),
]
Metastores: TypeAlias = Annotated[str, AfterValidator(check_metastores)]
SQLITE = "sqlite:///"
_WITH_PASSWORD = re.compile(r"(?s)(postgresql(?:\+psycopg)?://[^/?#:@]*):([^/?#]*)(@.*)")
StateUrl: TypeAlias = Annotated[
    str,
    _matching(
        rf"^({SQLITE}.|postgresql(\+psycopg)?://[^/?#\s]*/[^/?#\s]+(\?(?!(.*&)?password=)[^#\s]*)?\Z)",
        "expected sqlite:///FILE, such as sqlite:///state.db, "
        "or postgresql+psycopg://USER@HOST/NAME without password= in its options",
    ),
]


def without_password(url: str) -> tuple[str, str | None]:
    """Splits the URL of a database into the URL without the user's password, and the password."""
    parts = _WITH_PASSWORD.match(url)
    return (url, None) if parts is None else (parts[1] + parts[3], unquote(parts[2]))


Address: TypeAlias = Annotated[str, AfterValidator(require_address), Field(repr=False)]
"""Hidden, because it may contain credentials."""
