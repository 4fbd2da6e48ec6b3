"""Texts on which a reader may take more than linear time, and a check that it does not.

Openings without their ends, pairs of tokens, beginnings of valid text and nested brackets, each repeated.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

SMALL, LARGE = 25_000, 100_000
"""Characters."""
MAX_GROWTH = 10.0
"""Of the time, for four times the text: a linear reader takes four times as long, a quadratic one 16 times."""
NEGLIGIBLE_SECONDS = 0.02
"""For ``LARGE``: even if it grew with the square, a megabyte would take two seconds."""

TOKENS = (
    *("'", '"', "`", "``", "''", '""', "\\", "\\'", '\\"', "--", "--\n", "#", "/*", "*/", "/**/"),
    *("/*+", "(", ")", "<", ">", "[", "]", "[[", "]]", "{", "}", ",", ";", ";\n", ".", ":", "::"),
    *(
        "a",
        "a ",
        "é",
        "1",
        "1.",
        "1e",
        ".5",
        "0x",
        "x'",
        "X'0",
        "N'",
        "n'",
        "r'",
        'r"',
        "b'",
        "u&'",
    ),
    *("U&'\\", "e'", "E'\\'", "q'[", "nq'{", "q'(", "q'<", "q'!", "_utf8'", "$", "$$", "$a$", "$1"),
    *("${", "${a}", "{{", "{{a}}", "}}", "{%", "%}", "{#", "$[", "$[a]", "@", "@@", ":a", "?", "|"),
    *(
        "||",
        "|>",
        "\n",
        "\r",
        " ",
        "\t",
        "\u2028",
        "\x00",
        "%",
        "*",
        "!",
        "=",
        "<=>",
        "-",
        "- ",
        "/",
    ),
    *(
        "~",
        "^",
        "&",
        "a.",
        "a,",
        "a:",
        "a=",
        "a(",
        "a[",
        "a<",
        "a b ",
        "a'",
        "'a'",
        "'a' ",
        "&amp;",
    ),
    *(
        "=>",
        "->",
        "(a)->",
        "<a ",
        "</",
        "<!--",
        "<a href='",
        '{"a":',
        '["a",',
        "\\u00",
        "\\(",
        "[^",
    ),
)
BEGINNINGS = (
    *("", "select ", "select 1 from a where ", "create view a.b as select ", "'", "/*", "struct<"),
    *(
        "create table a.b (a ",
        "row(",
        "alter table a.b ",
        "insert into a ",
        "begin ",
        "'{",
        "{",
        "[",
    ),
    *("create procedure p ", "select a from b join ", "with a as (select 1) ", "A = LOAD '"),
)
PHRASES = (
    *(
        "select ",
        "select 1 union ",
        "select (",
        "(select 1) union all ",
        "case when ",
        "case a ",
        "not ",
    ),
    *(
        "- ",
        "+ ",
        "exists (",
        "in (",
        "cast(a as ",
        "cast(",
        "a and ",
        "a or not ",
        "between a and ",
    ),
    *(
        "interval '1' day ",
        "interval 1 ",
        "date '2020-01-01' ",
        "from a join ",
        "from (select ",
        "a from ",
    ),
    *(
        "join b on ",
        "left join ",
        "lateral view explode(a) t as b ",
        "union all select a ",
        "over (",
        "a[1]",
    ),
    *(
        "with a as (",
        "with a as (select 1) ",
        "with a as (select 1), ",
        "select * from a; ",
        "begin ",
        "end ",
    ),
    *(
        "begin select 1; ",
        "if a then ",
        "declare a ",
        "set a = ",
        "use a; ",
        "create table a (a int); ",
    ),
    *(
        "create table a as select ",
        "create view a as ",
        "create temp table ",
        "insert into a ",
        "merge into a ",
    ),
    *(
        "values (1), ",
        "update a set ",
        "delete from a ",
        "drop table a; ",
        "alter table a add columns (a int); ",
    ),
    *(
        "create procedure p begin ",
        "create function f(a int) returns int return ",
        "return ",
        "call p(",
        "go\n",
    ),
    *(
        "struct<a:",
        "array<",
        "map<int,",
        "decimal(",
        "row(a ",
        "a:int,",
        "uniontype<",
        "interval ",
        "comment '",
    ),
    *(
        "a: int not null ",
        "timestamp with time zone ",
        "map(int, ",
        "tblproperties ('a'='b') ",
        "partition (a=1) ",
    ),
    *(
        "select a, ",
        "a as b, ",
        "group by a, ",
        "order by a, ",
        "|> select a ",
        "|> where a ",
        "a::int",
        "a.b.c",
    ),
    *(
        "A = LOAD 'a' USING org.apache.hive.hcatalog.pig.HCatLoader(); ",
        "B = FOREACH A GENERATE a; ",
        "like 'a' ",
    ),
    *(
        "grouping sets (",
        "cube(a, ",
        "match_recognize (",
        "table(",
        "unnest(",
        "pivot (",
        "tablesample (",
        "limit 1 ",
    ),
    *(
        "explain ",
        "describe ",
        "locking a for access ",
        "from a insert into b select c ",
        "execute immediate '",
    ),
)


FOUND = ("{{%", "{${", "/*", "e'\\'", "''", "((a) ", "create procedure p begin ; ")
"""What took some reader time by its square, each by itself."""


class Text(NamedTuple):
    """What a text repeats behind its beginning."""

    beginning: str
    unit: str

    def of(self, size: int) -> str:
        return self.beginning + self.unit * (size // len(self.unit))


def hostile_texts(chosen: random.Random, pairs: int) -> Sequence[Text]:
    """Each token and phrase by itself, and so many pairs of them, with a beginning or without."""
    parts = (*TOKENS, *PHRASES)
    drawn = (
        Text(chosen.choice(BEGINNINGS), chosen.choice(parts) + chosen.choice(parts))
        for _ in range(pairs)
    )
    return [*(Text("", part) for part in parts), *drawn]


def numbered_texts(size: int) -> Iterator[str]:
    """Openings of which no two have the same end: no memory of one end helps."""
    for opening in (
        "$#$ ",
        "$a#$",
        "q'#",
        "nq'# ",
        "${# ",
        "{%# ",
        "`#",
        "/*# ",
        "'# ",
        "[#",
        "x#(",
    ):
        parts: list[str] = []
        length = number = 0
        while length < size:
            # Of a lettered string the sign itself is what differs.
            name = chr(0x4E00 + number % 20_000) if "q" in opening else str(number)
            parts.append(opening.replace("#", name))
            length += len(parts[-1])
            number += 1
        yield "".join(parts)


def growth(read: Callable[[str], object], text: Text) -> float:
    """How many times as long the large text takes; 1 where that is negligible."""
    large = seconds(read, text.of(LARGE))
    if large < NEGLIGIBLE_SECONDS:
        return 1.0
    small = seconds(read, text.of(SMALL))
    if large <= MAX_GROWTH * small:
        return large / small
    # The small text may fit into a cache that the large one does not: the reader's own growth goes on.
    large = max(large, *(seconds(read, text.of(LARGE)) for _ in range(2)))
    return min(seconds(read, text.of(4 * LARGE)) for _ in range(2)) / large


def seconds(read: Callable[[str], object], text: str) -> float:
    # What earlier tests left is no cost of this text: neither its collection nor its threads.
    gc.collect()
    gc.disable()
    try:
        begun = time.thread_time()
        read(text)
        return time.thread_time() - begun
    finally:
        gc.enable()
