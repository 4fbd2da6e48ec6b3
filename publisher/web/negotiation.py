"""Finds the form of a page that a client prefers (PEP 691, RFC 9110 sections 12.5.1 and 12.5.3)."""

from __future__ import annotations

from dataclasses import dataclass

from publisher.index.simple_page import HTML_TYPE, JSON_TYPE

_OFFERS = ("text/html", HTML_TYPE, JSON_TYPE)
_MAX_RANGES = 50


@dataclass(frozen=True, slots=True)
class _Range:
    """A media range of an Accept header, such as ``text/*;q=0.3``."""

    type: str
    subtype: str
    quality: float

    def precision(self, offer: str) -> int:
        """How specifically the range matches the offer; -1 without a match."""
        type_, _, subtype = offer.partition("/")
        if (self.type, self.subtype) == (type_, subtype):
            return 2
        if (self.type, self.subtype) == (type_, "*"):
            return 1
        return 0 if (self.type, self.subtype) == ("*", "*") else -1


def page_type(accept: str | None) -> str | None:
    """The offered media type that the client prefers; None if the client accepts none of them.

    If the client prefers several equally, it is plain HTML.
    """
    if not accept or not accept.strip():
        return _OFFERS[0]
    ranges = _parse_ranges(accept)
    best = max(_OFFERS, key=lambda offer: _quality(offer, ranges))
    return best if _quality(best, ranges) > 0 else None


def prefers_html(accept: str | None) -> bool:
    """Whether a client names HTML and does not prefer JSON; accepting any type is not enough."""
    ranges = _parse_ranges(accept or "")
    named = [r.quality for r in ranges if (r.type, r.subtype) == ("text", "html")]
    stated = [r.quality for r in ranges if (r.type, r.subtype) == ("application", "json")]
    return bool(named) and max(named) > 0 and max(named) >= max(stated, default=0.0)


def accepts_gzip(accept_encoding: str | None) -> bool:
    """Whether a client explicitly accepts gzip.

    By RFC 9110 section 12.5.3 a missing header allows any encoding, but plain bytes are safer.
    """
    qualities: dict[str, float] = {}
    for text in (accept_encoding or "").split(",")[:_MAX_RANGES]:
        coding, *parameters = (part.strip().lower() for part in text.split(";"))
        quality = _parse_quality(parameters)
        if quality is not None:
            qualities[coding.removeprefix("x-")] = quality
    return qualities.get("gzip", qualities.get("*", 0.0)) > 0


def _quality(offer: str, ranges: list[_Range]) -> float:
    matches = [(r.precision(offer), r.quality) for r in ranges if r.precision(offer) >= 0]
    return max(matches)[1] if matches else 0.0


def _parse_ranges(accept: str) -> list[_Range]:
    ranges = (_parse_range(text) for text in accept.split(",")[:_MAX_RANGES])
    return [found for found in ranges if found is not None]


def _parse_range(text: str) -> _Range | None:
    media, *parameters = (part.strip() for part in text.split(";"))
    type_, slash, subtype = media.lower().partition("/")
    if not slash:
        return None
    quality = _parse_quality(parameters)
    if quality is None:
        return None
    return _Range(type_, subtype.replace("simple.latest+", "simple.v1+"), quality)


def _parse_quality(parameters: list[str]) -> float | None:
    """The quality among a range's parameters, 1 by default; None if malformed."""
    quality = 1.0
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "q":
            try:
                quality = float(value)
            except ValueError:
                return None
    return quality if 0 <= quality <= 1 else None
