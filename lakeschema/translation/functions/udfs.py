"""The facts about user-defined functions that a view's properties declare, and the deployment states.

The property ``functions`` names classes; ``dependencies`` names the artifacts with the classes. Both
are untrusted text: names are looked up, compared and printed, but no class is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.functions.artifacts import parse_artifact, split_dependencies
from lakeschema.translation.model.errors import UdfResolverFailed
from lakeschema.translation.model.interface import Options, ResolverFailure, UdfAnswer, UdfReturn
from lakeschema.translation.plan.operators import UserDefined

MAX_CLASS_NAME = 500
"""The maximum length in characters; an entry with a longer class name is malformed."""

_SEPARATORS = re.compile(r"[\s,;]+")
_ENTRY = re.compile(r"(\w+):([\w$]+(?:\.[\w$]+)*)")
_WORDS = re.compile(r"\w+")
_NO_ANSWERS: Mapping[str, UdfAnswer] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class DeclaredFunctions:
    """The user-defined functions that one view may call.

    Attributes:
        classes: class names by the view's function names in lower case.
        malformed: the entries of the property that declare no function, as the property has them.
        dependencies: the view's dependencies, as the property has them.
        returns: the deployment's static entries, by class or by a function's own name.
        answers: the answers of the deployment's resolver, by class.
    """

    view: RelationName
    classes: Mapping[str, str]
    malformed: tuple[str, ...]
    dependencies: tuple[str, ...]
    returns: Mapping[str, UdfReturn]
    answers: Mapping[str, UdfAnswer]

    def class_of(self, name: str) -> str | None:
        """The class of a called function; ``name`` may begin with the view's name. None if undeclared."""
        declared = self._declared(name)
        return None if declared is None else self.classes[declared]

    def called(self, name: str) -> UserDefined:
        """The declaration to store in a call's operator. Its class may be missing, as in the view."""
        declared = self._declared(name)
        if declared is None:
            return UserDefined(self.view, name.lower(), None, ())
        return UserDefined(self.view, declared, self.classes[declared], self.dependencies)

    def return_of(self, name: str) -> UdfReturn | None:
        """The return type that the deployment states for a function's class, or else for its name.

        Raises:
            UdfResolverFailed: there is no static entry, and the resolver could not answer.
        """
        class_name = self.class_of(name)
        if class_name is None:
            return self.returns.get(name) or self.returns.get(name.lower())
        found = self.returns.get(class_name) or self.answers.get(class_name)
        if isinstance(found, ResolverFailure):
            raise UdfResolverFailed(class_name, found.reason)
        return found

    def _declared(self, name: str) -> str | None:
        """The name in ``functions`` that a call means; ``name`` may begin with the view's name."""
        if not self.classes:
            return None
        lower = name.lower()
        if lower in self.classes:
            return lower
        for prefix in prefixes(self.view):
            if lower.startswith(prefix) and lower.removeprefix(prefix) in self.classes:
                return lower.removeprefix(prefix)
        return None


def prefixes(view: RelationName) -> tuple[str, ...]:
    """The prefixes of function names, which keep the versions of nested views apart."""
    return ("_".join(view.parts) + "_", view.name + "_")


def declared_functions(relation: Relation, options: Options) -> DeclaredFunctions:
    """Reads the ``functions`` property: ``NAME:class.Name``, separated by spaces or commas.

    An entry in another form declares no function, and neither does a name with two classes.
    """
    classes, malformed = _read_functions(_property(relation, "functions"))
    return DeclaredFunctions(
        relation.name,
        classes,
        malformed,
        split_dependencies(_property(relation, "dependencies")),
        options.udfs,
        resolver_answers(relation, options),
    )


def resolver_answers(relation: Relation, options: Options) -> Mapping[str, UdfAnswer]:
    """The answers of the deployment's resolver, by class.

    The resolver is called for declared classes without a static entry, if the view's text mentions
    their function. Its answers are inputs of the derivation, like static entries.
    """
    resolver, view = options.udf_resolver, relation.view
    if resolver is None or view is None:
        return _NO_ANSWERS
    classes, _ = _read_functions(_property(relation, "functions"))
    if not classes:
        return _NO_ANSWERS
    words = {word for text in (view.text, view.original_text) for word in _words(text or "")}
    mentioned = {
        class_name
        for name, class_name in classes.items()
        if name in words or any(prefix + name in words for prefix in prefixes(relation.name))
    }
    dependencies = tuple(
        str(artifact).removeprefix("ivy://")
        for entry in split_dependencies(_property(relation, "dependencies"))
        if (artifact := parse_artifact(entry)) is not None
    )
    asked = {name: resolver(name, dependencies) for name in sorted(mentioned - set(options.udfs))}
    return {name: answer for name, answer in asked.items() if answer is not None}


def _words(text: str) -> Iterator[str]:
    return (found[0] for found in _WORDS.finditer(text.lower()))


def _property(relation: Relation, name: str) -> str:
    """A property's value; Hive ignores the case of property names."""
    return next((v for key, v in relation.properties.items() if key.lower() == name), "")


def _read_functions(text: str) -> tuple[Mapping[str, str], tuple[str, ...]]:
    classes: dict[str, str] = {}
    malformed: dict[str, None] = {}
    contradicted: set[str] = set()
    for entry in _SEPARATORS.split(text):
        found = _ENTRY.fullmatch(entry)
        if found is None or len(found[2]) > MAX_CLASS_NAME:
            malformed[entry] = None
        elif classes.setdefault(found[1].lower(), found[2]) != found[2]:
            malformed[entry] = None
            contradicted.add(found[1].lower())
    malformed.pop("", None)
    kept = {name: class_ for name, class_ in classes.items() if name not in contradicted}
    return kept, tuple(malformed)
