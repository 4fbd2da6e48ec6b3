"""Addresses of pages, and links to them."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Link:
    """``address`` is empty if there is no page."""

    text: str
    address: str = ""


def package_address(distribution: str) -> str:
    return f"/packages/{quote(distribution, safe='')}"


def package_link(distribution: str) -> Link:
    return Link(distribution, package_address(distribution))


def relation_address(relation: str) -> str:
    """``relation`` is the text of its name; it cannot be a dot segment of a path."""
    return f"/relations/{quote(relation, safe='')}"


def relation_link(relation: str) -> Link:
    return Link(relation, relation_address(relation))
