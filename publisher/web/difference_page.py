"""The page that compares two versions of a package: what to edit, and how the texts differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from codegen.edits import Edit, Need
from publisher.web.addresses import Link, difference_address, package_link, version_address
from publisher.web.comparisons import Comparison
from publisher.web.rendering import render
from publisher.web.spans import Span, spans
from publisher.web.text_diff import TextDiff
from publisher.web.versions import ListedVersion

_MAX_CHOICES: Final = 300

_NEEDS: Final = {
    Need.MUST: "bad",
    Need.CHECK: "check",
    Need.NOTHING: "good",
}


@dataclass(frozen=True, slots=True)
class EditView:
    """A change of the classes, and what programs must edit.

    Attributes:
        need: how necessary the edit is; ``need_class`` is its CSS class.
        action: what to edit; may be empty.
    """

    need: str
    need_class: str
    change: tuple[Span, ...]
    action: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class DataView:
    """Whether one version reads the data of the other; ``why`` says why not, and is empty if it does."""

    written: str
    read: str
    why: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class DiffSection:
    """How one text differs between the versions.

    ``old_file`` and ``new_file`` are the addresses of the whole files.
    """

    id: str
    title: str
    diff: TextDiff
    old_file: str
    new_file: str


@dataclass(frozen=True, slots=True)
class DifferenceView:
    """The data of the page that compares two versions.

    Attributes:
        opposite: the address of the page with the versions in the opposite order.
        notes: sentences about yanked versions and unreadable wheels.
        comparison: how the versions differ; None if a wheel cannot be read, or if both versions are the
            same.
        edits: what programs must edit; None if this release cannot compare the classes.
        choices: the numbers of versions, newest first.
    """

    name: str
    package: Link
    old: Link
    new: Link
    opposite: str
    is_same: bool
    is_backwards: bool
    notes: tuple[str, ...]
    comparison: Comparison | None
    reasons: tuple[tuple[Span, ...], ...]
    edits: tuple[EditView, ...] | None
    sections: tuple[DiffSection, ...]
    choices: tuple[str, ...]
    data: tuple[DataView, ...]


def difference_page(
    name: str,
    versions: Sequence[ListedVersion],
    old: ListedVersion,
    new: ListedVersion,
    comparison: Comparison | None,
) -> bytes:
    """The page as HTML. ``versions`` are all versions of the package, newest first.

    There is no ``comparison`` if a wheel cannot be read, or if both versions are the same.
    """
    is_same = old == new
    view = DifferenceView(
        name=name,
        package=package_link(name),
        old=Link(old.number, version_address(name, old.number)),
        new=Link(new.number, version_address(name, new.number)),
        opposite=difference_address(name, new.number, old.number),
        is_same=is_same,
        is_backwards=versions.index(old) < versions.index(new),
        notes=tuple(_notes(old, new, comparison, is_same=is_same)),
        comparison=comparison,
        reasons=tuple(map(spans, comparison.reasons)) if comparison else (),
        edits=None
        if comparison is None or comparison.edits is None
        else tuple(map(_edit_view, comparison.edits)),
        sections=_sections(name, old, new, comparison) if comparison else (),
        choices=_choices(versions, old, new),
        data=(
            DataView(old.number, new.number, spans(comparison.old_data)),
            DataView(new.number, old.number, spans(comparison.new_data)),
        )
        if comparison
        else (),
    )
    return render("difference.html", view)


def _choices(
    versions: Sequence[ListedVersion], old: ListedVersion, new: ListedVersion
) -> tuple[str, ...]:
    kept = [each for n, each in enumerate(versions) if n < _MAX_CHOICES or each in (old, new)]
    return tuple(each.number for each in kept)


def _notes(
    old: ListedVersion, new: ListedVersion, comparison: Comparison | None, *, is_same: bool
) -> Sequence[str]:
    notes = []
    for each in (old,) if is_same else (old, new):
        if each.yanked is not None:
            reason = f": {each.yanked}" if each.yanked else ""
            notes.append(f"Version {each.number} is yanked{reason}.")
    if comparison is None and not is_same:
        notes.append("A wheel of these versions is damaged, missing or not from schema-publisher.")
    return notes


def _edit_view(edit: Edit) -> EditView:
    action = edit.action
    if edit.need is Need.NOTHING:
        # The line's need already shows the word.
        action = action.removeprefix("nothing").removeprefix(": ")
    return EditView(edit.need.value, _NEEDS[edit.need], spans(edit.change), spans(action))


def _sections(
    name: str, old: ListedVersion, new: ListedVersion, comparison: Comparison
) -> tuple[DiffSection, ...]:
    before, after = (version_address(name, each.number) for each in (old, new))
    parts = (
        ("python", "Python", comparison.python, "record.py"),
        ("schema", "Avro schema", comparison.schema, "schema.avsc"),
        ("sql", "SQL", comparison.sql, "view.sql"),
    )
    return tuple(
        DiffSection(id_, title, diff, f"{before}/{file}", f"{after}/{file}")
        for id_, title, diff, file in parts
    )
