from __future__ import annotations

import random

import pytest

from publisher.index.protocol import IndexFile
from publisher.index.releases import by_version, newest_release
from publisher.index.simple_page import ListedFile

PROJECT = "acme_schema_x"


def wheel(version: str) -> IndexFile:
    return IndexFile(f"{PROJECT}-{version}-py3-none-any.whl", version, "", None)


def test_files_are_ordered_by_their_versions_and_not_by_their_text() -> None:
    ordered = [wheel(version) for version in ("0.9.0", "1.0.0rc1", "1.0.0", "1.9.0", "1.10.0")]
    shuffled = random.Random(7).sample(ordered, len(ordered))

    assert sorted(shuffled, key=by_version) == ordered


@pytest.mark.parametrize("order", [1, -1])
def test_the_newest_release_has_all_files_of_its_version(order: int) -> None:
    source = ListedFile(f"{PROJECT}-1.10.0.tar.gz", "")
    built = ListedFile(f"{PROJECT}-1.10.0-py3-none-any.whl", "")
    older = ListedFile(f"{PROJECT}-1.9.0-py3-none-any.whl", "")

    assert newest_release([source, older, built][::order]) == (built, source)


def test_versions_written_differently_are_one_release() -> None:
    short, long = wheel("2.0"), wheel("2.0.0")

    assert newest_release([long, wheel("1.0.0"), short]) == (short, long)


def test_no_files_have_no_newest_release() -> None:
    assert newest_release([]) == ()
