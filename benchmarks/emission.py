"""Time from a view's plan to the text for another engine: ``make bench-emission``.

The plans of TPC-H's queries in both dialects and of the gallery of tests are made first; only writing
each text for Trino and Spark is timed. The peer is sqlglot's transpile of the same view, which includes
parsing.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial

import sqlglot

from benchmarks.translate import OPTIONS, Case, gallery, tpch
from lakeschema.translation.deriving.derivation import derive_view
from lakeschema.translation.emission.spark.text import relation as own_name
from lakeschema.translation.emission.spark.udfs import SparkFunctions
from lakeschema.translation.emission.spark.view import spark_view_of
from lakeschema.translation.emission.trino.view import trino_view_of
from lakeschema.translation.model.errors import TranslationError

Write = Callable[[], object]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=7, help="times of which the best counts")
    chosen = parser.parse_args()
    print(
        f"{'engine':<8}{'corpus':<14}{'views':>6}{'p50 ms':>9}{'p95':>7}{'most':>7}{'refused':>9}{'sqlglot p50':>13}"
    )
    cases = [*tpch(), *gallery()]
    for engine in ("trino", "spark"):
        for corpus in dict.fromkeys(case.corpus for case in cases):
            same = [case for case in cases if case.corpus == corpus]
            _print(engine, corpus, same, chosen.repeat)


def _print(engine: str, corpus: str, cases: Sequence[Case], repeat: int) -> None:
    ours: list[float] = []
    theirs: list[float] = []
    refused = 0
    for write, transpile in _work(engine, cases):
        try:
            ours.append(_best(write, repeat))
        except TranslationError:
            refused += 1
            continue
        with suppress(sqlglot.errors.SqlglotError):
            theirs.append(_best(transpile, repeat))
    ordered = sorted(ours)
    print(
        f"{engine:<8}{corpus:<14}{len(ours):>6}{statistics.median(ordered):>9.2f}"
        f"{ordered[int(len(ordered) * 0.95)]:>7.2f}{ordered[-1]:>7.2f}{refused:>9}"
        f"{statistics.median(theirs):>13.2f}"
    )


def _work(engine: str, cases: Sequence[Case]) -> Iterator[tuple[Write, Write]]:
    for case in cases:
        view = case.relation.view
        assert view is not None
        transpile = partial(sqlglot.transpile, view.text, read=view.dialect.value, write=engine)
        derivation, plan = derive_view(case.relation, case.upstreams, OPTIONS)
        names = derivation.interface.names
        if engine == "trino":
            yield (
                partial(trino_view_of, case.relation, plan, names, case.upstreams, OPTIONS),
                transpile,
            )
        else:
            functions = SparkFunctions.of(OPTIONS)
            yield partial(spark_view_of, case.relation, plan, names, own_name, functions), transpile


def _best(work: Write, repeat: int) -> float:
    """The best time, in milliseconds."""
    times: list[float] = []
    for _ in range(repeat):
        began = time.perf_counter()
        work()
        times.append((time.perf_counter() - began) * 1000)
    return min(times)


if __name__ == "__main__":
    main()
