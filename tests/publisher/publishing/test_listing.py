"""The files of a distribution that could be ours."""

from __future__ import annotations

import pytest

from publisher.index.protocol import IndexFile
from publisher.index.wheel_files import parse_filename
from publisher.publishing.listing import read_listing

DISTRIBUTION = "acme-schema-shop-orders"


def listed(filename: str) -> IndexFile:
    return IndexFile(filename, parse_filename(filename).version, "u", None)


def wheel(version: str, tag: str = "py3-none-any") -> str:
    return f"acme_schema_shop_orders-{version}-{tag}.whl"


def test_wheels_named_as_ours_are_ours_in_order_of_their_numbers() -> None:
    files = [listed(wheel(number)) for number in ("1.10.0", "1.9.0", "2.0.0")]

    listing = read_listing(DISTRIBUTION, files)

    assert list(listing.ours) == ["1.9.0", "1.10.0", "2.0.0"]
    assert not listing.foreign


@pytest.mark.parametrize(
    "filename",
    [
        wheel("1.0.0.post1"),
        wheel("1.0.0rc1"),
        wheel("1.0.0+local"),
        wheel("1.0"),
        wheel("01.0.0"),
        wheel("1.0.0", "py2.py3-none-any"),
        wheel("1.0.0", "cp311-cp311-manylinux_2_17_x86_64"),
        wheel("1.0.0", "1-py3-none-any"),
        wheel("1.0.9999999999"),
        "acme-schema-shop-orders-1.0.0.tar.gz",
        "acme_schema_shop_orders-1.0.0.zip",
    ],
)
def test_a_file_that_we_never_name_so_is_foreign_and_takes_its_version(filename: str) -> None:
    file = listed(filename)

    listing = read_listing(DISTRIBUTION, [file])

    assert not listing.ours
    assert listing.foreign == [file]
    assert listing.versions == {file.version}
