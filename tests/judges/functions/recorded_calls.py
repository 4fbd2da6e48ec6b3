"""Calls with their types from earlier recordings, so that the engine is not asked again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tests.judges.functions.expression_templates import all_columns, columns_in
from tests.lakeschema.translation.asked_types import COLUMNS, RECORDED, REFUSED, Engine

_PROBED: Final = re.compile(r"SELECT (.*) AS x FROM \{t\}(?: GROUP BY r)?", re.DOTALL)


_NOT_NULL: Final = " not null"


def recorded_calls(engine: Engine, names: Sequence[str]) -> Mapping[str, Sequence[tuple[str, str]]]:
    """For each function: texts of calls and their types, whatever their nullability."""
    found: dict[str, list[tuple[str, str]]] = {name: [] for name in names}
    known = all_columns(engine.dialect)
    missing = {name: type_ for name, type_ in COLUMNS.items() if name not in known}
    for text, type_ in _recorded(engine):
        name = text.partition("(")[0].lower()
        if name in found and not any(columns_in(text, missing)):
            found[name].append((text, type_))
    return found


def _recorded(engine: Engine) -> Iterator[tuple[str, str]]:
    """Leaves out calls that we refuse, since we would refuse each tree with them."""
    refused = RECORDED / f"probed_{engine.value}_refused_by_us.txt"
    left_out = set(refused.read_text(encoding="utf-8").splitlines())
    for file in (f"probed_{engine.value}.tsv", f"{engine.value}.tsv"):
        path = RECORDED / file
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            text, _, type_ = line.partition("\t")
            call = _PROBED.fullmatch(text)
            if (
                type_ != REFUSED
                and text not in left_out
                and not (text.startswith("SELECT ") and call is None)
            ):
                yield call[1] if call else text, type_.replace(_NOT_NULL, "")
