"""The functions of Java that a script declares before it calls them, each under one alias."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lakeschema.translation.emission.pig.names import Aliases
from lakeschema.translation.emission.pig.texts import string

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


class PigFunctions:
    """Gives out aliases while a script is written."""

    def __init__(self, aliases: Aliases) -> None:
        self._aliases = aliases
        self._given: dict[str, str] = {}

    @property
    def defines(self) -> tuple[str, ...]:
        """The statements that declare what was given out, in order of first use."""
        return tuple(f"DEFINE {alias} {what};" for what, alias in self._given.items())

    def hive(self, adapter: str, name: str, constants: Sequence[str | None] = ()) -> str:
        """The alias of a function of Hive's.

        Args:
            adapter: Pig's class that calls it, ``HiveUDF`` and its like.
            name: as Hive knows it.
            constants: the literal of each argument that Hive has to know beforehand, else None.
        """
        arguments = [string(name)]
        if any(constant is not None for constant in constants):
            shown = ", ".join("null" if each is None else each for each in constants)
            arguments.append(string(f"({shown})"))
        return self.declared(f"hive_{_named(name)}", f"{adapter}({', '.join(arguments)})")

    def declared(self, wanted: str, what: str) -> str:
        """The alias of a class with its arguments."""
        if what not in self._given:
            self._given[what] = self._aliases.fresh(wanted)
        return self._given[what]


def _named(name: str) -> str:
    if _WORD.fullmatch(name):
        return name
    return "_".join(_SYMBOLS.get(character, "_") for character in name)
