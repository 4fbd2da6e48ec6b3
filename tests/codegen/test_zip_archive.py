from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen.zip_archive import deflated_zip

PATHS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=20)


def of_the_standard_library(entries: Sequence[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, data in entries:
            entry = zipfile.ZipInfo(path)
            is_folder = path.endswith("/")
            entry.external_attr = 0o040755 << 16 | 0x10 if is_folder else 0o100644 << 16
            entry.create_system = 3
            entry.compress_type = zipfile.ZIP_STORED if is_folder else zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return out.getvalue()


FILES = st.tuples(PATHS.filter(lambda path: not path.endswith("/")), st.binary(max_size=300))
FOLDERS = st.tuples(PATHS.map("{}/".format), st.just(b""))


@given(st.lists(FILES | FOLDERS, max_size=6, unique_by=lambda entry: entry[0]))
def test_bytes_are_those_of_the_standard_library(entries: list[tuple[str, bytes]]) -> None:
    assert deflated_zip(entries) == of_the_standard_library(entries)


def test_contents_that_are_deflated_already_are_taken_as_they_are() -> None:
    # A block that is stored as it is.
    deflated = b"\x01\x02\x00\xfd\xffab"

    data = deflated_zip([("known", b"ab"), ("other", b"ab" * 9)], {b"ab": deflated})

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert [archive.read(name) for name in archive.namelist()] == [b"ab", b"ab" * 9]
        assert archive.getinfo("known").compress_size == len(deflated)


def test_a_path_that_readers_would_decode_differently_is_refused() -> None:
    with pytest.raises(ValueError, match="ascii"):
        deflated_zip([("ä", b"")])
