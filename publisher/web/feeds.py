"""Published versions as an Atom feed (RFC 4287) and as a JSON Feed 1.1.

Texts are made printable, since XML cannot have every character.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree as ET

from publisher.printable import printable
from publisher.state.records import Publication
from publisher.web.addresses import difference_address, version_address
from publisher.web.moments import time_of

ATOM_TYPE: Final = "application/atom+xml"
JSON_FEED_TYPE: Final = "application/feed+json"

_ATOM: Final = "http://www.w3.org/2005/Atom"
_AUTHOR: Final = "schema-publisher"
_EPOCH: Final = "1970-01-01T00:00:00Z"
_MAX_REASONS: Final = 100
_MAX_REASON: Final = 1_000

ET.register_namespace("", _ATOM)


@dataclass(frozen=True, slots=True)
class Feed:
    """A page of a feed; addresses are absolute.

    Attributes:
        site: the beginning of this service's addresses, without a slash at the end.
        next_page: the address of older versions, or "".
        has_pages: whether this service has pages of packages.
    """

    title: str
    address: str
    home_page: str
    site: str
    versions: Sequence[Publication]
    next_page: str
    has_pages: bool


def most_severe_change(version: Publication) -> str:
    if not version.reasons:
        return "changes are not recorded"
    return printable(version.reasons[0][:_MAX_REASON])


def dropped_note(version: Publication) -> str:
    """A clause that says since when the version is yanked because its relation was dropped; "" otherwise."""
    if version.dropped_at is None:
        return ""
    return f"yanked: the relation is missing since {time_of(version.dropped_at).text}"


def one_line_summary(version: Publication) -> str:
    """A version's yank if there is one, its most severe change, and the number of its other changes."""
    more = len(version.reasons) - 1
    parts = (
        dropped_note(version), most_severe_change(version), f"and {more} more" if more > 0 else ""
    )  # fmt: skip
    return "; ".join(part for part in parts if part)


def atom_feed(feed: Feed) -> bytes:
    root = ET.Element(f"{{{_ATOM}}}feed")
    _add(root, "id", _identity(feed.address))
    _add(root, "title", feed.title)
    _add(root, "updated", _moment(max(map(_updated_at, feed.versions), default=0)))
    _add(_add(root, "author"), "name", _AUTHOR)
    _link(root, "self", feed.address, ATOM_TYPE)
    _link(root, "alternate", feed.home_page, "text/html")
    if feed.next_page:
        _link(root, "next", feed.next_page, ATOM_TYPE)
    for version in feed.versions:
        _add_entry(root, feed, version)
    written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return written


def json_feed(feed: Feed) -> bytes:
    document: dict[str, Any] = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": printable(feed.title),
        "home_page_url": feed.home_page,
        "feed_url": feed.address,
        "authors": [{"name": _AUTHOR}],
    }
    if feed.next_page:
        document["next_url"] = feed.next_page
    document["items"] = [_item(feed, version) for version in feed.versions]
    return json.dumps(document, indent=1).encode("ascii")


def _add_entry(root: ET.Element, feed: Feed, version: Publication) -> None:
    entry = _add(root, "entry")
    _add(entry, "id", _identity_of(version))
    _add(entry, "title", _title(version))
    _add(entry, "updated", _moment(_updated_at(version)))
    if version.created_at:
        _add(entry, "published", _moment(version.created_at))
    if feed.has_pages:
        _link(entry, "alternate", _page(feed, version), "text/html")
    if version.change:
        _add(entry, "category").set("term", version.change)
    _add(entry, "summary", one_line_summary(version))
    _add(entry, "content", _content(version)).set("type", "text")


def _item(feed: Feed, version: Publication) -> dict[str, Any]:
    item: dict[str, Any] = {"id": _identity_of(version)}
    if feed.has_pages:
        item["url"] = _page(feed, version)
    item |= {
        "title": _title(version),
        "summary": one_line_summary(version),
        "content_text": _content(version),
    }
    if version.created_at:
        item["date_published"] = _moment(version.created_at)
    if version.dropped_at is not None:
        item["date_modified"] = _moment(version.dropped_at)
    return item | {"tags": [version.change] if version.change else []}


def _title(version: Publication) -> str:
    words = [version.change, "" if version.dropped_at is None else "yanked"]
    level = f" ({', '.join(filter(None, words))})" if any(words) else ""
    return f"{version.distribution} {version.number}{level}"


def _content(version: Publication) -> str:
    lines = [printable(reason[:_MAX_REASON]) for reason in version.reasons[:_MAX_REASONS]]
    more = len(version.reasons) - len(lines)
    changes = [*lines, *([f"… and {more} more"] if more else [])] or ["changes are not recorded"]
    dropped = dropped_note(version)
    noted = [dropped.capitalize()] if dropped else []
    return "\n".join([f"Relation {printable(str(version.relation))}", *noted, *changes])


def _updated_at(version: Publication) -> float:
    """The time of the entry's last change: its publication, or the drop of its relation."""
    return max(version.created_at, version.dropped_at or 0)


def _page(feed: Feed, version: Publication) -> str:
    """The address that an entry links: the comparison with the previous version, or the first version's page."""
    name, number, previous = version.distribution, version.number, version.previous
    address = difference_address(name, previous, number) if previous else ""
    return f"{feed.site}{address or version_address(name, number)}"


def _identity_of(version: Publication) -> str:
    """An entry's id, which does not depend on the address of the service."""
    return _identity(f"{version.distribution}/{version.number}/{version.wheel_sha256 or ''}")


def _identity(text: str) -> str:
    return uuid5(NAMESPACE_URL, text).urn


def _moment(epoch_seconds: float) -> str:
    """The time as text. Atom requires a time, so an unknown time is shown as 1970."""
    return time_of(epoch_seconds).machine_readable or _EPOCH


def _add(parent: ET.Element, name: str, text: str = "") -> ET.Element:
    child = ET.SubElement(parent, f"{{{_ATOM}}}{name}")
    # ``printable`` escapes all characters that XML cannot have. Line ends are kept.
    child.text = "\n".join(map(printable, text.split("\n"))) or None
    return child


def _link(parent: ET.Element, relation: str, address: str, media_type: str) -> None:
    link = _add(parent, "link")
    link.attrib.update({"rel": relation, "href": address, "type": media_type})
