"""The functions that an emitted query calls and Spark does not have, each under a name of its own."""

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
"""Of a view whose functions are emitted: each function lists them all."""

_NO_NAME = re.compile(r"\W")


@dataclass(frozen=True, slots=True, order=True)
class SparkUdf:
    """What has to be registered: ``artifacts`` are Ivy addresses, of which one holds the class."""

    name: str
    class_name: str
    artifacts: tuple[str, ...]


_NONE_TAKEN: Mapping[str, SparkUdf] = MappingProxyType({})


class SparkFunctions:
    """Gives out names while a query is written: ``database_view_function``, and ``hive$function``.

    Those that a view declares hold no ``$``, so the two kinds never collide.

    Args:
        rules: which class stands for a declared one.
        taken: what is registered already under a name; such a name goes only to the same function.
        refused: names of functions that a view may not call.
        hive_functions: whether Hive's classes stand for its functions where Spark's own differ, too.
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
        """Of one query; nothing is registered yet."""
        return cls(options.spark_udfs, hive_functions=options.hive_functions)

    @property
    def given(self) -> tuple[SparkUdf, ...]:
        """In order of name."""
        return tuple(sorted({*self._given.values(), *self._hives.values()}))

    def check(self, name: str) -> None:
        """Refuses a call of a function that may not be called.

        Raises:
            UnsupportedFunction: it is one of ``refused``.
        """
        if name.lower() in self._refused:
            raise UnsupportedFunction(name, "is refused: it runs any Java method")

    def call_name(self, udf: UserDefined) -> str:
        """The function's name as text; one without a class is the engine's, under its own name.

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
        """The name as text of one of Hive's functions, run by Hive's class; None if Spark's own is."""
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
            # Parts that hold underscores may join to the same name.
            made = SparkUdf(wanted if number == 1 else f"{wanted}_{number}", chosen, artifacts)
            known = self._taken.get(made.name) or self._names.get(made.name)
            if known is None or known == made:
                break
        self._names[made.name] = made
        return made

    def _artifacts(self, dependencies: tuple[str, ...]) -> tuple[Artifact | str, ...]:
        """Once for all functions of a view; an entry that is not an artifact stays as it is."""
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
