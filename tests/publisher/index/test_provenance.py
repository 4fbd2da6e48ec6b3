"""The ``.provenance`` files of a static index (PEP 740)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codegen.package import Wheel
from publisher.index.page_parsing import parse_html_page, parse_json_page
from publisher.index.protocol import MAX_PROVENANCE_BYTES, IndexRefused
from publisher.index.static import StaticIndex
from tests.publisher.index.wheels import sample_wheel

PROJECT = "acme-schema-shop-orders"
WHEEL = sample_wheel(PROJECT)
PROVENANCE = f"{WHEEL.filename}.provenance"


def sign(filename: str, sha256: str) -> bytes:
    return f"{filename} {sha256}".encode()


def signed(tmp_path: Path) -> StaticIndex:
    return StaticIndex(tmp_path, sign=sign)


def folder_of(tmp_path: Path) -> Path:
    return tmp_path / "simple" / PROJECT


def test_the_provenance_is_beside_the_wheel_and_named_on_both_pages(tmp_path: Path) -> None:
    index = signed(tmp_path)

    index.upload(WHEEL)

    folder = folder_of(tmp_path)
    json_text, html_text = (folder / "index.json").read_bytes(), (folder / "index.html").read_text()
    assert (folder / PROVENANCE).read_bytes() == sign(WHEEL.filename, WHEEL.sha256)
    assert json.loads(json_text)["meta"] == {"api-version": "1.3"}
    assert json.loads(json_text)["files"][0]["provenance"] == PROVENANCE
    assert f'data-provenance="{PROVENANCE}"' in html_text
    assert 'content="1.3"' in html_text
    for page in (parse_json_page(json_text, PROJECT), parse_html_page(html_text, PROJECT)):
        assert [file.provenance for file in page.files] == [PROVENANCE]
    assert index.provenance(index.files(PROJECT)[0]) == sign(WHEEL.filename, WHEEL.sha256)


def test_without_a_key_pages_are_as_before(tmp_path: Path) -> None:
    index = StaticIndex(tmp_path)

    index.upload(WHEEL)

    pages = [path.read_text() for path in folder_of(tmp_path).glob("index.*")]
    assert not any("provenance" in page for page in pages)
    assert all("1.1" in page for page in pages)
    assert not (folder_of(tmp_path) / PROVENANCE).exists()
    assert index.provenance(index.files(PROJECT)[0]) is None


def test_a_yank_keeps_the_provenance(tmp_path: Path) -> None:
    index = signed(tmp_path)
    index.upload(WHEEL)

    StaticIndex(tmp_path).yank(index.files(PROJECT)[0], "old")

    page = index.page(PROJECT)
    assert page is not None
    assert [(file.yanked, file.provenance) for file in page.files] == [("old", PROVENANCE)]


class Killed(BaseException):
    pass


def test_a_wheel_is_never_there_without_its_provenance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a crash left is listed with what was signed, though nobody signs it then."""
    rename = Path.replace

    def rename_until_killed(self: Path, target: Path) -> Path:
        if target.name == "index.html":
            raise Killed
        return rename(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", rename_until_killed)
        with pytest.raises(Killed):
            signed(tmp_path).upload(WHEEL)
    assert (folder_of(tmp_path) / WHEEL.filename).exists()

    StaticIndex(tmp_path).upload(sample_wheel(PROJECT, "1.1.0"))

    page = signed(tmp_path).page(PROJECT)
    assert page is not None
    assert [file.provenance for file in page.files] == [PROVENANCE, None]


def test_a_wheel_that_another_program_left_is_not_signed(tmp_path: Path) -> None:
    index = signed(tmp_path)
    index.upload(sample_wheel(PROJECT, "1.1.0"))
    (folder_of(tmp_path) / WHEEL.filename).write_bytes(WHEEL.data)

    index.upload(sample_wheel(PROJECT, "1.2.0"))

    page = index.page(PROJECT)
    assert page is not None
    assert [file.provenance is None for file in page.files] == [True, False, False]


def test_provenance_of_other_bytes_is_replaced_or_removed(tmp_path: Path) -> None:
    folder_of(tmp_path).mkdir(parents=True)
    (folder_of(tmp_path) / PROVENANCE).write_bytes(b"of other bytes")

    StaticIndex(tmp_path).upload(WHEEL)
    assert not (folder_of(tmp_path) / PROVENANCE).exists()

    (folder_of(tmp_path) / WHEEL.filename).unlink()
    index = signed(tmp_path)
    index.upload(WHEEL)
    page = index.page(PROJECT)
    assert page is not None
    assert [file.provenance for file in page.files] == [PROVENANCE]


def test_a_huge_provenance_is_not_read(tmp_path: Path) -> None:
    index = signed(tmp_path)
    index.upload(WHEEL)
    (file,) = index.files(PROJECT)
    path = folder_of(tmp_path) / PROVENANCE

    path.write_bytes(b" " * MAX_PROVENANCE_BYTES)
    assert index.provenance(file) == b" " * MAX_PROVENANCE_BYTES
    path.write_bytes(b" " * (MAX_PROVENANCE_BYTES + 1))
    with pytest.raises(IndexRefused, match="larger than"):
        index.provenance(file)


def test_the_wheel_is_the_same_with_and_without_a_key(tmp_path: Path) -> None:
    def uploaded(index: StaticIndex, wheel: Wheel) -> bytes:
        index.upload(wheel)
        return index.fetch(index.files(PROJECT)[0])

    without = uploaded(StaticIndex(tmp_path / "without"), WHEEL)
    assert uploaded(signed(tmp_path / "with"), WHEEL) == without
