"""Lists the state's relations, each with its newest package and its number of readers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from codegen.naming import distribution_name
from publisher.state.protocol import State, Transaction
from publisher.state.records import ListedRelation, PublishedVersion
from publisher.web.listing import Asked, ListedRelations, RelationRow

PAGE_SIZE: Final = 100


@dataclass(frozen=True, slots=True)
class RelationLister:
    """Reads pages of a list; ``prefix`` is the prefix of packages' names."""

    state: State
    prefix: str

    def list(self, asked: Asked) -> ListedRelations:
        return self.state.read(lambda tx: self._list(tx, asked))

    def _list(self, tx: Transaction, asked: Asked) -> ListedRelations:
        # One more row than a page shows whether another page follows.
        if asked.before is None:
            found = tx.catalogue.after(asked.after, asked.chosen, PAGE_SIZE + 1)
            shown = found[:PAGE_SIZE]
            has_previous = (
                bool(tx.catalogue.before(str(shown[0].name), asked.chosen, 1))
                if shown and asked.after
                else False
            )
            return ListedRelations(
                self._rows(tx, shown), has_previous, has_next=len(found) > len(shown)
            )
        found = tx.catalogue.before(asked.before, asked.chosen, PAGE_SIZE + 1)
        shown = found[-PAGE_SIZE:]
        has_next = bool(tx.catalogue.after(str(shown[-1].name) if shown else "", asked.chosen, 1))
        return ListedRelations(self._rows(tx, shown), len(found) > len(shown), has_next)

    def _rows(self, tx: Transaction, found: Sequence[ListedRelation]) -> tuple[RelationRow, ...]:
        distributions = {
            each.name: distribution_name(each.name, self.prefix)
            for each in found
            if each.is_published
        }
        newest = tx.versions.newest(distributions.values())
        readers = tx.graph.count_readers(each.name for each in found)
        return tuple(
            _row(each, newest.get(distributions.get(each.name, "")), readers.get(each.name, 0))
            for each in found
        )


def _row(found: ListedRelation, newest: PublishedVersion | None, readers: int) -> RelationRow:
    row = RelationRow(
        str(found.name), found.kind, found.status, found.reason, found.owner, readers=readers
    )
    if newest is None:
        return row
    return replace(
        row,
        distribution=newest.distribution,
        version=newest.number,
        published_at=newest.created_at or None,
        wheel_sha256=newest.wheel_sha256 or "",
    )
