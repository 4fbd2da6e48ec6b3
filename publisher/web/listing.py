"""Relations and their packages in lists, as plain values for pages and programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from publisher.state.records import EVERY_RELATION, Chosen, NamespaceFigures


@dataclass(frozen=True, slots=True)
class Asked:
    """A question for the relations that follow the key ``after``.

    If ``before`` is a key, the question is for the relations that precede it.
    """

    chosen: Chosen = EVERY_RELATION
    after: str = ""
    before: str | None = None


@dataclass(frozen=True, slots=True)
class RelationRow:
    """A relation and its newest package.

    Attributes:
        distribution: the package's name; "" without a package.
        published_at: seconds since the epoch; None without a package.
        wheel_sha256: "" if unknown.
        readers: how many relations read it directly.
    """

    relation: str
    kind: str
    status: str
    reason: str = ""
    owner: str = ""
    distribution: str = ""
    version: str = ""
    published_at: float | None = None
    wheel_sha256: str = ""
    readers: int = 0


@dataclass(frozen=True, slots=True)
class ListedRelations:
    """A page of relations. ``has_previous`` and ``has_next`` say whether more relations precede and follow."""

    rows: tuple[RelationRow, ...] = ()
    has_previous: bool = False
    has_next: bool = False


@dataclass(frozen=True, slots=True)
class CatalogueFigures:
    """Every namespace with its figures.

    ``catalogs`` maps each catalog's name in keys to its shown name.
    """

    namespaces: Sequence[NamespaceFigures] = ()
    catalogs: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({"": "default"}))
