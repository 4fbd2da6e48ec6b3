"""A function's name → calls of it: what its engine documents, and what its row in our tables says.

From these seeds others are made by putting other types and values in one place at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from random import Random
from types import MappingProxyType
from typing import Final

from benchmarks.aggregate_calls import BESIDES
from benchmarks.probe_values import columns_of
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.functions.binding import find
from lakeschema.translation.functions.signature import Kind
from tests.lakeschema.translation.asked_hive import CALLS as HIVES
from tests.lakeschema.translation.asked_spark_scalars import CALLS as SPARKS
from tests.lakeschema.translation.asked_types import argument_lists


@dataclass(frozen=True, slots=True)
class Seed:
    """A call: ``form`` has ``{}`` where each of the arguments stands."""

    form: str
    arguments: tuple[str, ...]

    def with_argument(self, place: int, text: str) -> Seed:
        changed = (*self.arguments[:place], text, *self.arguments[place + 1 :])
        return Seed(self.form, changed)

    def __str__(self) -> str:
        return self.form.format(*self.arguments)


SYNTAX: Final[Mapping[str, Sequence[tuple[str, Sequence[str]]]]] = MappingProxyType(
    {
        "and": (("{} AND {}", ("bo", "bo2")),),
        "or": (("{} OR {}", ("bo", "bo2")),),
        "not": (("NOT {}", ("bo",)),),
        "between": (("{} BETWEEN {} AND {}", ("i", "i2", "i3")),),
        "case": (
            ("CASE WHEN {} THEN {} ELSE {} END", ("bo", "i", "i2")),
            ("CASE {} WHEN {} THEN {} END", ("i", "1", "s")),
        ),
        "when": (("CASE WHEN {} THEN {} END", ("bo", "i")),),
        "cast": tuple(
            (f"CAST({{}} AS {type_})", ("s",))
            for type_ in ("INT", "STRING", "DATE", "TIMESTAMP", "DECIMAL(10,2)", "BINARY")
        ),
        "div": (("{} DIV {}", ("i", "i2")),),
        "in": (("{} IN ({}, {})", ("i", "i2", "1")),),
        **{
            name: ((f"{{}} {name.upper()} {{}}", ("s", "s2")),)
            for name in ("like", "ilike", "rlike", "regexp")
        },
        **{
            name: ((f"{name}({{}}) WITHIN GROUP (ORDER BY {{}})", ("0.5", "d")),)
            for name in ("percentile_cont", "percentile_disc")
        },
    }
)
"""Names that are not, or not only, called as ``name(arguments)``."""

_NESTED: Final = (
    *("array(i, i2)", "array(s, s2)", "map(s, i)", "named_struct('x', i, 'y', s)"),
    *("array(array(i))", "array(named_struct('k', s, 'v', i))", "split(s, ',')"),
)
_LITERALS: Final = (
    *("NULL", "0", "-1", "1", "100", "''", "'a'", "'UTC'", "1.5", "1.5D", "true", "5L", "array()"),
    *("10", "3S", "2Y", "2.5F", "-7.25", "'YEAR'", "'yyyy-MM-dd'", "map()"),
    *("DATE '2020-02-29'", "INTERVAL '1' DAY", "INTERVAL '1' MONTH", "X'61'"),
)
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
_NAME = re.compile(r"[A-Za-z_]\w*")
_WORDS = frozenset({"null", "true", "false"})


def calls(name: str, dialect: Dialect, documentation: str, count: int) -> Sequence[str]:
    """Texts of at most ``count`` different calls, the same each time."""
    columns = columns_of(dialect)
    seeds = _without_strangers(name, tuple(_seeds(name, dialect, documentation)), columns)
    wide = tuple(_over_columns(seed, columns) for seed in seeds)
    first = [str(seed) for seed in (*seeds[: count // 2], *wide[: count // 4])]
    bases = _various((*seeds, *wide))
    random = Random(name)
    texts = dict.fromkeys(first)
    for text in islice(_mutants(bases, columns, random), count * 10):
        if len(texts) >= count:
            break
        texts[text] = None
    return [text for text in texts if "=>" not in text][:count]


def _seeds(name: str, dialect: Dialect, documentation: str) -> Iterator[Seed]:
    for form, arguments in (*SYNTAX.get(name, ()), *BESIDES.get(name, ())):
        yield Seed(form, tuple(arguments))
    if name in SYNTAX and name not in {"rlike", "regexp", "like", "ilike"}:
        return

    yield from _written(name, HIVES if dialect is Dialect.HIVE else SPARKS)
    yield from _documented(name, documentation)
    function = find(name, dialect)
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
    """Calls in the documentation's examples; of a table function the FROM that it stands in."""
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
    """Documented columns are of tables of their own: a column of ours stands for each."""
    random = Random(f"{name} columns")
    kept: dict[Seed, None] = {}
    for seed in seeds:
        changed = seed
        for place, argument in enumerate(seed.arguments):
            plain = argument.upper().removeprefix("DISTINCT ")
            if (
                _NAME.fullmatch(plain)
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


def _various(seeds: Sequence[Seed]) -> Sequence[Seed]:
    """Some of each number of arguments."""
    chosen: dict[int, list[Seed]] = {}
    for seed in seeds:
        chosen.setdefault(len(seed.arguments), []).append(seed)
    return [seed for found in chosen.values() for seed in (*found[:3], *found[-3:])]


def _mutants(bases: Sequence[Seed], columns: Mapping[str, str], random: Random) -> Iterator[str]:
    places = [
        (seed, place)
        for seed in bases
        for place, text in enumerate(seed.arguments)
        if "->" not in text
    ]
    if not places:
        return
    palette = [*columns, *(f"{name}2" for name in columns), *_NESTED, *_LITERALS]
    if "tn" not in columns:
        palette = [*columns, *(f"{name}2" for name in columns), *_NESTED, *_LITERALS[:-4]]
    for seed, place in chain.from_iterable(iter(lambda: places, None)):
        # Some arguments must be constants: a literal becomes another one in half of the cases.
        is_literal = not _NAME.match(seed.arguments[place])
        chosen = _LITERALS if is_literal and random.random() < 0.5 else palette
        yield str(seed.with_argument(place, random.choice(chosen)))
