"""``benchmarks.json`` → the tables of figures in ``benchmarks.md``, one for each value of ``table`` in the file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, TypeAdapter

PREFIX: Final = "figures."
"""What the names of these tables begin with, in the markers of a page."""

_FILE = Path(__file__).parent / "benchmarks.json"


class Figure(BaseModel):
    """One measured value, and that of a peer in the same run."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    table: str
    benchmark: str
    measures: str
    unit: str
    ours: float | str
    date: str
    peer: str = ""
    theirs: float | str = ""
    ratio: float | str = ""


def figures() -> Sequence[Figure]:
    return TypeAdapter(list[Figure]).validate_json(_FILE.read_bytes())


def figure_table(name: str) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Headings and rows; a column that is empty in every row is left out.

    Raises:
        KeyError: no figure is in a table of this name.
    """
    rows = [_row(figure) for figure in figures() if PREFIX + figure.table == name]
    if not rows:
        raise KeyError(name)
    headings = [heading for heading in rows[0] if any(row[heading] for row in rows)]
    return headings, [[row[heading] for heading in headings] for row in rows]


def _row(figure: Figure) -> dict[str, str]:
    return {
        "benchmark": f"`{figure.benchmark}`",
        "measures": figure.measures,
        "ours": _shown(figure.ours),
        "peer": figure.peer,
        "theirs": _shown(figure.theirs),
        "ratio": _shown(_ratio(figure)),
        "unit": figure.unit,
        "date": figure.date,
    }


def _ratio(figure: Figure) -> float | str:
    """As it was measured, or else ours by theirs where both are numbers."""
    match figure:
        case Figure(ratio="", ours=float(ours), theirs=float(theirs)) if ours and theirs:
            return round(ours / theirs, 2)
        case _:
            return figure.ratio


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:,.10g}"
