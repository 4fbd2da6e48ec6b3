"""Replaces declared classes and artifacts by those in the deployment's rules for Spark."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lakeschema.translation.functions.artifacts import Artifact, parse_artifact
from lakeschema.translation.functions.udfs import MAX_CLASS_NAME
from lakeschema.translation.model.errors import MalformedDependency, UnsupportedFunction
from lakeschema.translation.model.interface import SparkUdfRule
from lakeschema.translation.model.patterns import match_pattern
from lakeschema.translation.plan.operators import UserDefined

_PLACE = re.compile(r"\{([^{}]*)\}")
_CLASS = re.compile(r"[\w$]+(?:\.[\w$]+)*")


def rule_problem(rule: SparkUdfRule) -> str | None:
    """What is wrong with a rule; None if the rule is valid."""
    if rule.spark_class is None and rule.spark_dependency is None:
        return "it replaces neither the class nor the dependency"
    stars = rule.class_pattern.count("*")
    allowed = {str(number) for number in range(1, stars + 1)} | {"package", "name"}
    problem = _unknown_places(rule.spark_class or "", allowed)
    if problem is not None:
        return problem
    stars = (rule.dependency_pattern or "").count("*")
    return _unknown_places(
        rule.spark_dependency or "", {str(number) for number in range(1, stars + 1)}
    )


def _unknown_places(template: str, allowed: set[str]) -> str | None:
    for name in _PLACE.findall(template):
        if name not in allowed:
            known = ", ".join(f"{{{name}}}" for name in sorted(allowed)) or "nothing"
            return f"{template!r} has {{{name}}}, but its pattern defines {known}"
    return None


def map_to_spark(
    udf: UserDefined,
    class_name: str,
    dependencies: Sequence[Artifact | str],
    rules: Sequence[SparkUdfRule],
) -> tuple[str, tuple[str, ...]]:
    """The class to register and the addresses of its artifacts. Without a rule, both are as declared.

    Args:
        udf: the function, for errors.
        class_name: the declared class.
        dependencies: the dependencies of the function's view; a malformed dependency is its text.
        rules: the deployment's rules.

    Raises:
        MalformedDependency: a dependency of the view is not an artifact.
        UnsupportedFunction: a rule produces an invalid class name or artifact.
    """
    for rule in rules:
        found = _apply(rule, udf, class_name, dependencies)
        if found is not None:
            return found
    return class_name, tuple(map(str, _artifacts(dependencies, udf)))


def _apply(
    rule: SparkUdfRule, udf: UserDefined, class_name: str, dependencies: Sequence[Artifact | str]
) -> tuple[str, tuple[str, ...]] | None:
    stars = match_pattern(rule.class_pattern, class_name)
    if stars is None:
        return None
    package, _, name = class_name.rpartition(".")
    chosen = class_name
    if rule.spark_class is not None:
        chosen = _fill(rule.spark_class, {**stars, "package": package, "name": name})
        if not _CLASS.fullmatch(chosen) or len(chosen) > MAX_CLASS_NAME:
            raise _invalid_result(udf, chosen, "class name")
    if rule.dependency_pattern is None and rule.spark_dependency is not None:
        return chosen, (_address(rule.spark_dependency, "", udf),)
    artifacts = _artifacts(dependencies, udf)
    if rule.dependency_pattern is None:
        return chosen, tuple(map(str, artifacts))
    fits = [match_pattern(rule.dependency_pattern, artifact.coordinates) for artifact in artifacts]
    if all(stars is None for stars in fits):
        return None
    addresses = [
        str(artifact)
        if stars is None or rule.spark_dependency is None
        else _address(_fill(rule.spark_dependency, stars), artifact.query, udf)
        for artifact, stars in zip(artifacts, fits, strict=True)
    ]
    return chosen, tuple(dict.fromkeys(addresses))


def _fill(template: str, parts: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda place: parts[place[1]], template)


def _artifacts(dependencies: Sequence[Artifact | str], udf: UserDefined) -> Sequence[Artifact]:
    artifacts = [entry for entry in dependencies if isinstance(entry, Artifact)]
    if len(artifacts) == len(dependencies):
        return artifacts
    malformed = next(entry for entry in dependencies if isinstance(entry, str))
    raise MalformedDependency(
        malformed,
        udf.name,
        hint=(
            "write the view's property 'dependencies' as organisation:module:version,"
            " with ivy:// before it or not"
        ),
    )


def _address(template: str, query: str, udf: UserDefined) -> str:
    """A rule's artifact. Its query, even an empty one, replaces the original's query."""
    text, mark, own = template.partition("?")
    chosen = own if mark else query
    artifact = parse_artifact(f"{text}?{chosen}" if chosen else text)
    if artifact is None:
        raise _invalid_result(udf, template, "artifact")
    return str(artifact)


def _invalid_result(udf: UserDefined, made: str, wanted: str) -> UnsupportedFunction:
    return UnsupportedFunction(
        udf.name,
        f"is mapped to {made!r:.100} on Spark, which is not a valid {wanted}",
        hint="correct the rule in the deployment's spark_udfs",
    )
