"""Refuses the recorded settings of views, for engines whose views cannot record settings."""

from __future__ import annotations

from typing import Final

from lakeschema.catalog.relations import ViewText
from lakeschema.translation.functions.settings import rows_changed
from lakeschema.translation.model.errors import UnsupportedConstruct

_UTC: Final = frozenset({"utc", "etc/utc", "gmt", "z", "+00:00", "etc/gmt", "zulu"})


def refuse_settings_of_rows(view: ViewText, engine: str) -> None:
    """Raises ``UnsupportedConstruct`` for a recorded setting that changes the view's rows.

    The engine's SQL cannot express the setting.
    """
    for name, value in rows_changed(view).items():
        if name == "spark.sql.session.timeZone" and value.lower() in _UTC:
            continue
        raise UnsupportedConstruct(
            f"setting {name}={value!r:.40}, which the view recorded when it was created, for {engine}"
        )
