"""Finds the names in Trino of the user-defined functions that a view calls."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lakeschema.translation.emission.trino.text import quoted
from lakeschema.translation.model.errors import UnsupportedFunction
from lakeschema.translation.model.interface import TrinoUdfRule
from lakeschema.translation.model.patterns import match_pattern
from lakeschema.translation.plan.operators import UserDefined

_NAME = re.compile(r"\w+(?:\.\w+){0,2}")


class TrinoFunctions:
    """Names functions: by the class's simple name in lower case, as in Transport, or by a rule."""

    def __init__(self, rules: Sequence[TrinoUdfRule] = ()) -> None:
        self._rules = rules
        self._given: dict[UserDefined, str] = {}

    @property
    def given(self) -> tuple[str, ...]:
        """The functions that Trino must have, ordered by name."""
        return tuple(sorted(set(self._given.values())))

    def call_name(self, udf: UserDefined) -> str:
        """The function's name as text.

        Raises:
            UnsupportedFunction: the view declares no class, or a rule gives an invalid name.
        """
        name = self._given.get(udf) or self._name(udf)
        self._given[udf] = name
        return ".".join(map(quoted, name.split(".")))

    def _name(self, udf: UserDefined) -> str:
        if udf.class_name is None:
            raise UnsupportedFunction(
                udf.name,
                "has no class",
                hint="declare the class in the view's property 'functions'",
            )
        package, _, simple = udf.class_name.rpartition(".")
        chosen = simple.rpartition("$")[2].lower()
        for rule in self._rules:
            stars = match_pattern(rule.class_pattern, udf.class_name)
            if stars is not None:
                places = {**stars, "package": package, "name": simple}
                chosen = rule.trino_name
                for place, text in places.items():
                    chosen = chosen.replace(f"{{{place}}}", text)
                break
        if not _NAME.fullmatch(chosen):
            raise UnsupportedFunction(
                udf.name,
                f"is mapped to {chosen!r:.100} on Trino, which is not a name",
                hint="correct the rule in the deployment's trino_udfs",
            )
        return chosen
