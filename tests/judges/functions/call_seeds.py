"""A function's name → calls of it, from the engine's documentation and from our tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Final

from lakeschema.catalog.relations import Dialect
from lakeschema.translation.functions.binding import find
from lakeschema.translation.functions.signature import Kind
from tests.judges.functions.nested_calls import nested_calls
from tests.judges.functions.probe_values import columns_of
from tests.judges.functions.written_calls import BESIDES, SYNTAX
from tests.lakeschema.translation.asked_hive import CALLS as HIVES
from tests.lakeschema.translation.asked_spark_avro import CALLS as AVROS
from tests.lakeschema.translation.asked_spark_scalars import CALLS as SPARKS
from tests.lakeschema.translation.asked_types import argument_lists


@dataclass(frozen=True, slots=True)
class Seed:
    """A call: ``form`` has ``{}`` in place of each argument."""

    form: str
    arguments: tuple[str, ...]

    def with_argument(self, place: int, text: str) -> Seed:
        changed = (*self.arguments[:place], text, *self.arguments[place + 1 :])
        return Seed(self.form, changed)

    def __str__(self) -> str:
        return self.form.format(*self.arguments)


@dataclass(frozen=True, slots=True)
class Seeds:
    """Calls as they were written, and the same with a column for each literal."""

    written: tuple[Seed, ...]
    over_columns: tuple[Seed, ...]


_KINDS: Final = (
    (re.compile(r"'.*'", re.DOTALL), "s"),
    (re.compile(r"-?[0-9]+L"), "b"),
    (re.compile(r"-?[0-9]+"), "i"),
    (re.compile(r"-?[0-9]*\.[0-9]+"), "de"),
    (re.compile(r"true|false", re.IGNORECASE), "bo"),
    (re.compile(r"(?:to_)?date\W.*", re.IGNORECASE), "da"),
    (re.compile(r"(?:to_)?timestamp\W.*", re.IGNORECASE), "ts"),
    (re.compile(r"timestamp_ntz\W.*", re.IGNORECASE), "tn"),
    (re.compile(r"x'.*'", re.IGNORECASE), "bi"),
    (re.compile(r"array\('.*\)", re.IGNORECASE), "a_s"),
    (re.compile(r"array\(\s*[-0-9].*\)", re.IGNORECASE), "ai"),
    (re.compile(r"map\('.*\)", re.IGNORECASE), "m"),
    (re.compile(r"map\([0-9].*\)", re.IGNORECASE), "mi"),
    (re.compile(r"(?:named_)?struct\(.*\)", re.IGNORECASE), "st"),
)
NAME = re.compile(r"[A-Za-z_]\w*")
_WORDS = frozenset({"null", "true", "false"})


def seeds_of(name: str, dialect: Dialect, documentation: str) -> Seeds:
    """Calls from the engine's documentation, from our table, and written by hand."""
    columns = columns_of(dialect)
    written = _without_strangers(name, tuple(_seeds(name, dialect, documentation)), columns)
    return Seeds(written, tuple(_over_columns(seed, columns) for seed in written))


def call(name: str, *arguments: str) -> Seed:
    return Seed(_form(name, len(arguments)), arguments)


def kind_of(text: str) -> str | None:
    """The name of a column that has the literal's type."""
    return next((kind for pattern, kind in _KINDS if pattern.fullmatch(text)), None)


def _seeds(name: str, dialect: Dialect, documentation: str) -> Iterator[Seed]:
    nested = tuple(nested_calls(name)) if dialect is Dialect.HIVE else ()
    for form, arguments in (*SYNTAX.get(name, ()), *BESIDES.get(name, ()), *nested):
        yield Seed(form, tuple(arguments))
    if name in SYNTAX and name not in {"rlike", "regexp", "like", "ilike"}:
        return
    function = find(name, dialect)
    is_aggregate = function is not None and function.kind is Kind.AGGREGATE
    if is_aggregate and any(form.startswith("SELECT ") for form, _ in nested):
        # Bytes that are no sketch are an error, and each error costs Hive several jobs.
        return

    yield from _written(name, HIVES if dialect is Dialect.HIVE else (*SPARKS, *AVROS))
    yield from _documented(name, documentation)
    if function is not None:
        over = " OVER (ORDER BY r)" if function.kind is Kind.WINDOW else ""
        for arguments in islice(argument_lists(function.parameters), 12):
            yield Seed(_form(name, len(arguments)) + over, tuple(arguments))
    elif "Examples:" not in documentation:
        for count in range(4):
            yield Seed(_form(name, count), ("s", "i", "i2")[:count])


def _form(name: str, count: int) -> str:
    return f"{name}({', '.join(['{}'] * count)})"


def _written(name: str, texts: Sequence[str]) -> Iterator[Seed]:
    for text in texts:
        if text.startswith(f"{name}("):
            arguments = _split(text.removeprefix(f"{name}("))
            if arguments is not None:
                yield Seed(_form(name, len(arguments)), arguments)


def _documented(name: str, documentation: str) -> Iterator[Seed]:
    """Calls in the documentation's examples; for a table function, with its FROM."""
    _, _, examples = documentation.partition("Examples:")
    call = re.compile(rf"(?<![\w.`]){re.escape(name)}\s*\(", re.IGNORECASE)
    for statement in re.findall(r">?\s*(SELECT\b[^;]*);", examples, re.IGNORECASE):
        for found in call.finditer(statement):
            arguments = _split(statement[found.end() :])
            if arguments is not None:
                over = " OVER (ORDER BY r)" if re.search(r"\bOVER\b", statement) else ""
                yield Seed(_form(name, len(arguments)) + over, arguments)


def _split(text: str) -> tuple[str, ...] | None:
    """The arguments up to the parenthesis that closes the call."""
    parts, depth, start, quote = [], 0, 0, ""
    for place, character in enumerate(text):
        if quote:
            quote = "" if character == quote and text[place - 1] != "\\" else quote
        elif character in "'\"":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}" and depth:
            depth -= 1
        elif character == ")" or (character == "," and not depth):
            parts.append(text[start:place].strip())
            start = place + 1
            if character == ")":
                return tuple(parts) if parts != [""] else ()
    return None


def _without_strangers(
    name: str, seeds: Sequence[Seed], columns: Mapping[str, str]
) -> tuple[Seed, ...]:
    """Replaces columns of the documentation's tables by columns of ours."""
    random = Random(f"{name} columns")
    kept: dict[Seed, None] = {}
    for seed in seeds:
        changed = seed
        for place, argument in enumerate(seed.arguments):
            plain = argument.upper().removeprefix("DISTINCT ")
            if (
                NAME.fullmatch(plain)
                and plain.lower() not in _WORDS
                and argument.rstrip("23") not in columns
            ):
                changed = changed.with_argument(place, random.choice(list(columns)))
        kept[changed] = None
    return tuple(kept)


def _over_columns(seed: Seed, columns: Mapping[str, str]) -> Seed:
    """The call with a column of the same type for each literal."""
    arguments = tuple(
        next(
            (kind for pattern, kind in _KINDS if pattern.fullmatch(text) and kind in columns), text
        )
        for text in seed.arguments
    )
    spread = tuple(
        text + ("", "2", "3")[place % 3] if text in columns else text
        for place, text in enumerate(arguments)
    )
    return Seed(seed.form, spread)
