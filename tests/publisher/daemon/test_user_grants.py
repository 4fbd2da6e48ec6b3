"""Grants that are read on demand, and cached for a while."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from lakeschema.catalog.errors import CatalogUnavailable
from publisher.daemon import user_grants
from publisher.daemon.user_grants import UserGrants


class Metastore:
    """Counts what is read of it; ``time`` goes by hand."""

    def __init__(self) -> None:
        self.time = 0.0
        self.read: list[str] = []
        self.is_away = False

    def of(self, user: str) -> Mapping[str, Any]:
        if self.is_away:
            raise CatalogUnavailable("hive", "it is away")
        self.read.append(user)
        return {"grants": []}

    def now(self) -> float:
        return self.time


def test_grants_are_kept_for_their_time_and_no_longer() -> None:
    metastore = Metastore()
    grants = UserGrants(metastore.of, 60, metastore.now)
    grants.read("ann")
    metastore.time = 30
    grants.read("bob")
    before = grants.current()

    metastore.time = 59
    kept = grants.current()
    metastore.time = 60

    assert set(grants.current()) == {"bob"}
    assert kept is before
    assert set(kept) == {"ann", "bob"}


def test_what_is_read_again_lasts_from_then_on() -> None:
    metastore = Metastore()
    grants = UserGrants(metastore.of, 60, metastore.now)
    grants.read("ann")
    metastore.time = 50
    grants.read("ann")
    metastore.time = 100

    assert set(grants.current()) == {"ann"}


def test_a_failed_read_leaves_others_known() -> None:
    metastore = Metastore()
    grants = UserGrants(metastore.of, 60, metastore.now)
    grants.read("ann")
    metastore.is_away = True

    with pytest.raises(CatalogUnavailable):
        grants.read("bob")

    assert set(grants.current()) == {"ann"}


def test_no_more_users_are_kept_than_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_grants, "MAX_USERS", 2)
    metastore = Metastore()
    grants = UserGrants(metastore.of, 60, metastore.now)

    for user in ("ann", "bob", "eve"):
        grants.read(user)

    assert set(grants.current()) == {"bob", "eve"}
