"""The gallery's views for Trino and Pig: written, or refused by name; any other error is a fault."""

from __future__ import annotations

from lakeschema.catalog.relations import Dialect, Relation, ViewText
from lakeschema.catalog.trino_types import parse_trino_type, print_trino_type
from lakeschema.translation.derivation import derive_view
from lakeschema.translation.emission.trino.view import trino_view
from lakeschema.translation.errors import TranslationError
from lakeschema.translation.pig_scripts import view_script
from tests.lakeschema.translation.relations import derived_in, interfaces
from tests.lakeschema.translation.test_gallery import CASES, shown


def test_views_are_written_for_trino_with_the_types_that_the_text_has_there() -> None:
    wrong, written = {}, 0
    for case in CASES:
        relations, name, options = shown(case)
        upstreams = interfaces(relations, name, options)
        try:
            query = trino_view(relations[name], upstreams, options)
            text = ViewText(Dialect.TRINO, query.sql, query.sql, ("default",), "")
            _, plan = derive_view(Relation(name, (), view=text), upstreams, options)
        except TranslationError:
            continue
        written += 1
        found = [print_trino_type(column.type) for column in plan.columns]
        said = [print_trino_type(parse_trino_type(type_)) for type_ in query.types]
        if found != said:
            wrong[str(case)] = (query.sql, found, said)

    assert wrong == {}
    assert written > 50


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
