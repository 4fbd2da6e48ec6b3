"""Events of a world other than DDL, deliveries and crashes: switches that are drawn per history."""

from __future__ import annotations

import random
from collections.abc import Collection
from enum import Enum


class Feature(Enum):
    """The value is the probability that a world has the feature."""

    LAG = "replicas are behind"
    DEBOUNCE = "relations must be quiet before they are read"
    TROUBLE = "uploads fail, before or after the file was stored"
    TWO_PROCESSES = "each worker has a process of its own"
    SNAPSHOTS = "snapshots run beside the workers, and are killed"
    LOG = "events are polled from a log, by threads that are killed"
    NAMESPACES = "relations are in two namespaces"
    NAMESPACE_HINTS = "events name a whole namespace, which may have been dropped"
    DEAD_LETTERS = "events cannot be decoded"
    GAPS = "the log forgets events that were not read"
    REFUSED_NAMESPACES = "the catalog refuses to show a namespace for a while"
    TORN_READS = "a batch of relations is not read at one moment"
    NO_IDS = "the catalog has no event ids, and events neither"
    IDS_UNKNOWN_TO_CATALOG = "events have ids although the catalog has none"
    RESTARTED_IDS = "event ids start again, and the log says so"
    RESTARTED_IDS_UNSEEN = "event ids start again, and nothing says so"
    FORGED_IDS = "events have ids that the catalog never reaches"
    UNSTORED = "the index says yes and stores nothing"
    LATE = "the index stores an upload after its time-out"
    LOST_FILES = "the index loses a file"
    RESTORED_INDEX = "the index is restored from a backup"
    EMPTIED_INDEX = "the index is emptied"
    RESTORED_STATE = "the state is restored from a backup"
    LOST_STATE = "the state is lost"
    WALL_STEPS = "the wall clock is set an hour forth or back"
    SELECTION = "the settings exclude relations, and include them again"
    CATALOGS = "a second catalog has relations of the same names"
    SILENT_CATALOGS = "one of two catalogs does not answer for a while"


F = Feature

LANDED = frozenset(Feature)
"""Features with which the engine keeps its promises; remove a feature here until a fault is fixed."""

_SHARES = {F.LAG: 0.5, F.TROUBLE: 0.5, F.TWO_PROCESSES: 0.5, F.SNAPSHOTS: 0.5, F.LOG: 0.5}
_SHARES |= {F.CATALOGS: 0.35, F.SILENT_CATALOGS: 0.6}
_SHARE = 0.2


def draw_features(
    chance: random.Random, enabled: Collection[Feature] = LANDED
) -> frozenset[Feature]:
    # Every feature takes one draw, so that enabling one does not change a seed's other features.
    drawn = {f for f in Feature if chance.random() < _SHARES.get(f, _SHARE) and f in enabled}
    if F.GAPS in drawn or F.RESTARTED_IDS in drawn:
        drawn.add(F.LOG)
    if F.CATALOGS not in drawn:
        drawn.discard(F.SILENT_CATALOGS)
    if may_go_back(drawn):
        drawn.discard(F.TORN_READS)
    return frozenset(drawn)


def may_go_back(features: Collection[Feature]) -> bool:
    """Whether an older state may be read after a newer one, with nothing to tell them apart.

    Publications then follow the order of reading; only the final state is certain.
    """
    return F.LAG in features and not {F.NO_IDS, F.IDS_UNKNOWN_TO_CATALOG}.isdisjoint(features)
