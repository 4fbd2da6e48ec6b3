"""The gallery's views for Trino and Pig: written, or refused with a reason; any other error is a fault."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lakeschema.translation.emission.trino.view import trino_view
from lakeschema.translation.model.errors import TranslationError
from lakeschema.translation.model.interface import Options
from lakeschema.translation.products.pig_scripts import view_script
from tests.lakeschema.translation.emission.trino.read_back import read_back
from tests.lakeschema.translation.relations import derived_in, interfaces
from tests.lakeschema.translation.test_gallery import CASES, shown


def with_trinos_names(options: Options) -> Options:
    """Trino calls a function by the simple name of its class."""
    simple = {name.rpartition(".")[2].lower(): udf for name, udf in options.udfs.items()}
    return replace(options, udfs={**options.udfs, **simple})


def test_views_are_written_for_trino_with_the_types_that_the_text_has_there() -> None:
    wrong, written = {}, 0
    for case in CASES:
        relations, name, options = shown(case)
        upstreams = interfaces(relations, name, options)
        try:
            query = trino_view(relations[name], upstreams, options)
        except TranslationError:
            continue
        written += 1
        types = read_back(query, name, upstreams, with_trinos_names(options))
        if types.found != types.said:
            wrong[str(case)] = (query.sql, types)

    assert wrong == {}
    assert written > 50


@pytest.mark.thorough
def test_views_of_hive_are_written_for_pig() -> None:
    written = 0
    for case in CASES:
        relations, name, options = shown(case)
        try:
            derivations = {each: derived_in(relations, each, options) for each in relations}
            script = view_script(name, relations, derivations, options)
        except TranslationError:
            continue
        written += script.statements[-1].startswith(f"{script.alias} = ")

    assert written > 30
