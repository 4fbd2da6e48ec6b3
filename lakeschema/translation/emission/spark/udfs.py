"""Assigns unique names to the functions that an emitted query calls and Spark lacks."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from types import MappingProxyType

from lakeschema.translation.emission.spark.from_hive import classes as hive_classes
from lakeschema.translation.emission.spark.from_hive.classes import HiveClass
from lakeschema.translation.emission.spark.text import quoted
from lakeschema.translation.emission.spark.udf_rules import map_to_spark
from lakeschema.translation.functions.artifacts import Artifact, parse_artifact
from lakeschema.translation.functions.udfs import prefixes
from lakeschema.translation.model.errors import TooLarge, UnsupportedFunction
from lakeschema.translation.model.interface import HiveFunctions, Options, SparkUdfRule
from lakeschema.translation.plan.operators import UserDefined

MAX_DEPENDENCIES = 200
"""The maximum number of a view's dependencies, because each of its functions lists all of them."""

_NO_NAME = re.compile(r"\W")


@dataclass(frozen=True, slots=True, order=True)
class SparkUdf:
    """A function to register: ``artifacts`` are Ivy addresses, and one has the class."""

    name: str
    class_name: str
    artifacts: tuple[str, ...]


_NONE_TAKEN: Mapping[str, SparkUdf] = MappingProxyType({})


class SparkFunctions:
    """Assigns names while a query is written: ``database_view_function`` and ``hive$function``.

    Functions that a view declares have no ``$``, so the two kinds never collide.

    Args:
        rules: the rules that replace declared classes.
        taken: the functions that are registered already, by name; only the same function may reuse
            a name.
        refused: the names of functions that views may not call.
        hive_functions: whether Hive's classes also replace those of Spark's functions that differ.
    """

    def __init__(
        self,
        rules: Sequence[SparkUdfRule] = (),
        taken: Mapping[str, SparkUdf] = _NONE_TAKEN,
        refused: Collection[str] = (),
        hive_functions: HiveFunctions = HiveFunctions.BUILT_IN,
    ) -> None:
        self._prefers_hives = hive_functions is HiveFunctions.OWN_CLASS
        self._rules = rules
        self._taken = taken
        self._refused = refused
        self._names: dict[str, SparkUdf] = {}
        self._read: dict[tuple[str, ...], tuple[Artifact | str, ...]] = {}
        self._given: dict[UserDefined, SparkUdf] = {}
        self._hives: dict[str, SparkUdf] = {}

    @classmethod
    def of(cls, options: Options) -> SparkFunctions:
        """Names for one query, with nothing registered yet."""
        return cls(options.spark_udfs, hive_functions=options.hive_functions)

    @property
    def given(self) -> tuple[SparkUdf, ...]:
        """The assigned functions, ordered by name."""
        return tuple(sorted({*self._given.values(), *self._hives.values()}))

    def check(self, name: str) -> None:
        """Refuses a function that views may not call.

        Raises:
            UnsupportedFunction: the name is in ``refused``.
        """
        if name.lower() in self._refused:
            raise UnsupportedFunction(name, "is refused: it runs any Java method")

    def call_name(self, udf: UserDefined) -> str:
        """The function's name as text; without a class it is the engine's own function.

        Raises:
            TooLarge: its view depends on more than ``MAX_DEPENDENCIES`` artifacts.
            TranslationError: see ``map_to_spark``.
        """
        self.check(udf.name)
        if udf.class_name is None:
            return ".".join(map(quoted, udf.name.split(".")))
        found = self._given.get(udf)
        if found is None:
            found = self._given[udf] = self._name(udf, udf.class_name)
        return quoted(found.name)

    def hives_name(self, function: str) -> str | None:
        """The name under which Hive's class runs a function.

        None if Spark's own function is used.
        """
        found = self._hives_class(function)
        if found is None:
            return None
        made = SparkUdf(f"hive${function}", found.name, found.artifacts)
        self._hives[function] = made
        return quoted(made.name)

    def is_of_hives_class(self, function: str) -> bool:
        return self._hives_class(function) is not None

    def _hives_class(self, function: str) -> HiveClass | None:
        found = hive_classes.ALONE.get(function)
        if found is None and self._prefers_hives:
            found = hive_classes.BESIDE_SPARKS.get(function)
        return found

    def _name(self, udf: UserDefined, class_name: str) -> SparkUdf:
        dependencies = self._artifacts(udf.dependencies)
        chosen, artifacts = map_to_spark(udf, class_name, dependencies, self._rules)
        prefix = prefixes(udf.view)[0]
        wanted = _NO_NAME.sub("_", prefix + udf.name.removeprefix(prefix))
        for number in count(1):
            # Different parts with underscores may give the same name.
            made = SparkUdf(wanted if number == 1 else f"{wanted}_{number}", chosen, artifacts)
            known = self._taken.get(made.name) or self._names.get(made.name)
            if known is None or known == made:
                break
        self._names[made.name] = made
        return made

    def _artifacts(self, dependencies: tuple[str, ...]) -> tuple[Artifact | str, ...]:
        """A view's artifacts, cached for all its functions; other entries stay as they are."""
        found = self._read.get(dependencies)
        if found is None:
            if len(dependencies) > MAX_DEPENDENCIES:
                raise TooLarge(
                    f"the view depends on {len(dependencies)} artifacts,"
                    f" the maximum is {MAX_DEPENDENCIES}",
                    hint="list in 'dependencies' only the artifacts that contain its functions",
                )
            # One artifact may be written in two ways.
            parsed = (parse_artifact(entry) or entry for entry in dependencies)
            found = self._read[dependencies] = tuple(dict.fromkeys(parsed))
        return found
