"""Writes how tables are loaded: with HCatLoader by name, or by a deployment's rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.model.interface import PigLoad
from lakeschema.translation.model.patterns import match_pattern

HCAT_LOADER: Final = "org.apache.hive.hcatalog.pig.HCatLoader()"
_TEXT: Final = r"'(?:[^'\\\r\n]|\\.)*'"
_FUNCTION: Final = re.compile(rf"[A-Za-z_][\w.$]*(?:\(\s*(?:{_TEXT}(?:\s*,\s*{_TEXT})*)?\s*\))?")
_PLACE: Final = re.compile(r"\{([^{}]*)\}")

Load = Callable[[RelationName], tuple[str, str]]
"""The path of a table's rows, and the function that loads them."""


def load_problem(rule: PigLoad) -> str | None:
    """What is wrong with a rule; None if the rule is valid."""
    if _FUNCTION.fullmatch(rule.loader) is None:
        return f"{rule.loader!r} is not a function of Pig's with quoted arguments"
    stars = {str(number) for number in range(1, rule.table_pattern.count("*") + 1)}
    for name in _PLACE.findall(rule.path):
        if name not in stars | {"table"}:
            return f"{rule.path!r} has {{{name}}}, but its pattern does not define it"
    return None


def loads_of(rules: Sequence[PigLoad] = ()) -> Load:
    """Loads tables by the first rule that matches, otherwise with HCatLoader.

    A rule's pattern matches ``prod:sales.orders`` if the table is in the catalog ``prod``.
    """

    def load(table: RelationName) -> tuple[str, str]:
        name = ".".join(table.parts)
        if table.catalog:
            name = f"{table.catalog}:{name}"
        for rule in rules:
            stars = match_pattern(rule.table_pattern, name)
            if stars is not None:
                return _filled(rule.path, {**stars, "table": table.name}), rule.loader
        if table.catalog:
            raise UnsupportedConstruct(
                f"{table} for Pig",
                "HCatLoader reads tables of the default catalog",
                hint="add a rule for it to the option pig_loads",
            )
        return name, HCAT_LOADER

    return load


def _filled(path: str, parts: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda place: parts[place[1]], path)
