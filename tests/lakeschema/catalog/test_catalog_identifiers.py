import pytest

from lakeschema.catalog.catalog_identifiers import CatalogIdentifier
from lakeschema.catalog.errors import Refusal, SessionRefused


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("s3://bucket/location/name/", "name"),
        ("s3://bucket/location/name", "name"),
        ("s3://bucket//", "bucket"),
        ("/tmp/x", "x"),
        ("x", "x"),
    ],
)
def test_a_path_is_named_by_its_last_segment_that_is_not_empty(path: str, name: str) -> None:
    identifier = CatalogIdentifier.of_path(path)

    assert identifier == CatalogIdentifier((path,), name, is_path=True)
    assert identifier.path == path
    assert identifier.parts == (path,)


@pytest.mark.parametrize("path", ["", "/", "///"])
def test_a_path_without_segments_is_refused(path: str) -> None:
    with pytest.raises(SessionRefused, match="each of its segments is empty"):
        CatalogIdentifier.of_path(path)


def test_a_named_identifier_has_no_path() -> None:
    with pytest.raises(SessionRefused, match=r"'t' in namespace \['a'\] is a name") as refused:
        _ = CatalogIdentifier(("a",), "t").path

    assert refused.value.kind is Refusal.NOT_A_PATH


def test_a_path_cannot_have_another_name() -> None:
    with pytest.raises(ValueError, match="expected a path and its last segment"):
        CatalogIdentifier(("s3://b/p",), "q", is_path=True)
