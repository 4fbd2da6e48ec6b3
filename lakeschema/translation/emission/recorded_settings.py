"""Settings that a view recorded, for engines whose views record none."""

from __future__ import annotations

from typing import Final

from lakeschema.catalog.relations import ViewText
from lakeschema.translation.functions.settings import rows_changed
from lakeschema.translation.model.errors import UnsupportedConstruct

_UTC: Final = frozenset({"utc", "etc/utc", "gmt", "z", "+00:00", "etc/gmt", "zulu"})


def refuse_settings_of_rows(view: ViewText, engine: str) -> None:
    """Raises ``UnsupportedConstruct`` for a recorded setting that affects rows: no text expresses it."""
    for name, value in rows_changed(view).items():
        if name == "spark.sql.session.timeZone" and value.lower() in _UTC:
            continue
        raise UnsupportedConstruct(
            f"setting {name}={value!r:.40}, which the view recorded when it was created, for {engine}"
        )
