"""Finds the place where a broken view fails, and versions of upstreams that may have broken the view."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from lakeschema.catalog.identifiers import RelationName
from publisher.lineage.stored import StoredRelations
from publisher.similar_names import similar_names
from publisher.state.protocol import Transaction
from publisher.state.records import VersionRecord, VersionStatus
from publisher.web.details import Loss

_POSITION: Final = re.compile(r" at line ([0-9]{1,6}), column ([0-9]{1,6})(?= \(|\Z)")
_WORD: Final = re.compile(r"`[^`]+`|\w+|[^\s\w]")
_MISSING: Final = re.compile(r"column (.{1,300}?) does not exist")
_REMOVED: Final = re.compile(r"field `(.{1,300})` removed")
_MAX_UPSTREAMS: Final = 20
_MAX_LOSSES: Final = 3
_MAX_SIMILAR: Final = 3
_SIMILAR: Final = 0.6


def failing_word(reason: str, text: str) -> tuple[int, int] | None:
    """The start and end, in a view's text, of the word at the line and column that the reason states."""
    found = _POSITION.search(reason)
    if found is None:
        return None
    line, column = int(found[1]), int(found[2])
    lines = text.split("\n")
    if not 1 <= line <= len(lines) or not 1 <= column <= len(lines[line - 1]):
        return None
    start = sum(len(each) + 1 for each in lines[: line - 1]) + column - 1
    word = _WORD.match(text, start)
    return None if word is None else (start, word.end())


def losses(
    tx: Transaction,
    upstreams: Sequence[RelationName],
    distribution: Callable[[RelationName], str],
) -> tuple[Loss, ...]:
    """The newest versions of the upstreams that removed fields."""
    names = {distribution(name): name for name in upstreams[:_MAX_UPSTREAMS]}
    history = tx.versions.history(names)
    found = [loss for name in names for loss in _losses(history[name], str(names[name]))]
    return tuple(sorted(found, key=lambda loss: -loss.created_at)[:_MAX_LOSSES])


def _losses(history: Sequence[VersionRecord], relation: str) -> Iterator[Loss]:
    published = [each for each in history if each.status is VersionStatus.PUBLISHED]
    for before, each in pairwise(published):
        removed = [found[1] for reason in each.reasons if (found := _REMOVED.fullmatch(reason))]
        if removed:
            yield Loss(
                relation,
                each.distribution,
                before.number,
                each.number,
                tuple(removed),
                each.created_at,
            )


def meant_columns(
    tx: Transaction, reason: str, upstreams: Sequence[RelationName], lost: Sequence[Loss]
) -> tuple[str, ...]:
    """The columns whose names are similar to the missing column's, including removed columns."""
    found = _MISSING.search(reason)
    if found is None:
        return ()
    stored = StoredRelations(tx)
    known = [stored.of(name) for name in upstreams[:_MAX_UPSTREAMS]]
    columns = {
        **{name: None for each in known if each is not None for name in each.columns.values()},
        **{name: None for loss in lost for name in loss.removed},
    }
    missing = found[1].strip("`").rpartition(".")[2]
    return tuple(similar_names(missing, columns, _MAX_SIMILAR, _SIMILAR))
