"""An alias is in only one table, and means the same as its canonical name."""

from __future__ import annotations

import pytest

from lakeschema.catalog.relations import Dialect
from lakeschema.translation.functions.aliases import ALIASES
from lakeschema.translation.functions.binding import find

PAIRS = [(dialect, *pair) for dialect in Dialect for pair in ALIASES[dialect].items()]


@pytest.mark.parametrize(("dialect", "alias", "name"), PAIRS)
def test_an_alias_is_its_function_and_keeps_its_spelling(
    dialect: Dialect, alias: str, name: str
) -> None:
    aliased, canonical = find(alias, dialect), find(name, dialect)
    assert aliased is not None
    assert canonical is not None

    assert aliased.operator.name == canonical.operator.name
    assert aliased.operator.spelling == alias
    assert canonical.operator.spelling == canonical.operator.name
    assert (aliased.kind, aliased.parameters) == (canonical.kind, canonical.parameters)
