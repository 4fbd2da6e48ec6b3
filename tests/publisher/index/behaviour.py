"""The behaviour of every package index; each adapter's test module runs it on its own ``index`` fixture."""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import replace

import pytest

from publisher.index.protocol import IndexFile, IndexRefused, PackageIndex
from tests.publisher.index.wheels import sample_wheel, wheel_of


def sha256_of(index: PackageIndex, file: IndexFile) -> str:
    """What the page states or, where it states nothing, the hash of the downloaded bytes."""
    return file.sha256 or hashlib.sha256(index.fetch(file)).hexdigest()


class PackageIndexBehaviour:
    def test_an_unknown_distribution_has_no_files(self, index: PackageIndex) -> None:
        assert list(index.files("acme-schema-never-seen")) == []

    @pytest.mark.parametrize(
        "name", ["", ".", "..", "../../etc", "Acme_Schema", "a/b", "a b", "é", "x" * 5000]
    )
    def test_a_name_that_is_not_normalised_has_no_files(
        self, index: PackageIndex, name: str
    ) -> None:
        assert list(index.files(name)) == []

    def test_an_uploaded_wheel_is_listed_with_its_version_and_hash(
        self, index: PackageIndex
    ) -> None:
        wheel = sample_wheel("acme-schema-list-one", "1.2.3")

        index.upload(wheel)

        [file] = index.files("acme-schema-list-one")
        assert (file.filename, file.version) == (wheel.filename, "1.2.3")
        assert sha256_of(index, file) == wheel.sha256
        assert file.yanked is None

    def test_an_uploaded_wheel_is_fetched_byte_for_byte(self, index: PackageIndex) -> None:
        wheel = sample_wheel("acme-schema-fetch-one")
        index.upload(wheel)
        [file] = index.files("acme-schema-fetch-one")

        fetched = index.fetch(file)

        assert fetched == wheel.data

    def test_every_version_is_listed(self, index: PackageIndex) -> None:
        for version in ("1.0.0", "1.10.0", "1.9.0", "2.0.0"):
            index.upload(sample_wheel("acme-schema-list-many", version))

        versions = {file.version for file in index.files("acme-schema-list-many")}

        assert versions == {"1.0.0", "1.9.0", "1.10.0", "2.0.0"}

    def test_projects_whose_names_start_alike_are_separate(self, index: PackageIndex) -> None:
        index.upload(sample_wheel("acme-schema-a-b"))
        index.upload(sample_wheel("acme-schema-a-b-c"))

        [file] = index.files("acme-schema-a-b")

        assert file.filename == "acme_schema_a_b-1.0.0-py3-none-any.whl"

    def test_the_same_bytes_again_change_nothing(self, index: PackageIndex) -> None:
        wheel = sample_wheel("acme-schema-same-again")
        index.upload(wheel)
        before = index.files("acme-schema-same-again")

        # Some servers accept the same bytes, others refuse; the file stays in both cases.
        with contextlib.suppress(IndexRefused):
            index.upload(wheel)

        assert index.files("acme-schema-same-again") == before

    def test_other_bytes_under_a_known_name_are_refused(self, index: PackageIndex) -> None:
        first = sample_wheel("acme-schema-other-bytes", body="ONE = 1\n")
        index.upload(first)

        with pytest.raises(IndexRefused) as refused:
            index.upload(sample_wheel("acme-schema-other-bytes", body="ONE = 2\n"))

        assert refused.value.status in {400, 403, 409}
        [file] = index.files("acme-schema-other-bytes")
        assert hashlib.sha256(index.fetch(file)).hexdigest() == first.sha256

    @pytest.mark.parametrize(
        "filename",
        [
            "../acme_schema_evil-1.0.0-py3-none-any.whl",
            "acme_schema_evil-1.0.0-py3-none-any.whl/../../x.whl",
            "/etc/acme_schema_evil-1.0.0-py3-none-any.whl",
            "acme_schema_evil-1.0.0-py3-none-any.whl\0.txt",
            "acme_schema_evil-1.0.0-py3-none-any.whl\n",
            "acme_schema_evil-1.0.0.tar.gz",
            "acme_schema_other-1.0.0-py3-none-any.whl",
            "acme_schema_evil-2.0.0-py3-none-any.whl",
            "acme_schema_evil-not.a.version-py3-none-any.whl",
            "acme_schema_evil-1.0.0.whl",
            "",
            "a" * 5000 + ".whl",
        ],
    )
    def test_a_wheel_under_a_name_that_is_not_its_own_is_refused(
        self, index: PackageIndex, filename: str
    ) -> None:
        wheel = replace(sample_wheel("acme-schema-evil"), filename=filename)

        with pytest.raises(IndexRefused):
            index.upload(wheel)

        assert list(index.files("acme-schema-evil")) == []

    def test_bytes_that_are_not_a_wheel_are_refused(self, index: PackageIndex) -> None:
        data = b"PK\x03\x04 not really"
        sha256 = hashlib.sha256(data).hexdigest()
        wheel = replace(sample_wheel("acme-schema-torn"), data=data, sha256=sha256)

        with pytest.raises(IndexRefused):
            index.upload(wheel)

        assert list(index.files("acme-schema-torn")) == []

    def test_a_wheel_with_the_wrong_hash_is_refused(self, index: PackageIndex) -> None:
        wheel = replace(sample_wheel("acme-schema-wrong-hash"), sha256="0" * 64)

        with pytest.raises(IndexRefused):
            index.upload(wheel)

        assert list(index.files("acme-schema-wrong-hash")) == []

    def test_a_wheel_whose_metadata_names_another_project_is_refused(
        self, index: PackageIndex
    ) -> None:
        inside = "Metadata-Version: 2.1\nName: acme-schema-somebody\nVersion: 1.0.0\n"
        wheel = wheel_of(
            "acme-schema-liar",
            "1.0.0",
            {"acme_schema_liar-1.0.0.dist-info/METADATA": inside},
        )

        with pytest.raises(IndexRefused):
            index.upload(wheel)

        assert list(index.files("acme-schema-liar")) == []

    def test_fetching_a_file_that_does_not_exist_is_refused(self, index: PackageIndex) -> None:
        index.upload(sample_wheel("acme-schema-fetch-gone"))
        [file] = index.files("acme-schema-fetch-gone")
        gone = IndexFile(
            filename=file.filename.replace("1.0.0", "9.9.9"),
            version="9.9.9",
            url=file.url.replace("1.0.0", "9.9.9"),
            sha256=None,
        )

        with pytest.raises(IndexRefused) as refused:
            index.fetch(gone)

        assert refused.value.status == 404

    def test_a_yank_is_listed_or_reported_as_unsupported(self, index: PackageIndex) -> None:
        index.upload(sample_wheel("acme-schema-yank"))
        [file] = index.files("acme-schema-yank")

        can_yank = index.yank(file, "the table was <dropped> & forgotten")

        [listed] = index.files("acme-schema-yank")
        assert listed.yanked == ("the table was <dropped> & forgotten" if can_yank else None)

    def test_a_yanked_file_can_be_unyanked(self, index: PackageIndex) -> None:
        index.upload(sample_wheel("acme-schema-unyank"))
        [file] = index.files("acme-schema-unyank")
        index.yank(file, "dropped")

        index.yank(file, None)

        assert list(index.files("acme-schema-unyank")) == [file]
