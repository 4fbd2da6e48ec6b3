"""The page that compares two versions of a package."""

from __future__ import annotations

import gzip
import html
import re
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from codegen.package import Wheel
from publisher.index.static import StaticIndex
from publisher.web.app import create_app
from publisher.web.comparisons import compare_limited, compare_wheels
from publisher.web.descriptions import Undescribed, description_processes
from publisher.web.text_diff import text_diff
from tests.publisher.web.asgi_client import AsgiClient
from tests.publisher.web.daemon_double import IdleDaemon
from tests.publisher.web.html_outline import Outline
from tests.publisher.web.packages import HOSTILE, field, record_schema, wheels

NAME = "acme-schema-shop-orders"
ADDRESS = f"/packages/{NAME}"
VERSIONS = [
    record_schema(field("id", "int"), field("status", "string"), field("total", "int")),
    record_schema(
        field("id", "long"), field("status", ["null", "string"], default=None), field("x", "int")
    ),
    record_schema(field("id", "long"), field("x", "int")),
]


@pytest.fixture
def built() -> list[Wheel]:
    return list(wheels("shop.orders", VERSIONS, kind="view", view_text="SELECT id FROM raw"))


@pytest.fixture
def index(tmp_path: Path, built: list[Wheel]) -> StaticIndex:
    index = StaticIndex(tmp_path / "index")
    for wheel in built:
        index.upload(wheel)
    return index


def client_of(index: StaticIndex) -> AsgiClient:
    return AsgiClient(create_app(index, IdleDaemon(), registry=CollectorRegistry()))


def compared(index: StaticIndex, old: str, new: str) -> str:
    return client_of(index).get(f"{ADDRESS}/diff/{old}...{new}").text


def plain(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page)).split())


def test_the_page_says_what_to_edit(index: StaticIndex) -> None:
    text = plain(compared(index, "1.0.0", "1.1.0"))

    assert "this is a major change" in text
    assert "status is now optional: handle None." in text
    assert "total was removed: delete reads of record.total" in text
    assert "nothing to edit id was widened from int to long." in text
    assert "x was added as int, without a default: pass x= wherever you make a Company." in text


def test_removed_and_added_lines_have_signs_and_words(index: StaticIndex) -> None:
    page = compared(index, "1.0.0", "1.1.0")

    assert '<span class="sign">−</span><span class="hidden">removed: </span><code>' in page
    assert '<span class="sign">+</span><span class="hidden">added: </span><code>' in page
    assert "    total: int" in page


def test_any_two_versions_are_compared_whatever_their_order(index: StaticIndex) -> None:
    page = compared(index, "1.2.0", "1.0.0")

    assert "This goes back to an older version" in page
    assert f'href="{ADDRESS}/diff/1.0.0...1.2.0"' in page
    assert "status was added as str" in plain(page)


def test_a_version_compared_with_itself_has_no_difference(index: StaticIndex) -> None:
    answer = client_of(index).get(f"{ADDRESS}/diff/1.0.0...1.0.0")

    assert answer.status_code == 200
    assert "Both are the same version: nothing differs." in answer.text
    assert "What to edit" not in answer.text


@pytest.mark.parametrize(
    "between", ["1.0.0...7.0.0", "7.0.0...1.0.0", "1.0.0", "...", "1.0.0..1.1.0"]
)
def test_unknown_versions_list_those_that_exist(index: StaticIndex, between: str) -> None:
    answer = client_of(index).get(f"{ADDRESS}/diff/{between}")

    assert answer.status_code == 404
    assert f'href="{ADDRESS}/1.2.0"' in answer.text


def test_the_form_leads_to_the_page_of_its_versions(index: StaticIndex) -> None:
    client = client_of(index)

    chosen = client.get(f"{ADDRESS}/diff", params={"from": "1.0.0", "to": "1.2.0"})
    unchosen = client.get(f"{ADDRESS}/diff")

    assert chosen.headers["location"] == f"{ADDRESS}/diff/1.0.0...1.2.0"
    assert unchosen.headers["location"] == f"{ADDRESS}#versions"
    assert f'action="{ADDRESS}/diff"' in client.get(ADDRESS).text


