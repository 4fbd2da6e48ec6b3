"""Paths into JSON: the part of RFC 9535 that can be evaluated in linear time.

A path may have names, indexes, slices and ``[*]``. Filters and ``..`` are refused: an event is
untrusted input, and a regular expression or a nested search over it can take very long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jsonpath import JSONPath, JSONPathEnvironment
from jsonpath.exceptions import JSONPathError
from jsonpath.segments import JSONPathChildSegment
from jsonpath.selectors import IndexSelector, NameSelector, SliceSelector, WildcardSelector

_SELECTORS: Final = (NameSelector, IndexSelector, SliceSelector, WildcardSelector)
_ENVIRONMENT: Final = JSONPathEnvironment(strict=True)


class InvalidPath(ValueError):
    """The text is not such a path; the message says why."""


@dataclass(frozen=True, slots=True)
class Path:
    """Alternative paths: the first that exists in an event counts; null counts as absent."""

    texts: tuple[str, ...]
    _compiled: tuple[JSONPath, ...]

    @classmethod
    def of(cls, *texts: str) -> Path:
        """The path with these alternatives. Raises ``InvalidPath`` if a text is not a path."""
        return cls(texts, tuple(_compile(text) for text in texts))

    def find(self, event: Mapping[str, Any]) -> Sequence[Any]:
        """The values at the first alternative that exists in the event; otherwise empty."""
        for each in self._compiled:
            found = [value for value in each.findall(event) if value is not None]
            if found:
                return found
        return ()

    def __str__(self) -> str:
        return " or ".join(self.texts)


def _compile(text: str) -> JSONPath:
    try:
        compiled = _ENVIRONMENT.compile(text)
    except JSONPathError as error:
        # The error's own text fails for some paths.
        reason = error.args[0] if error.args else type(error).__name__
        raise InvalidPath(f"invalid path {text!r}: {reason}; expected $.a['b-c'][0]") from None
    except RecursionError:
        raise InvalidPath(f"invalid path {text[:40]!r}: it is nested too deeply") from None
    if not isinstance(compiled, JSONPath) or not all(map(_is_plain, compiled.segments)):
        raise InvalidPath(
            f"invalid path {text!r}: expected names, indexes and [*] only, as in $.a['b-c'][0]"
        )
    return compiled


def _is_plain(segment: object) -> bool:
    return isinstance(segment, JSONPathChildSegment) and all(
        isinstance(selector, _SELECTORS) for selector in segment.selectors
    )
