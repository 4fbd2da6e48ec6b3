"""The Java functions that a script declares before calling them, each under one alias."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lakeschema.translation.emission.pig.names import Aliases
from lakeschema.translation.emission.pig.texts import string
from lakeschema.translation.model.errors import UnsupportedFunction
from lakeschema.translation.plan.operators import UserDefined

HIVE_FUNCTION: Final = "HiveUDF"
HIVE_AGGREGATE: Final = "HiveUDAF"
HIVE_GENERATOR: Final = "HiveUDTF"
_WORD: Final = re.compile(r"\w+")
_SYMBOLS: Final = {
    "=": "equal",
    "<": "less",
    ">": "greater",
    "+": "plus",
    "-": "minus",
    "*": "times",
    "/": "divide",
    "%": "remainder",
    "&": "and",
    "|": "or",
    "^": "xor",
    "~": "not",
}


@dataclass(frozen=True, slots=True, order=True)
class PigUdf:
    """A class that Pig must have on its class path; ``artifacts`` has the artifacts that the view names."""

    class_name: str
    artifacts: tuple[str, ...]


class PigFunctions:
    """Assigns aliases to Java functions while a script is written."""

    def __init__(self, aliases: Aliases) -> None:
        self._aliases = aliases
        self._given: dict[str, str] = {}
        self._udfs: set[PigUdf] = set()

    @property
    def udfs(self) -> tuple[PigUdf, ...]:
        """The user-defined functions that the script calls."""
        return tuple(sorted(self._udfs))

    def user_defined(self, udf: UserDefined) -> str:
        """The alias of a Hive function that a view declares.

        Raises:
            UnsupportedFunction: the view names no class.
        """
        if udf.class_name is None:
            raise UnsupportedFunction(udf.name, "has no class that Pig could call")
        self._udfs.add(PigUdf(udf.class_name, udf.dependencies))
        return self.declared(udf.name, f"{HIVE_FUNCTION}({string(udf.class_name)})")

    @property
    def defines(self) -> tuple[str, ...]:
        """The statements that declare the functions, in order of first use."""
        return tuple(f"DEFINE {alias} {what};" for what, alias in self._given.items())

    def hive(self, adapter: str, name: str, constants: Sequence[str | None] = ()) -> str:
        """The alias of a Hive function.

        Args:
            adapter: Pig's class that calls the function, such as ``HiveUDF``.
            name: the function's name in Hive.
            constants: for each argument, the literal if Hive must know it in advance, else None.
        """
        arguments = [string(name)]
        if any(constant is not None for constant in constants):
            shown = ", ".join("null" if each is None else each for each in constants)
            arguments.append(string(f"({shown})"))
        return self.declared(f"hive_{_named(name)}", f"{adapter}({', '.join(arguments)})")

    def declared(self, wanted: str, what: str) -> str:
        """The alias of a class with its arguments; declares it at the first use."""
        if what not in self._given:
            self._given[what] = self._aliases.fresh(wanted)
        return self._given[what]


def _named(name: str) -> str:
    if _WORD.fullmatch(name):
        return name
    return "_".join(_SYMBOLS.get(character, "_") for character in name)
