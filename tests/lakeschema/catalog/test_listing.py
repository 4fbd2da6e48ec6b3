"""A listing says which relations it may have missed."""

from __future__ import annotations

import pytest

from lakeschema.catalog.identifiers import Namespace
from lakeschema.catalog.listing import Listing


@pytest.mark.parametrize(
    ("namespace", "misses"),
    [
        (("closed",), True),
        (("closed", "below", "far"), True),
        (("open", "closed"), False),
        (("open",), False),
        ((), False),
    ],
)
def test_a_refused_namespace_hides_the_namespaces_in_it(
    namespace: tuple[str, ...], misses: bool
) -> None:
    listing = Listing((), {Namespace(("closed",)): "no access"})

    assert listing.covers(Namespace(namespace)) is not misses


def test_the_refused_empty_namespace_hides_only_its_own_relations() -> None:
    listing = Listing((), {Namespace(()): "no access"})

    assert not listing.covers(Namespace(()))
    assert listing.covers(Namespace(("a",)))
