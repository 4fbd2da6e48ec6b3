"""What Hive answered before: calls with their types, out of the recordings, so that it is not asked again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from benchmarks.expression_templates import all_columns, columns_in
from lakeschema.catalog.relations import Dialect
from tests.lakeschema.translation.asked_types import COLUMNS, RECORDED, REFUSED

_PROBED: Final = re.compile(r"SELECT (.*) AS x FROM \{t\}(?: GROUP BY r)?", re.DOTALL)


def recorded_calls(names: Sequence[str]) -> Mapping[str, Sequence[tuple[str, str]]]:
    """Of each function, in Hive: texts of calls and their types."""
    found: dict[str, list[tuple[str, str]]] = {name: [] for name in names}
    known = all_columns(Dialect.HIVE)
    missing = {name: type_ for name, type_ in COLUMNS.items() if name not in known}
    for text, type_ in _recorded():
        name = text.partition("(")[0].lower()
        if name in found and not any(columns_in(text, missing)):
            found[name].append((text, type_))
    return found


def _recorded() -> Iterator[tuple[str, str]]:
    for file in ("probed_hive.tsv", "hive.tsv"):
        path = RECORDED / file
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            text, _, type_ = line.partition("\t")
            call = _PROBED.fullmatch(text)
            if type_ != REFUSED and not (text.startswith("SELECT ") and call is None):
                yield call[1] if call else text, type_
