"""Families of schemas: we and Java's Avro read every member as every other."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice, permutations
from random import Random
from types import ModuleType

from deploy.avro import AvroAnswer, AvroJudge, AvroRefused, Reading
from lakeschema.avro.compatibility import Level, compare
from lakeschema.avro.parsing import parse_schema
from tests.codegen.evolutions import Version, family, steps_between
from tests.codegen.generated import imported
from tests.codegen.random_bytes import random_bytes
from tests.judges.codegen.judging import OurAnswer, Outcome, ours, outcome, plain

_FAMILIES_AT_ONCE = 25
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Case:
    """A value on which we and Java differ, or that broke a promise, with all that repeats the case."""

    what: str
    writer: str
    reader: str
    data: str
    ours: str
    java: str


@dataclass(slots=True)
class Report:
    """``kinds``, ``places`` and ``levels`` count pairs of schemas, ``outcomes`` values."""

    pairs: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    places: Counter[str] = field(default_factory=Counter)
    levels: Counter[Level] = field(default_factory=Counter)
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    differences: int = 0
    # Only one case of each kind for each reader: families repeat their mistakes.
    shown: list[Case] = field(default_factory=list)

    def note(self, case: Case) -> None:
        self.differences += 1
        known = {(shown.what, shown.reader) for shown in self.shown}
        if len(self.shown) < _SHOWN and (case.what, case.reader) not in known:
            self.shown.append(case)


@dataclass(frozen=True, slots=True)
class _Pair:
    """``reader`` reads values of ``writer``; both are indexes in the family."""

    members: Sequence[Version]
    writer: int
    reader: int
    values: Sequence[bytes]

    @property
    def written_with(self) -> str:
        return self.members[self.writer].text

    @property
    def read_with(self) -> str:
        return self.members[self.reader].text

    @property
    def reads_descendant(self) -> bool:
        return self.reader in self.members[self.writer].ancestry

    @property
    def reads_ancestor(self) -> bool:
        return self.writer in self.members[self.reader].ancestry


def judge_families(judge: AvroJudge, seeds: Iterable[int], members: int, values: int = 4) -> Report:
    """Reads ``values`` values for each ordered pair of each family's members."""
    report = Report()
    told: Counter[str] = Counter()
    remaining = iter(seeds)
    while some := list(islice(remaining, _FAMILIES_AT_ONCE)):
        with ExitStack() as stack:
            packages: dict[str, ModuleType] = {}
            pairs: list[_Pair] = []
            for seed in some:
                random = Random(seed)
                versions = family(random, members, told)
                for text in {version.text for version in versions} - packages.keys():
                    packages[text] = stack.enter_context(imported(json.loads(text)))
                written = [[random_bytes(random, v.graph) for _ in range(values)] for v in versions]
                pairs += [
                    _Pair(versions, writer, reader, written[writer])
                    for writer, reader in permutations(range(members), 2)
                ]
            _compare_readings(judge, pairs, packages, report)
            _compare_versions(judge, pairs, packages, report)
    return report


def _compare_readings(
    judge: AvroJudge, pairs: Sequence[_Pair], packages: Mapping[str, ModuleType], report: Report
) -> None:
    javas = judge.read([Reading(p.written_with, p.read_with, p.values) for p in pairs])
    for pair, answers in zip(pairs, javas, strict=True):
        report.pairs += 1
        steps = steps_between(pair.members, pair.writer, pair.reader)
        report.kinds.update({kind for kind, _ in steps})
        report.places.update({place for _, place in steps})
        found = ours(packages[pair.read_with], pair.written_with, pair.values)
        for data, our, java in zip(pair.values, found, answers, strict=True):
            judged = outcome(packages[pair.read_with], pair.read_with, our, java)
            report.outcomes[judged] += 1
            if judged is Outcome.DIFFER:
                report.note(_case("differ", pair, data, our, java))


def _compare_versions(
    judge: AvroJudge, pairs: Sequence[_Pair], packages: Mapping[str, ModuleType], report: Report
) -> None:
    """Two versions with one major version read each other's data; Java uses logical types."""
    of_one_major: list[_Pair] = []
    for pair in pairs:
        if not pair.reads_ancestor and not pair.reads_descendant:
            continue
        older, newer = pair.written_with, pair.read_with
        if pair.reads_descendant:
            older, newer = newer, older
        level = compare([parse_schema(older)], parse_schema(newer)).level
        report.levels[level] += 1
        if level is not Level.MAJOR:
            of_one_major.append(pair)
    javas = judge.read(
        [Reading(p.written_with, p.read_with, p.values, logical=True) for p in of_one_major]
    )
    for pair, answers in zip(of_one_major, javas, strict=True):
        found = ours(packages[pair.read_with], pair.written_with, pair.values)
        for data, our, java in zip(pair.values, found, answers, strict=True):
            if isinstance(java, AvroRefused) and java.is_failure:
                continue
            if our.data is None or isinstance(java, AvroRefused):
                report.note(_case("not readable within a major", pair, data, our, java))
    _compare_returns(judge, [pair for pair in of_one_major if pair.reads_ancestor], report)


def _compare_returns(judge: AvroJudge, pairs: Sequence[_Pair], report: Report) -> None:
    """An older version reads its own values unchanged after a newer version has passed them on."""
    there = judge.read([Reading(p.written_with, p.read_with, p.values) for p in pairs])
    passed_on = [[data for data in each if not isinstance(data, AvroRefused)] for each in there]
    back = judge.read(
        [
            Reading(p.read_with, p.written_with, data)
            for p, data in zip(pairs, passed_on, strict=True)
        ]
    )
    for pair, answers in zip(pairs, back, strict=True):
        if len(answers) < len(pair.values):
            continue  # Reported already: not readable.
        for data, java in zip(pair.values, answers, strict=True):
            older = pair.written_with
            if isinstance(java, AvroRefused) or plain(older, data) != plain(older, java):
                report.note(_case("not returned as it was", pair, data, OurAnswer(data), java))


def _case(what: str, pair: _Pair, data: bytes, our: OurAnswer, java: AvroAnswer) -> Case:
    shown = java.message if isinstance(java, AvroRefused) else java.hex()
    mine = our.error if our.data is None else our.data.hex()
    return Case(what, pair.written_with, pair.read_with, data.hex(), mine, shown)
