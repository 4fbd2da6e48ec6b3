"""Addresses of pages, and links to them."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Link:
    """A text that may link to a page. ``address`` is empty if the page does not exist."""

    text: str
    address: str = ""


def package_address(distribution: str) -> str:
    return f"/packages/{quote(distribution, safe='')}"


def package_link(distribution: str) -> Link:
    return Link(distribution, package_address(distribution))


def field_address(distribution: str, path: str) -> str:
    """The address of a field's row on the page of its package."""
    return f"{package_address(distribution)}#{quote(f'field-{path}')}"


def version_address(distribution: str, version: str) -> str:
    return f"{package_address(distribution)}/{quote(version, safe='')}"


def difference_address(distribution: str, old: str, new: str) -> str:
    """The address of the page that compares two versions."""
    between = f"{quote(old, safe='')}...{quote(new, safe='')}"
    return f"{package_address(distribution)}/diff/{between}"


def relation_address(relation: str) -> str:
    """The address of a relation's page, from the text of the relation's name.

    The text of a relation's name is never "." or "..".
    """
    return f"/relations/{quote(relation, safe='')}"


def relation_link(relation: str) -> Link:
    return Link(relation, relation_address(relation))


def lineage_address(relation: str, column: str | None = None) -> str:
    """The address of the picture of a relation's or column's lineage.

    It is "" for a column that no address can name.
    """
    address = f"/lineage/{quote(relation, safe='')}"
    if column is None:
        return address
    return _of_column(address, column)


def readers_address(relation: str, column: str | None = None) -> str:
    """The address of the picture of everything that reads a relation or column.

    It is "" for a column that no address can name.
    """
    address = lineage_address(relation, column)
    return f"{address}?direction=downstream&depth=all" if address else ""


def impact_address(relation: str, column: str | None = None) -> str:
    """The address of the page that shows the effects of dropping a relation or column.

    It is "" for a column that no address can name.
    """
    address = f"/impact/{quote(relation, safe='')}"
    return address if column is None else _of_column(address, column)


def _of_column(address: str, column: str) -> str:
    # No address can name "." and "..", since browsers resolve them even if they are quoted.
    return f"{address}/{quote(column, safe='')}" if column not in {"", ".", ".."} else ""
