"""Changelogs: every version is listed, the size is bounded, and no text is markup."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import assume, example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from codegen.changelog import (
    MORE,
    changelog_from_json,
    changelog_lines,
    changelog_to_json,
    first_lines,
    sentence_markdown,
    shorten,
)
from codegen.package import Release
from codegen.wheel import build_wheel, read_wheel
from tests.codegen.test_wheel import files_of, request_for

GROWN = Release("1.1.0", "minor", ("field `address.unit` added: optional string, default null",))
FIRST = Release("1.0.0", "first", ("first version",))

TEXTS = st.text(st.characters(codec="utf-8"), max_size=30)
CHANGES = st.sampled_from(["", "first", "major", "minor", "patch"])
RELEASES = st.lists(
    st.builds(Release, st.just("1.0.0"), CHANGES, st.lists(TEXTS, max_size=4).map(tuple)),
    max_size=4,
)


def test_the_newest_version_comes_first_and_names_are_code() -> None:
    assert list(changelog_lines([GROWN, FIRST])) == [
        "## 1\\.1\\.0 (minor)",
        "",
        "- field `address.unit` added\\: optional string, default null",
        "",
        "## 1\\.0\\.0 (first)",
        "",
        "- first version",
    ]


def test_a_wheel_tells_all_its_versions_in_a_file_for_people_and_reads_back() -> None:
    request = request_for()
    provenance = replace(request.provenance, change="patch", earlier=(GROWN, FIRST))

    wheel = build_wheel(replace(request, provenance=provenance))

    text = files_of(wheel.data)["acme_schemas/example/company/CHANGELOG.md"].decode()
    metadata = files_of(wheel.data)["acme_schema_example_company-1.2.3.dist-info/METADATA"]
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == ["## 1\\.2\\.3 (patch)", "## 1\\.1\\.0 (minor)", "## 1\\.0\\.0 (first)"]
    assert "## 1\\.1\\.0 (minor)" in metadata.decode()
    told = read_wheel(wheel.data).changelog
    assert [release.version for release in told] == ["1.2.3", "1.1.0", "1.0.0"]
    assert told[1:] == (GROWN, FIRST)


def test_a_version_for_an_updated_runtime_tells_so() -> None:
    reason = "the generator's runtime was updated; the schema is the same"

    lines = list(changelog_lines([Release("1.0.1", "patch", (reason,)), FIRST]))

    assert lines[:3] == [
        "## 1\\.0\\.1 (patch)",
        "",
        "- the generator\\'s runtime was updated; the schema is the same",
    ]


@given(RELEASES)
def test_a_changelog_survives_json(told: list[Release]) -> None:
    text = json.dumps(changelog_to_json(told))

    assert changelog_from_json(json.loads(text)) == tuple(told)


@example("0")
@given(TEXTS)
def test_a_change_that_no_version_has_reads_as_not_known(change: str) -> None:
    assume(change not in {"first", "major", "minor", "patch"})

    (read,) = changelog_from_json([{"version": "1.0.0", "change": change, "lines": ["x"]}])

    assert read == Release("1.0.0", "", ("x",))


@given(
    st.recursive(st.none() | st.text() | st.integers(), st.lists) | st.dictionaries(TEXTS, TEXTS)
)
def test_any_json_is_some_changelog(value: object) -> None:
    assert changelog_from_json([value, value]) == ()


HOSTILE = st.text(st.sampled_from("`\\*_<>[](){}!#&|~:/-+.$^='\"a \n\x85é"), max_size=40)


@given(HOSTILE)
@example("``a`")
@example("\\`a`")
@example('default "`<b>`" and `x')
@example("[x](javascript:y)")
@example("<script>alert(1)</script>")
def test_a_line_is_shown_as_its_own_text_and_nothing_else(line: str) -> None:
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parseInline(sentence_markdown(line))

    children = tokens[0].children or []
    assert {token.type for token in children} <= {"text", "text_special", "code_inline"}
    shown = "".join(f"`{t.content}`" if t.type == "code_inline" else t.content for t in children)
    assert shown == " ".join("".join(c if c.isprintable() else " " for c in line).split())


def test_a_long_history_stays_small_and_names_every_version() -> None:
    history = [
        Release(f"{number}.0.0", "major", tuple(f"field `c{n}` removed" for n in range(800)))
        for number in range(500, 0, -1)
    ]

    kept = shorten(history)

    assert [release.version for release in kept] == [release.version for release in history]
    assert sum(len(release.lines) for release in kept) <= 2_000 + len(history)
    assert kept[0].lines[:99] == history[0].lines[:99]
    assert kept[0].lines[99:] == kept[-1].lines == (MORE,)
    assert shorten(kept) == kept


def test_only_the_newest_releases_are_listed_where_there_is_little_room() -> None:
    assert first_lines([GROWN, FIRST], 1) == (GROWN,)
    assert first_lines([GROWN, FIRST], 2) == (GROWN, FIRST)
