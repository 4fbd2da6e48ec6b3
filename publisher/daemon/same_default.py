"""Refuses to work on a state that was written with another default catalog.

The state and the packages name relations of the default catalog without a catalog. With another
default catalog, its relations would replace relations with the same names, and all others would be
dropped.
"""

from __future__ import annotations

import contextlib
import json

from publisher.settings import Settings, SettingsError
from publisher.settling.comparison import SNAPSHOT_ENDED
from publisher.state.places import place_of
from publisher.state.protocol import State, StateUnavailable, Transaction


def require_same_default(settings: Settings, state: State) -> None:
    """Checks the default catalog. A catalog that was only renamed counts as the same.

    Raises:
        SettingsError: another catalog is the default catalog now.
    """
    with contextlib.suppress(StateUnavailable):
        why = state.read(lambda tx: _why_another(settings, tx))
        if why:
            raise SettingsError((why,))


def _why_another(settings: Settings, tx: Transaction) -> str:
    before, now = _default_before(tx), settings.default_catalog.name
    if before in {"", now}:
        return ""
    is_demoted = before in settings.catalogs
    if not is_demoted and all(name.catalog != now for name in tx.graph.facts_hashes()):
        return ""
    return (
        f"catalog: the default catalog of {place_of(settings.state)} is {before!r}, and the settings "
        f"make {now!r} the default one, whose relations would replace the packages of {before!r}; "
        f"set default = true for {before!r}, or use another state.url, index and artifacts.prefix"
    )


def _default_before(tx: Transaction) -> str:
    """The default catalog's name at the last snapshot; "" before the first snapshot."""
    ended = {
        key.removeprefix(SNAPSHOT_ENDED): float(json.loads(note)["ended_at"])
        for key, note in tx.journal.notes(SNAPSHOT_ENDED).items()
        if note
    }
    return max(ended, key=lambda name: ended[name], default="")
