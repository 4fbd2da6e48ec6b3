"""A package's changelog: what each version changed, newest first, as Markdown and as JSON.

It depends on the versions' changes alone and holds no dates, so that a wheel stays reproducible.
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

MORE = "… more changes than are listed here"

_CODE = re.compile(r"(?<![`\\])`([\w.\[\]{}<>]{1,200})`(?!`)", re.ASCII)
"""A field's path or a type's name as ``avro_schema.compatibility`` writes it; nothing that ends it."""


def releases(request: PackageRequest) -> tuple[Release, ...]:
    """The version that is asked for, and those before it."""
    provenance = request.provenance
    return (
        Release(request.version, provenance.change, provenance.reasons),
        *provenance.earlier,
    )


def shortened(earlier: Sequence[Release]) -> tuple[Release, ...]:
    """The releases with their first lines, so that a package does not grow with its history.

    Every release stays, be it with nothing but ``MORE``.
    """
    kept = []
    left = _MAX_LINES
    for release in earlier:
        short = _cut(release, min(left, _MAX_LINES_OF_A_RELEASE))
        left = max(0, left - len(short.lines))
        kept.append(short)
    return tuple(kept)


def first_lines(told: Sequence[Release], limit: int) -> tuple[Release, ...]:
    """The newest releases with at most ``limit`` lines together; the rest is left out."""
    kept: list[Release] = []
    for release in told:
        if limit <= 0:
            break
        kept.append(_cut(release, limit))
        limit -= max(1, len(kept[-1].lines))
    return tuple(kept)


def changelog_markdown(distribution: str, told: Sequence[Release]) -> bytes:
    """The whole file ``CHANGELOG.md``."""
    lines = [f"# Changelog of {markdown(distribution)}", "", *changelog_lines(told)]
    return "\n".join([*lines, ""]).encode("utf-8", "backslashreplace")


def changelog_lines(told: Sequence[Release]) -> Iterator[str]:
    """A heading for each release and a list of what changed, below a heading of level one."""
    for number, release in enumerate(told):
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


def changelog_to_json(told: Sequence[Release]) -> list[dict[str, Any]]:
    return [
        {"version": release.version, "change": release.change, "lines": list(release.lines)}
        for release in told
    ]


def changelog_from_json(value: object) -> tuple[Release, ...]:
    """What ``changelog_to_json`` wrote; entries of another form are left out."""
    if not isinstance(value, list):
        return ()
    return tuple(release for entry in value if (release := _release(entry)) is not None)


def _release(entry: object) -> Release | None:
    match entry:
        case {"version": str(version), "change": str(change), "lines": list(lines)}:
            return Release(version, change, tuple(line for line in lines if isinstance(line, str)))
        case _:
            return None


def _cut(release: Release, limit: int) -> Release:
    limit = max(1, limit)
    if len(release.lines) <= limit:
        return release
    return replace(release, lines=(*release.lines[: limit - 1], MORE))
