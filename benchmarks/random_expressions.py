"""Random expression trees against an engine: ``make bench-random_expressions ARGS="--dialect spark"``.

Trees of at least three levels are grown over all callable rows of the function table and over operators
(``expression_trees``). The engine gives the type of each. It also computes the trees that we say have a
part which is never null, over rows of ordinary and extreme values, with nulls and without.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random

from benchmarks.probe_functions import opened_judge
from deploy.refused import Refused
from lakeschema.catalog.column_types import (
    ArrayType,
    ColumnType,
    MapType,
    StructField,
    StructType,
    parse_type_or_unknown,
    print_type,
)
from lakeschema.catalog.relations import Dialect
from tests.judges.functions.compared_types import same, shown
from tests.judges.functions.expression_findings import WRONG, Findings, Outcome
from tests.judges.functions.expression_templates import World, callable_names, world_of
from tests.judges.functions.expression_trees import Forest, Tree
from tests.judges.functions.findings import OurAnswers
from tests.judges.functions.judges import FunctionJudge, claims
from tests.judges.functions.recorded_calls import recorded_calls
from tests.judges.functions.varied_calls import Calls
from tests.lakeschema.translation.asked_types import Engine

Answer = StructField | Refused
Ask = Callable[[str], Sequence[StructField] | Refused]

_ROUND = 240
_MIN_DEPTH = 3


class Trial:
    """Trees for one engine and mode; ``forest`` keeps the trees that the engine accepts."""

    def __init__(self, engine: Engine, judge: FunctionJudge, seed: int) -> None:
        self._judge = judge
        self._ours = OurAnswers(engine)
        self._engine = engine
        self._random = Random(seed)
        self._at_once = 40 if engine.dialect is Dialect.SPARK else 48
        self.forest = Forest(engine.dialect, self._random)
        self.findings = Findings()

    def plant(self, each: int) -> None:
        """Starts with recorded calls of every function; asks a quick engine for calls of the others."""
        dialect = self._engine.dialect
        for name, known in recorded_calls(self._engine, callable_names(dialect)).items():
            for text, type_ in self._random.sample(known, min(each, len(known))):
                tree = Tree(text, name, world_of(text, dialect), 1)
                answer = StructField("x", parse_type_or_unknown(type_), nullable=True)
                self._take_in(tree, answer, as_template=True)
            if not known and dialect is Dialect.SPARK:
                self._plant_asked(name, each)

    def _plant_asked(self, name: str, each: int) -> None:
        """Asks calls from the documentation and from the tests, and variations of them."""
        documentation = self._judge.documentation(name)
        seeds = Calls(name, self._engine.dialect, documentation).first(each)
        texts = [str(seed) for seed in seeds if not seed.form.startswith("SELECT ")]
        trees = [
            Tree(text, name, world_of(text, self._engine.dialect), 1)
            for text in texts
            if not re.search(r"\bSELECT\b", text, re.IGNORECASE)
        ]
        for tree, answer in self._typed(trees, self._asked_engine).items():
            if isinstance(answer, StructField):
                self._take_in(tree, answer, as_template=True)

    def judge_round(self, number: int, depth: int | None) -> None:
        """With ``depth`` None, judges trees of three to six levels; otherwise grows trees of that depth."""
        trees: dict[str, Tree] = {}
        for _ in range(number):
            tree = self.forest.grow(depth or self._random.choices((3, 4, 5, 6), (6, 3, 2, 1))[0])
            if tree is not None and (depth or tree.depth >= _MIN_DEPTH):
                trees.setdefault(tree.text, tree)
        ours = self._typed(list(trees.values()), lambda s: self._ours.columns(s, "t"))
        readable = [tree for tree, answer in ours.items() if isinstance(answer, StructField)]
        others = [tree for tree, answer in ours.items() if isinstance(answer, Refused)]
        theirs = dict(self._typed(readable, self._asked_engine))
        # Each alone if that is cheap: the engine may also refuse the calls that we refuse.
        for some in [others] if self._engine is Engine.HIVE else [[tree] for tree in others]:
            theirs |= self._typed(some, self._asked_engine)
        # Hive plans a query as a whole: one item can disable the optimiser for all others.
        for tree in readable:
            outcome, _ = _outcome(self._engine, ours[tree], theirs[tree], None)
            if outcome is Outcome.WRONG_TYPE:
                theirs |= _asked([tree], self._asked_engine)
        accepted = [tree for tree in readable if isinstance(theirs[tree], StructField)]
        nulls = self._nulls(accepted, ours, theirs)
        for tree in trees.values():
            outcome, details = _outcome(self._engine, ours[tree], theirs[tree], nulls.get(tree))
            self.findings.add(tree, outcome, details)
            self.forest.learn(tree, accepted=isinstance(theirs[tree], StructField))
            answer = theirs[tree]
            if isinstance(answer, StructField):
                self._take_in(tree, answer)

    def _take_in(self, tree: Tree, answer: StructField, *, as_template: bool = False) -> None:
        typed = Tree(tree.text, tree.name, tree.world, tree.depth, print_type(answer.type))
        self.forest.accept(typed, as_template=as_template)

    def _asked_engine(self, select: str, table: str = "t") -> Sequence[StructField] | Refused:
        asked = select.replace("{t}", table)
        return self._judge.columns([asked])[asked]

    def _typed(self, trees: Sequence[Tree], ask: Ask) -> dict[Tree, Answer]:
        answers: dict[Tree, Answer] = {}
        for batch in _batches(trees, self._at_once):
            answers |= _asked(batch, ask)
        return answers

    def _nulls(
        self, trees: Sequence[Tree], ours: Mapping[Tree, Answer], theirs: Mapping[Tree, Answer]
    ) -> dict[Tree, str]:
        """Trees with a null that contradicts our claim, and where it is."""
        over_nulls = self._typed(trees, lambda s: self._ours.columns(s, "n"))
        some = [tree for tree in trees if _claims(over_nulls[tree])]
        # Hive's types do not state nullability.
        theirs_over_nulls = (
            theirs
            if self._engine is Engine.HIVE
            else self._typed(some, lambda s: self._asked_engine(s, "n"))
        )
        found: dict[Tree, str] = {}
        for table, mine, known in (
            ("t", ours, theirs),
            ("n", over_nulls, theirs_over_nulls),
        ):
            claiming = [
                (tree, answer)
                for tree in trees
                if isinstance(answer := mine[tree], StructField)
                and _claims_more(answer, known.get(tree))
            ]
            self.findings.computed += len(claiming)
            for batch in _batches([tree for tree, _ in claiming], self._at_once):
                found |= self._null_in(batch, dict(claiming), table)
        return found

    def _null_in(
        self, trees: Sequence[Tree], claimed: Mapping[Tree, StructField], table: str
    ) -> dict[Tree, str]:
        # The trees may come from other batches: columns are numbered again, as in this query.
        columns = tuple(
            replace(claimed[tree], name=f"x{place}") for place, tree in enumerate(trees)
        )
        if trees[0].world is World.ALONE and isinstance(columns[0].type, StructType):
            columns = columns[0].type.fields
        nulls = self._judge.nulls_in(_select(trees), columns, table)
        if len(nulls.not_computed) == len(trees) > 1:
            half = len(trees) // 2
            return {
                **self._null_in(trees[:half], claimed, table),
                **self._null_in(trees[half:], claimed, table),
            }
        self.findings.not_computed += len(nulls.not_computed)
        return {
            trees[min(place, len(trees) - 1)]: f"{where}, but {shown((columns[place],))}"
            for place, where in nulls.found.items()
        }


def _batches(trees: Sequence[Tree], at_once: int) -> Iterator[Sequence[Tree]]:
    for world in World:
        of_world = [tree for tree in trees if tree.world is world]
        # A computation over groups fails as a whole: ask few at a time.
        size = {World.ROW: at_once, World.ALONE: 1}.get(world, at_once // 3)
        for start in range(0, len(of_world), size):
            yield of_world[start : start + size]


def _asked(trees: Sequence[Tree], ask: Ask) -> dict[Tree, Answer]:
    """Asks for all trees; after a refusal, asks again without its cause, or by halves."""
    if not trees:
        return {}
    columns = ask(_select(trees))
    if isinstance(columns, Refused):
        if len(trees) == 1:
            return {trees[0]: columns}
        at = _item_at(trees, columns.at)
        if at is not None:
            others = (*trees[:at], *trees[at + 1 :])
            return {trees[at]: columns, **_asked(others, ask)}
        half = len(trees) // 2
        return {**_asked(trees[:half], ask), **_asked(trees[half:], ask)}
    if trees[0].world is World.ALONE:
        return {trees[0]: StructField("x0", StructType(tuple(columns)), False)}
    # Columns that Avro has no type for come last in our answers.
    by_name = {column.name: column for column in columns}
    return {tree: by_name[f"x{place}"] for place, tree in enumerate(trees)}


def _item_at(trees: Sequence[Tree], at: int | None) -> int | None:
    """The index of the tree at that position in the query."""
    start = len("SELECT ")
    for place, tree in enumerate(trees):
        end = start + len(f"{tree.text} AS x{place}")
        if at is not None and start <= at < end:
            return place
        start = end + len(", ")
    return None


def _select(trees: Sequence[Tree]) -> str:
    if trees[0].world is World.ALONE:
        generated = re.match(
            r"(?:pos)?explode|inline|stack|json_tuple|variant_explode", trees[0].text
        )
        return f"SELECT {trees[0].text}{'' if generated else ' AS x0'} FROM {{t}}"
    items = ", ".join(f"{tree.text} AS x{place}" for place, tree in enumerate(trees))
    group = " GROUP BY r" if trees[0].world is World.GROUPED else ""
    return f"SELECT {items} FROM {{t}}{group}"


def _outcome(engine: Engine, ours: Answer, theirs: Answer, null: str | None) -> tuple[Outcome, str]:
    match ours, theirs:
        case Refused(), Refused():
            return Outcome.BOTH_REFUSED, ""
        case Refused(reason), _:
            return Outcome.OURS_REFUSED, reason
        case _, Refused(reason):
            return Outcome.ENGINE_REFUSED, reason
        case StructField(), StructField():
            if not same(ours.type, theirs.type, engine):
                return Outcome.WRONG_TYPE, f"{shown((theirs,))}, not {shown((ours,))}"
            return (Outcome.FALSE_REQUIRED, null) if null else (Outcome.EQUAL, "")
    raise AssertionError((ours, theirs))


def _claims(answer: Answer) -> bool:
    return isinstance(answer, StructField) and (not answer.nullable or claims(answer.type))


def _claims_more(ours: StructField, theirs: Answer | None) -> bool:
    """Whether we say that some part is never null, but the engine does not."""
    if not isinstance(theirs, StructField):
        return False
    return (theirs.nullable and not ours.nullable) or _more(ours.type, theirs.type)


def _more(ours: ColumnType, theirs: ColumnType) -> bool:
    match ours, theirs:
        case ArrayType(a, a_null), ArrayType(b, b_null):
            return (b_null and not a_null) or _more(a, b)
        case MapType(ak, a, a_null), MapType(bk, b, b_null):
            return (b_null and not a_null) or _more(a, b) or _more(ak, bk)
        case StructType(a_fields), StructType(b_fields):
            pairs = zip(a_fields, b_fields, strict=False)
            return any((b.nullable and not a.nullable) or _more(a.type, b.type) for a, b in pairs)
        case _:
            return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--count", type=int, default=25_000, help="of trees that the engine accepts"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--dialect", choices=("spark", "hive"), default="spark")
    parser.add_argument("--ansi", choices=("on", "off"), default="on", help="Spark's mode")
    parser.add_argument("--calls", type=int, default=8, help="of each function, to grow upon")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after that many")
    chosen = parser.parse_args()
    engine = Engine.SPARK if chosen.ansi == "on" else Engine.SPARK_WITHOUT_ANSI
    engine = Engine.HIVE if chosen.dialect == "hive" else engine
    began = time.monotonic()
    with opened_judge(engine, only_optimised=True) as judge:
        trial = Trial(engine, judge, chosen.seed)
        trial.plant(chosen.calls)
        for _ in range(3):
            trial.judge_round(_ROUND, depth=2)
        trial.findings = Findings()
        end = began + 60 * chosen.minutes
        while trial.findings.judged < chosen.count and time.monotonic() < end:
            trial.judge_round(_ROUND, depth=None)
            print(f"{trial.findings.judged}, {time.monotonic() - began:.0f} s", flush=True)
    trial.findings.report(engine.dialect)
    sys.exit(1 if any(trial.findings.outcomes[wrong] for wrong in WRONG) else 0)


if __name__ == "__main__":
    main()
