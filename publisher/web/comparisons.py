"""Compares two wheels of a package in a limited process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from codegen.edits import Edit, Need, edits
from codegen.errors import CodegenError
from lakeschema.avro.compatibility import compare
from lakeschema.avro.model import Record
from lakeschema.avro.reading import why_unreadable
from lakeschema.isolation.frames import Attached
from lakeschema.isolation.pool import LimitedProcesses
from publisher.web.descriptions import COMPARISONS, ask, or_refused, read_package
from publisher.web.package_code import package_texts
from publisher.web.text_diff import (
    TextDiff,
    text_diff,
    text_diff_from_json,
    text_diff_to_json,
)

_MAX_REASONS: Final = 100
_MAX_EDITS: Final = 150


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a newer version differs from an older one.

    Attributes:
        level: "major", "minor", "patch" or "none", by the schemas.
        reasons: the changelog's sentences, the most severe first; ``more_reasons`` counts the rest.
        edits: what programs must change; ``more_edits`` counts the rest. None if this release
            cannot derive the wheels' classes.
        old_data: why the new version cannot read some data of the old one; "" if it reads all.
        new_data: why the old version cannot read some data of the new one; "" if it reads all.
    """

    level: str
    reasons: tuple[str, ...]
    more_reasons: int
    edits: tuple[Edit, ...] | None
    more_edits: int
    python: TextDiff
    schema: TextDiff
    sql: TextDiff
    old_data: str
    new_data: str


def compare_wheels(old: bytes, new: bytes) -> Comparison:
    """The comparison of two wheels.

    Raises:
        Undescribed: a wheel was not made by this program.
    """
    (contents, before, types), (new_contents, after, new_types) = map(read_package, (old, new))
    texts, new_texts = package_texts(contents, types), package_texts(new_contents, new_types)
    change = compare([before], after)
    found = _edits(before, after)
    return Comparison(
        change.level.value,
        change.reasons[:_MAX_REASONS],
        max(0, len(change.reasons) - _MAX_REASONS),
        None if found is None else found[:_MAX_EDITS],
        0 if found is None else max(0, len(found) - _MAX_EDITS),
        text_diff(texts.python, new_texts.python),
        text_diff(texts.schema, new_texts.schema),
        text_diff(texts.sql, new_texts.sql),
        why_unreadable(before, after),
        why_unreadable(after, before),
    )


def compare_limited(processes: LimitedProcesses, old: bytes, new: bytes) -> Comparison:
    """Like ``compare_wheels``, in one of ``description_processes``."""
    question = Attached({"length": len(old)}, old + new)
    return _from_json(ask(processes, COMPARISONS, question, "comparing"))


def answer_about_pairs(_argument: Mapping[str, Any]) -> Callable[[Any], Any]:
    """The function that the child process calls with two wheels; it returns their comparison."""

    def answer(question: Attached) -> Any:
        length = question.value["length"]
        return _to_json(compare_wheels(question.data[:length], question.data[length:]))

    return or_refused(answer)


def _edits(before: Record, after: Record) -> tuple[Edit, ...] | None:
    try:
        return edits(before, after)
    except CodegenError:
        return None


def _to_json(found: Comparison) -> Mapping[str, Any]:
    return {
        "level": found.level,
        "reasons": list(found.reasons),
        "more_reasons": found.more_reasons,
        "edits": None
        if found.edits is None
        else [[edit.path, edit.need.value, edit.change, edit.action] for edit in found.edits],
        "more_edits": found.more_edits,
        "python": text_diff_to_json(found.python),
        "schema": text_diff_to_json(found.schema),
        "sql": text_diff_to_json(found.sql),
        "old_data": found.old_data,
        "new_data": found.new_data,
    }


def _from_json(value: Mapping[str, Any]) -> Comparison:
    stated = value["edits"]
    return Comparison(
        value["level"],
        tuple(value["reasons"]),
        value["more_reasons"],
        None
        if stated is None
        else tuple(Edit(path, Need(need), *told) for path, need, *told in stated),
        value["more_edits"],
        text_diff_from_json(value["python"]),
        text_diff_from_json(value["schema"]),
        text_diff_from_json(value["sql"]),
        value["old_data"],
        value["new_data"],
    )
