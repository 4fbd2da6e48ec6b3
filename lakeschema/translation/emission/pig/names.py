"""Names of aliases and fields that Pig can read."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

_LEGAL: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_WORD: Final = re.compile(r"[A-Za-z0-9_]+")
_MAX_TOPIC: Final = 40

KEYWORDS: Final = frozenset(
    {
        *("all", "and", "any", "arrange", "as", "asc", "assert", "bag", "bigdecimal", "biginteger"),
        *("boolean", "bool", "by", "bytearray", "cache", "case", "chararray", "cogroup", "cross"),
        *("cube", "datetime", "define", "dense", "desc", "distinct", "double", "else", "end", "eq"),
        *("evaluate", "exec", "explain", "false", "filter", "flatten", "float", "foreach", "full"),
        *("generate", "group", "gt", "gte", "if", "import", "in", "inner", "input", "int", "into"),
        *("invoke", "is", "join", "left", "limit", "load", "long", "lt", "lte", "map", "mapreduce"),
        *("matches", "neq", "not", "null", "onschema", "or", "order", "otherwise", "outer"),
        *("output", "parallel", "partition", "rank", "register", "returns", "right", "rollup"),
        *("sample", "set", "ship", "split", "stderr", "stdin", "stdout", "store", "stream", "then"),
        *("through", "true", "tuple", "union", "using", "void", "when", "declare", "default"),
        *("realias", "bool_cond"),
    }
)
"""Words that the grammar reserves wherever a field's name may stand; lower-case."""

_COMMANDS: Final = frozenset(
    {
        *("aliases", "cat", "cd", "clear", "copyfromlocal", "copytolocal", "cp", "describe", "du"),
        *("dump", "e", "exec", "explain", "fs", "help", "history", "illustrate", "kill", "ls"),
        *("mkdir", "mv", "pwd", "quit", "q", "register", "rm", "rmf", "run", "scriptdone", "sh"),
        *("sql", "set", "log"),
    }
)
"""Words that are commands of Pig's shell at the beginning of a statement."""


def is_legal(name: str) -> bool:
    """Whether Pig's expressions can use the name for a field; other fields are read by position."""
    return _LEGAL.fullmatch(name) is not None and name.lower() not in KEYWORDS


def field_names(names: Sequence[str]) -> tuple[str, ...]:
    """A legal, lower-case and unique name for each column."""
    taken: set[str] = set()
    return tuple(_unique(_legal(name), taken) for name in names)


def _legal(name: str) -> str:
    words = "_".join(_WORD.findall(name.lower())).strip("_")
    if not words or not words[0].isalpha():
        words = f"c_{words}" if words else "c"
    return f"{words}_" if words in KEYWORDS else words


def _unique(name: str, taken: set[str]) -> str:
    found, number = name, 2
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    taken.add(found)
    return found


class Aliases:
    """Assigns names that no other alias or function in the script has."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {name.lower() for name in taken}

    def fresh(self, wanted: str) -> str:
        """The wanted name, made legal, with a number if it is taken."""
        legal = _legal(wanted)
        if legal in _COMMANDS:
            legal += "_"
        return _unique(legal, self._taken)


def topic(parts: Collection[str]) -> str:
    """A short name for a relation, from its tables."""
    return "_".join(dict.fromkeys(parts))[:_MAX_TOPIC].strip("_")