def test_the_form_leads_nowhere_else(index: StaticIndex) -> None:
    hostile = {"from": "//evil.example/", "to": "\r\nSet-Cookie: a=b"}

    answer = client_of(index).get(f"{ADDRESS}/diff", params=hostile)

    assert answer.headers["location"].startswith(f"{ADDRESS}/diff/")
    assert "set-cookie" not in answer.headers
    assert client_of(index).get(answer.headers["location"]).status_code == 404


def test_it_says_whose_data_each_package_reads(index: StaticIndex) -> None:
    text = Outline(compared(index, "1.0.0", "1.1.0")).text

    assert "1.1.0 cannot read all data of 1.0.0: the data lacks x, which has no default." in text
    assert "1.0.0 cannot read all data of 1.1.0: id is written as long and read as int." in text
    assert "1.2.0 reads all data of 1.1.0." in Outline(compared(index, "1.1.0", "1.2.0")).text
    assert f"{ADDRESS}/1.1.0#install" in Outline(compared(index, "1.0.0", "1.1.0")).links


def test_a_yanked_version_is_named(index: StaticIndex) -> None:
    index.yank(index.files(NAME)[0], "bad <data>")

    assert "Version 1.0.0 is yanked: bad &lt;data&gt;." in compared(index, "1.0.0", "1.1.0")


def test_a_damaged_wheel_is_named_and_nothing_compared(
    index: StaticIndex, built: list[Wheel]
) -> None:
    index.file_path(built[0].filename).write_bytes(b"no wheel")

    page = compared(index, "1.0.0", "1.1.0")

    assert "A wheel of these versions is damaged, missing or not from schema-publisher." in page
    assert "What to edit" not in page
    assert "What to edit" in compared(index, "1.1.0", "1.2.0")


def test_hostile_texts_stay_text(tmp_path: Path) -> None:
    schemas = [record_schema(field("a", "int", doc=f"{HOSTILE}\u202e {n}")) for n in range(2)]
    index = StaticIndex(tmp_path)
    for wheel in wheels("shop.orders", schemas, kind="view", view_text=f"SELECT '{HOSTILE}\u202e'"):
        index.upload(wheel)

    page = compared(index, "1.0.0", "1.1.0")

    assert "script" not in Outline(page).tags
    assert "\u202e" not in page
    assert "&lt;script&gt;" in page


def test_wide_versions_stay_within_the_budget(tmp_path: Path) -> None:
    def wide(word: str) -> list[object]:
        return [field(f"{word}_{n}_{n * 7919 % 1000}", ["null", "string"], default=None)
            for n in range(2_000)]  # fmt: skip

    index = StaticIndex(tmp_path)
    for wheel in wheels("shop.orders", [record_schema(*wide("a")), record_schema(*wide("b"))]):
        index.upload(wheel)

    _, packed = client_of(index).raw(f"{ADDRESS}/diff/1.0.0...1.1.0", {"Accept-Encoding": "gzip"})

    assert len(packed) <= 30_000
    assert "more lines are in the whole files" in gzip.decompress(packed).decode()


def test_a_limited_process_compares_in_the_same_way(built: list[Wheel]) -> None:
    processes = description_processes()
    try:
        limited = compare_limited(processes, built[0].data, built[1].data)
        with pytest.raises(Undescribed):
            compare_limited(processes, b"no wheel", built[1].data)
    finally:
        processes.close()

    assert limited == compare_wheels(built[0].data, built[1].data)


def test_far_apart_changes_have_a_gap_between_them() -> None:
    lines = [f"line {n}" for n in range(50)]
    changed = ["first", *lines[1:40], "new", *lines[40:]]

    diff = text_diff("\n".join(lines), "\n".join(changed))

    assert (diff.removed, diff.added) == (1, 2)
    assert [row.hidden for row in diff.rows if row.kind == "gap"] == [33, 7]
    assert diff.rows[0].kind == "changed"


def test_every_line_is_shown_or_counted_as_hidden() -> None:
    old = "\n".join(f"line {n}" for n in range(30))
    new = old.replace("line 7\n", "").replace("line 20", "line twenty")

    diff = text_diff(old, new)

    shown = sum(row.old is not None for row in diff.rows)
    assert shown + sum(row.hidden for row in diff.rows) == 30
