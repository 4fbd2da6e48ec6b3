"""User-defined functions: what a view's properties declare, and what the deployment says of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from catalog.identifiers import RelationName
from catalog.relations import Relation
from translation.interface import Options, UdfReturn

_SEPARATORS = re.compile(r"[\s,;]+")


@dataclass(frozen=True, slots=True)
class DeclaredFunctions:
    """``classes``: a view's function names, in lower case, to class names."""

    view: RelationName
    classes: Mapping[str, str]
    returns: Mapping[str, UdfReturn]

    def class_of(self, name: str) -> str | None:
        """The class behind a call, with or without the view's name before the function's."""
        lower = name.lower()
        found = self.classes.get(lower)
        if found is not None:
            return found
        for prefix in self._prefixes():
            if lower.startswith(prefix):
                return self.classes.get(lower.removeprefix(prefix))
        return None

    def return_of(self, name: str) -> UdfReturn | None:
        """What the deployment says a function returns, by its class, else by its own name."""
        class_name = self.class_of(name)
        if class_name is not None:
            return self.returns.get(class_name)
        return self.returns.get(name) or self.returns.get(name.lower())

    def _prefixes(self) -> tuple[str, ...]:
        return ("_".join(self.view.parts) + "_", self.view.name + "_")


def declared_functions(relation: Relation, options: Options) -> DeclaredFunctions:
    """Reads the ``functions`` property: ``NAME:class.Name``, separated by blanks or commas."""
    properties = {key.lower(): value for key, value in relation.properties.items()}
    classes: dict[str, str] = {}
    for entry in _SEPARATORS.split(properties.get("functions", "")):
        name, colon, class_name = entry.partition(":")
        if colon and name and class_name:
            classes[name.lower()] = class_name
    return DeclaredFunctions(relation.name, classes, options.udfs)
