"""Writes a package's changelog as Markdown and as JSON: the changes of each version, newest first.

The changelog depends only on the versions' changes and has no dates, so that a wheel is reproducible.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from codegen.escaping import markdown, one_line
from codegen.package import PackageRequest, Release

_MAX_LINES_OF_A_RELEASE = 100
_MAX_LINES = 2_000

_CHANGES = frozenset({"first", "major", "minor", "patch"})

MORE = "… further changes are not listed"

_CODE = re.compile(r"(?<![`\\])`([\w.\[\]{}<>]{1,200})`(?!`)", re.ASCII)
"""Matches a field's path or a type's name in a sentence of ``lakeschema.avro.compatibility``."""


def releases(request: PackageRequest) -> tuple[Release, ...]:
    """The requested version and the earlier versions, with their changes."""
    provenance = request.provenance
    return (
        Release(request.version, provenance.change, provenance.reasons),
        *provenance.earlier,
    )


def shorten(earlier: Sequence[Release]) -> tuple[Release, ...]:
    """The releases with only their first lines, so that a package does not grow with its history.

    A release without any line left has the line ``MORE``.
    """
    kept = []
    left = _MAX_LINES
    for release in earlier:
        short = _cut(release, min(left, _MAX_LINES_OF_A_RELEASE))
        left = max(0, left - len(short.lines))
        kept.append(short)
    return tuple(kept)


def first_lines(history: Sequence[Release], limit: int) -> tuple[Release, ...]:
    """The newest releases, with at most ``limit`` lines in total."""
    kept: list[Release] = []
    for release in history:
        if limit <= 0:
            break
        kept.append(_cut(release, limit))
        limit -= max(1, len(kept[-1].lines))
    return tuple(kept)


def changelog_markdown(distribution: str, history: Sequence[Release]) -> bytes:
    """The whole file ``CHANGELOG.md``."""
    lines = [f"# Changelog of {markdown(distribution)}", "", *changelog_lines(history)]
    return "\n".join([*lines, ""]).encode("utf-8", "backslashreplace")


def changelog_lines(history: Sequence[Release]) -> Iterator[str]:
    """Lines of Markdown: a heading of level two for each release, and a list of its changes."""
    for number, release in enumerate(history):
        if number:
            yield ""
        change = f" ({markdown(release.change)})" if release.change else ""
        yield f"## {markdown(release.version)}{change}"
        yield ""
        for line in release.lines or ("not recorded",):
            yield f"- {sentence_markdown(line)}"


def sentence_markdown(line: str) -> str:
    """One line of Markdown; names between backticks are code, everything else is plain text."""
    text = one_line(line)
    pieces = []
    end = 0
    for code in _CODE.finditer(text):
        pieces += [markdown(text[end : code.start()]), code.group()]
        end = code.end()
    return "".join([*pieces, markdown(text[end:])])


def changelog_to_json(history: Sequence[Release]) -> list[dict[str, Any]]:
    return [
        {"version": release.version, "change": release.change, "lines": list(release.lines)}
        for release in history
    ]


def changelog_from_json(value: object) -> tuple[Release, ...]:
    """Reads the output of ``changelog_to_json``; omits entries of another form."""
    if not isinstance(value, list):
        return ()
    return tuple(release for entry in value if (release := _release(entry)) is not None)


def _release(entry: object) -> Release | None:
    match entry:
        case {"version": str(version), "change": str(change), "lines": list(lines)}:
            known = change if change in _CHANGES else ""
            return Release(version, known, tuple(line for line in lines if isinstance(line, str)))
        case _:
            return None


def _cut(release: Release, limit: int) -> Release:
    limit = max(1, limit)
    if len(release.lines) <= limit:
        return release
    return replace(release, lines=(*release.lines[: limit - 1], MORE))
