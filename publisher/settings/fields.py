"""Types of single settings: what a value must look like, and the words that say so."""

from __future__ import annotations

import re
from enum import Enum
from ipaddress import ip_address
from typing import Annotated, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field

from lakeschema.analysis.syntax.dialects import UnknownDialect, grammar_of
from lakeschema.translation.requests.option_values import read_option


def _matching(pattern: str, message: str) -> AfterValidator:
    """``message`` may show the ``{value}``; where a secret may stand in it, it does not."""
    compiled = re.compile(pattern)

    def check(value: str) -> str:
        if not compiled.match(value):
            raise ValueError(message.format(value=value))
        return value

    return AfterValidator(check)


def option(key: str) -> BeforeValidator:
    """Read as requests of ``translate --batch`` are; None and what was read already stay."""

    def read(value: object) -> object:
        return value if value is None or isinstance(value, Enum) else read_option(key, value)

    return BeforeValidator(read)


def _metastores(value: str) -> str:
    # The Thrift bindings are slow to import, and a catalog of another kind does without.
    from lakeschema.catalog.metastore_client import Address

    for uri in value.split(","):
        try:
            Address.parse(uri)
        except ValueError:
            message = f"invalid metastore address {uri!r}: expected thrift://host:9083"
            raise ValueError(message) from None
    return value


def crosses_network_in_plain_text(address: str) -> bool:
    """Whether what is sent to this address can be read on the way: plain HTTP to another machine."""
    parts = urlsplit(address)
    return parts.scheme == "http" and not is_this_machine(parts.hostname or "")


def is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _address(value: str) -> str:
    """The value is never part of the message, because credentials may stand in it."""
    try:
        parts = urlsplit(value)
        is_address = bool(parts.scheme in {"http", "https"} and parts.hostname)
        _ = parts.port  # raises where it is not a number
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
"""Of statements that are analysed."""
Port: TypeAlias = Annotated[int, Field(ge=0, le=65535)]
PublicUrl: TypeAlias = Annotated[
    str,
    # It becomes part of commands that people copy to a shell.
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
Metastores: TypeAlias = Annotated[str, AfterValidator(_metastores)]
SQLITE = "sqlite:///"
StateUrl: TypeAlias = Annotated[
    str, _matching(rf"^{SQLITE}.", "expected sqlite:///FILE, such as sqlite:///state.db")
]
Address: TypeAlias = Annotated[str, AfterValidator(_address), Field(repr=False)]
"""Not shown, because credentials may stand in it."""
