"""Yanks versions that are old by the settings' retention, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from publisher.commands.reports import Retirement
from publisher.index.protocol import PackageIndex
from publisher.publishing.retention import Retention, plans
from publisher.state.protocol import State


def retirements(
    state: State, index: PackageIndex, retention: Retention, now: float, *, dry_run: bool
) -> Iterator[Retirement]:
    """Yanks or unyanks files, and yields each after the attempt; with ``dry_run`` it changes no file.

    Raises:
        PackageIndexError: the index does not answer; earlier changes stay.
    """
    for change in chain.from_iterable(plans(state, index, retention, now)):
        yield Retirement(change, not dry_run and index.yank(change.file, change.reason))
