"""Findings in a file, one per line, so that a long run continues where it ended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from lakeschema.catalog.relations import Dialect
from tests.judges.functions.findings import Coverage, Finding


def read_findings(path: Path) -> Iterator[Finding]:
    for line in path.read_text(encoding="utf-8").splitlines():
        value = json.loads(line)
        examples = {Coverage(verdict): texts for verdict, texts in value.pop("examples").items()}
        dialect = Dialect(value.pop("dialect"))
        yield Finding(dialect=dialect, examples=examples, **value)


def append_finding(path: Path, finding: Finding) -> None:
    value = asdict(finding) | {
        "dialect": finding.dialect.value,
        "examples": {verdict.value: texts for verdict, texts in finding.examples.items()},
    }
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(value) + "\n")
