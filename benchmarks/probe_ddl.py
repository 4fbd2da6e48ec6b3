"""Asks Spark which kinds of changes by DDL it refuses: ``make probe-ddl``.

Each change is tried on a table of each provider, with each pair of types. A provider that is a plugin is
asked if ``--python`` names the Python of a Spark that the plugin supports. ``--accept`` records the
answers, which ``lakeschema.catalog.spark_refusals`` reads.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from lakeschema.catalog import spark_refusals
from lakeschema.catalog.ddl_kinds import CHANGED_TYPE
from lakeschema.catalog.spark_refusals import Answers, parse_answers, print_answers
from tests.judges.spark_ddl import PLUGINS, ask_spark
from tests.lakeschema.catalog.asked_ddl import PROVIDERS, asked, asked_kinds, created

RECORDED = Path(spark_refusals.__file__).with_suffix(".txt")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="providers, with commas between")
    parser.add_argument(
        "--python", action="append", default=[], metavar="PROVIDER=PATH",
        help="which Python has the pyspark that a provider's plugin supports; may be repeated",
    )  # fmt: skip
    parser.add_argument("--accept", action="store_true", help="record the answers")
    chosen = parser.parse_args()
    pythons = dict(word.split("=", 1) for word in chosen.python)
    askable = [name for name in PROVIDERS if name in pythons or name not in PLUGINS]
    providers = chosen.only.split(",") if chosen.only else askable
    statements = {provider: (created(provider), [*asked(provider)]) for provider in providers}
    answers = ask_spark(statements, pythons)
    versions = {provider: version for provider, (version, _) in answers.items()}
    found: dict[str, dict[str, str]] = {}
    for provider, (_, texts) in statements.items():
        for text, error in zip(texts, answers[provider][1], strict=True):
            if error is not None:
                kind = asked_kinds(provider, text)[-1]
                found.setdefault(kind, {}).setdefault(provider, error)
    _generalize_types(found, providers)
    recorded = parse_answers(RECORDED.read_text())
    if chosen.accept:
        recorded = _updated(recorded, Answers(versions, found))
        RECORDED.write_text(print_answers(recorded))
    cells = {(kind, p): error for kind, row in found.items() for p, error in row.items()}
    moved = [
        f"{provider} was asked in Spark {version}"
        for provider, version in versions.items()
        if recorded.versions.get(provider) != version
    ]
    moved += [
        f"{kind} of {provider}: {error or 'accepted'}"
        for (kind, provider), error in cells.items()
        if recorded.errors.get(kind, {}).get(provider) != error
    ]
    refused = sum(bool(error) for error in cells.values())
    print(f"{len(cells)} changes asked, {refused} refused, {len(moved)} otherwise than recorded")
    print("\n".join(moved))
    return 1 if moved else 0


def _updated(recorded: Answers, found: Answers) -> Answers:
    """The new answers, and the recorded answers of providers that were not asked."""
    errors: dict[str, Mapping[str, str]] = {}
    for kind in dict.fromkeys((*recorded.errors, *found.errors)):
        kept = recorded.errors.get(kind, {})
        row = {p: error for p, error in kept.items() if p not in found.versions}
        row |= found.errors.get(kind, {})
        if row:
            errors[kind] = row
    return Answers({**recorded.versions, **found.versions}, errors)


def _generalize_types(found: dict[str, dict[str, str]], providers: Iterable[str]) -> None:
    """Records one answer for all pairs of types if a provider answers each pair alike."""
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
