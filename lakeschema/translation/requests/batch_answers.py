"""Ensures that every request of a batch gets exactly one answer, whatever it contains."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lakeschema.catalog.errors import CatalogError
from lakeschema.translation.model.errors import TranslationError

_MAX_MESSAGE = 500


class InvalidRequest(Exception):
    """The request is malformed; the message names the key, the value and what is allowed."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def parsed_request(request: bytes) -> object:
    """Parses the request.

    Raises:
        InvalidRequest: the text is not one JSON document, or has half of a surrogate pair. JSON
            allows that, but no catalog and no state can store it.
    """
    try:
        stated: object = json.loads(request)
        json.dumps(stated, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"the request is not one JSON document: {error}") from None
    return stated


def refused(error: InvalidRequest) -> dict[str, Any]:
    """The answer to a request that could not be parsed."""

    def refuse(_: Mapping[str, Any]) -> Any:
        raise error

    return answered({}, refuse)


def answered(request: object, result: Callable[[Mapping[str, Any]], Any]) -> dict[str, Any]:
    """The answer to a request: ``{"id", "result"}`` or ``{"id", "error": {"type", "message"}}``.

    No content of a request makes it raise. A fault of this program becomes an ``InternalError``
    with its place in the code, so that users can report it.
    """
    id_ = request.get("id") if isinstance(request, dict) else None
    try:
        return {"id": id_, "result": result(_as_object(request))}
    except (InvalidRequest, TranslationError, CatalogError) as error:
        message = str(error)
        hint = getattr(error, "hint", "")
        shown = {"type": type(error).__name__, "message": message}
        return {"id": id_, "error": {**shown, "hint": hint} if hint else shown}
    except Exception as error:  # noqa: BLE001 (one request is one unit of work)
        return {"id": id_, "error": _internal_error(error)}


def ending_with_memory(
    result: Callable[[Mapping[str, Any]], Any],
) -> Callable[[Mapping[str, Any]], Any]:
    """The function, changed so that it ends the process without an answer if memory runs out.

    The remaining memory may not suffice for the next request.
    """

    def ended(request: Mapping[str, Any]) -> Any:
        try:
            return result(request)
        except MemoryError:
            raise SystemExit("out of memory") from None

    return ended


def _as_object(request: object) -> Mapping[str, Any]:
    if not isinstance(request, dict):
        raise InvalidRequest("expected a request to be a JSON object")
    return request


def check_keys(request: Mapping[str, Any], allowed: frozenset[str]) -> None:
    """Refuses unknown keys.

    Raises:
        InvalidRequest: the request has an unknown key.
    """
    unknown = sorted(set(request) - allowed)
    if unknown:
        keys = ", ".join(sorted(allowed))
        raise InvalidRequest(f"unknown key {unknown[0]!r}; the keys are {keys}")


def _internal_error(error: Exception) -> dict[str, str]:
    frames = traceback.extract_tb(error.__traceback__)
    place = "" if not frames else f"{Path(frames[-1].filename).name}:{frames[-1].lineno}"
    return {
        "type": "InternalError",
        "message": f"{type(error).__name__}: {error}"[:_MAX_MESSAGE],
        "where": place,
        "hint": "a fault of this program, not of the request alone: report both",
    }
