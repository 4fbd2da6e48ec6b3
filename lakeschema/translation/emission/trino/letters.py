"""Writes functions of letter case: Trino maps each letter, Java the whole text.

In Java the capital of ß, and of some other letters, is two letters, and a final Σ becomes ς. Texts
with such letters fail at run time; only the common ß is replaced.
"""

from __future__ import annotations

from collections.abc import Sequence

from lakeschema.translation.emission.trino.given import Given, bound
from lakeschema.translation.emission.trino.text import fails

_TWO_IN_CAPITALS = "ŉǰΐΰևẖ-ẚὐ-ῼﬀ-ﬗ"
_OTHER_IN_SMALL = r"İ|\p{L}[^\p{L}\s]*Σ(?!\p{L})"
# Words that begin with a letter whose capital and title forms differ.
_OTHER_IN_TITLES = rf"(?:^| )[ßǄ-ǌǱ-ǳ{_TWO_IN_CAPITALS}]|{_OTHER_IN_SMALL}"
_SMALL = (
    f"CASE WHEN regexp_like({{0}}, '{_OTHER_IN_SMALL}') THEN"
    f" {fails('a last Σ, or İ, in small letters', 'varchar')} ELSE lower({{0}}) END"
)


def capitals(given: Given) -> str:
    """Writes UPPER."""
    if (given.constant(0) or "ß").isascii():
        return given.fill("upper({0})")
    return given.fill(
        f"CASE WHEN regexp_like({{0}}, '[{_TWO_IN_CAPITALS}]') THEN"
        f" {fails('letters that become two in capitals', 'varchar')}"
        " ELSE upper(replace({0}, 'ß', 'SS')) END"
    )


def small_letters(given: Given, index: int = 0) -> str:
    """Writes LOWER of an argument."""
    if (given.constant(index) or "Σ").isascii():
        return f"lower({given.texts[index]})"

    def fill(template: str, texts: Sequence[str]) -> str:
        return template.replace("{0}", texts[0])

    return bound(_SMALL, fill, (given.arguments[index],), (given.texts[index],))


def titles(given: Given) -> str:
    """Writes Spark's INITCAP, for which only blanks separate words."""
    made = "regexp_replace(lower({0}), '(^| )([^ ])', x -> x[1] || upper(x[2]))"
    if (given.constant(0) or "ß").isascii():
        return given.fill(made)
    refused = fails("letters that have others in titles", "varchar")
    return given.fill(
        f"CASE WHEN regexp_like({{0}}, '{_OTHER_IN_TITLES}') THEN {refused} ELSE {made} END"
    )
