"""Every kind of change that DDL asks for, held against Spark, which refuses some: ``make probe-ddl``.

Each is asked of a table of each provider, with each pair of types. ``--accept`` records the answers, which
``lakeschema.catalog.spark_refusals`` reads.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from benchmarks.spark_ddl import ask_spark
from lakeschema.catalog import spark_refusals
from lakeschema.catalog.ddl_kinds import CHANGED_TYPE
from lakeschema.catalog.spark_refusals import parse_answers, print_answers
from tests.lakeschema.catalog.asked_ddl import PROVIDERS, asked, asked_kinds, created

RECORDED = Path(spark_refusals.__file__).with_suffix(".txt")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", default=",".join(PROVIDERS), help="providers, with commas between"
    )
    parser.add_argument("--accept", action="store_true", help="record the answers of all providers")
    chosen = parser.parse_args()
    providers = PROVIDERS if chosen.accept else chosen.only.split(",")
    statements = {provider: (created(provider), [*asked(provider)]) for provider in providers}
    answers = ask_spark(statements)
    found: dict[str, dict[str, str]] = {}
    for provider, (_, texts) in statements.items():
        for text, error in zip(texts, answers[provider], strict=True):
            if error is not None:
                kind = asked_kinds(provider, text)[-1]
                found.setdefault(kind, {}).setdefault(provider, error)
    _generalize_types(found, providers)
    if chosen.accept:
        RECORDED.write_text(print_answers(found))
    recorded = parse_answers(RECORDED.read_text())
    cells = {(kind, p): error for kind, row in found.items() for p, error in row.items()}
    moved = [
        f"{kind} of {provider}: {error or 'accepted'}"
        for (kind, provider), error in cells.items()
        if recorded.get(kind, {}).get(provider) != error
    ]
    refused = sum(bool(error) for error in cells.values())
    print(f"{len(cells)} changes asked, {refused} refused, {len(moved)} otherwise than recorded")
    print("\n".join(moved))
    return 1 if moved else 0


def _generalize_types(found: dict[str, dict[str, str]], providers: Iterable[str]) -> None:
    """One answer for all pairs of types, of a provider for which each pair has the same."""
    pairs = [row for kind, row in found.items() if kind.startswith(f"{CHANGED_TYPE} ")]
    of_all: dict[str, str] = {}
    for provider in providers:
        errors = {row[provider] for row in pairs if provider in row}
        if len(errors) == 1:
            of_all[provider] = errors.pop()
            for row in pairs:
                row.pop(provider, None)
    found[CHANGED_TYPE] = of_all
    for kind in [kind for kind, row in found.items() if not row]:
        del found[kind]


if __name__ == "__main__":
    sys.exit(main())
