"""Compares two texts line by line, for a page that shows them side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, Final, Literal, TypeAlias

from publisher.printable import printable

_CONTEXT: Final = 3
_MAX_LINES: Final = 5_000
_MAX_ROWS: Final = 240
_MAX_LINE: Final = 500

Kind: TypeAlias = Literal["same", "changed", "gap"]


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of one text. ``number`` counts the text's lines from 1."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class DiffRow:
    """A row with a line on one side or both. A row of kind "gap" stands for ``hidden`` equal lines."""

    kind: Kind
    old: DiffLine | None = None
    new: DiffLine | None = None
    hidden: int = 0


@dataclass(frozen=True, slots=True)
class TextDiff:
    """The rows of a comparison.

    Attributes:
        removed, added: how many lines were removed and added, with those that are not shown.
        more: how many rows are not shown.
        is_cut: whether the texts are so long that only their beginnings were compared.
    """

    rows: tuple[DiffRow, ...]
    removed: int
    added: int
    more: int
    is_cut: bool = False


def text_diff(old: str, new: str) -> TextDiff:
    before, after = (text.split("\n") if text else [] for text in (old, new))
    is_cut = max(len(before), len(after)) > _MAX_LINES
    before, after = before[:_MAX_LINES], after[:_MAX_LINES]
    matcher = SequenceMatcher(None, before, after)
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    if not changes:
        return TextDiff((), 0, 0, 0, is_cut)
    removed = sum(end - start for _, start, end, _, _ in changes)
    added = sum(end - start for *_, start, end in changes)
    rows = list(_rows(matcher, before, after))
    return TextDiff(tuple(rows[:_MAX_ROWS]), removed, added, max(0, len(rows) - _MAX_ROWS), is_cut)


def text_diff_to_json(diff: TextDiff) -> Mapping[str, Any]:
    return asdict(diff)


def text_diff_from_json(value: Mapping[str, Any]) -> TextDiff:
    rows = tuple(
        DiffRow(row["kind"], _line_from(row["old"]), _line_from(row["new"]), row["hidden"])
        for row in value["rows"]
    )
    return TextDiff(**{**value, "rows": rows})


def _line_from(value: Mapping[str, Any] | None) -> DiffLine | None:
    return None if value is None else DiffLine(**value)


def _rows(
    matcher: SequenceMatcher[str], before: Sequence[str], after: Sequence[str]
) -> Iterator[DiffRow]:
    shown_until = 0
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        start = group[0][1]
        if start > shown_until:
            yield DiffRow("gap", hidden=start - shown_until)
        for operation, i, i_end, j, j_end in group:
            if operation == "equal":
                pairs = zip(range(i, i_end), range(j, j_end), strict=True)
                yield from (DiffRow("same", _line(before, a), _line(after, b)) for a, b in pairs)
                continue
            for a, b in zip_longest(range(i, i_end), range(j, j_end)):
                yield DiffRow("changed", _line(before, a), _line(after, b))
        shown_until = group[-1][2]
    if shown_until < len(before):
        yield DiffRow("gap", hidden=len(before) - shown_until)


def _line(lines: Sequence[str], place: int | None) -> DiffLine | None:
    if place is None:
        return None
    text = lines[place]
    cut = text if len(text) <= _MAX_LINE else f"{text[: _MAX_LINE - 1]}…"
    return DiffLine(place + 1, printable(cut))
