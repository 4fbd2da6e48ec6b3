"""An answer of an Iceberg REST catalog or of Nessie, or of another server in its place."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_MAX_REASON = 200
_WORD = re.compile(r"[A-Za-z_]{1,80}")
_SECONDS = re.compile(r"[0-9]{1,6}", re.ASCII)
_UNSUPPORTED = frozenset({405, 406, 501})


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer.

    Attributes:
        document: the JSON in the body; None without a body, as for 304 and 404.
        retry_after_seconds: how long clients should wait, if the server says so; else None.
    """

    status: int
    document: Any
    etag: str | None
    size: int
    retry_after_seconds: float | None = None

    @property
    def is_missing(self) -> bool:
        return self.status == 404

    @property
    def is_unsupported(self) -> bool:
        """Whether the server lacks the endpoint.

        If the server lists no endpoints, this status is the only sign.
        """
        return self.status in _UNSUPPORTED

    @property
    def has_error(self) -> bool:
        """Whether the document is an error of the catalog itself, and not of a proxy."""
        return self._stated is not None

    @property
    def error(self) -> str:
        """The status and the type of the error.

        Equal failures have equal texts, unlike the server's messages.
        """
        type_ = (self._stated or {}).get("type")
        is_word = isinstance(type_, str) and _WORD.fullmatch(type_)
        return f"status {self.status}, {type_}" if is_word else f"status {self.status}"

    @property
    def reason(self) -> str:
        """The ``error`` with the server's message, for people, in printable characters."""
        message = (self._stated or {}).get("message")
        if not isinstance(message, str):
            return self.error
        shown = "".join(c if c.isprintable() else " " for c in message)
        return f"{self.error}: {shown[:_MAX_REASON]}"

    @property
    def _stated(self) -> Mapping[str, Any] | None:
        """The error in the document: an inner object in Iceberg's API, the whole document in Nessie's."""
        document = self.document if isinstance(self.document, dict) else {}
        if isinstance(document.get("errorCode"), str):
            return {"type": document["errorCode"], "message": document.get("message")}
        error = document.get("error")
        return error if isinstance(error, dict) else None


def seconds_of(retry_after: str | None) -> float | None:
    """The seconds in a header ``Retry-After``; None for a date, which is not supported."""
    found = _SECONDS.fullmatch(retry_after or "")
    return None if found is None else float(found[0])


def parsed(content: bytes) -> Any:
    """The JSON of a body; None if the body is not JSON."""
    try:
        return json.loads(content) if content else None
    except (ValueError, RecursionError):
        return None
