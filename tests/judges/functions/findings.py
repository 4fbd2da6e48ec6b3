"""The results of one function's calls: the engine's answers compared with ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from deploy.refused import Refused
from lakeschema.catalog.column_types import StructField, StructType
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.functions.not_callable import why_not_callable
from lakeschema.translation.functions.signature import Kind
from lakeschema.translation.model.errors import TranslationError
from lakeschema.translation.model.interface import Interface, Options
from tests.judges.engines.protocol import Columns
from tests.judges.functions.call_seeds import Seed
from tests.judges.functions.compared_types import is_looser, same, shown
from tests.judges.functions.judges import FunctionJudge, claims
from tests.judges.functions.probe_values import table_ddl
from tests.judges.functions.varied_calls import Calls
from tests.lakeschema.translation.asked_types import Engine

ENOUGH = 20
_ROUND = 24
_LATER = {Dialect.SPARK: 8, Dialect.HIVE: 24}
"""Hive answers several calls in one statement, since a statement takes it a fifth of a second."""

_MOST = 360
_HOPELESS = 120
_VIEW = RelationName.of("default", "v")
_NOT_KNOWN = "not supported yet"


class Coverage(Enum):
    """If several hold, the first one counts."""

    WRONG_TYPE = "wrong type"
    FALSE_REQUIRED = "false required"
    NOT_CALLABLE = "no view can call it"
    NOT_HELD = "its results have no Avro type"
    COVERED = "covered"
    ALL_CALLS = "covered by the calls that there are"
    MISSING = "missing in the table"
    REFUSED = "refused by us"
    NEVER_ACCEPTED = "never accepted by the engine"
    TOO_FEW = "too few calls"


OUTSIDE = frozenset({Coverage.NOT_CALLABLE, Coverage.NOT_HELD})
COVERED = frozenset({Coverage.COVERED, Coverage.ALL_CALLS})


@dataclass(slots=True)
class Finding:
    """Counts of calls, each a part of the count before.

    Attributes:
        confirmed: our type is the engine's, and our nullability is confirmed: by the engine's
            analysis, or by computed values of a call that we say is never null.
        held: confirmed calls whose result a schema can hold.
        looser: we say that null is possible; the engine's analysis says that it is not.
        unseen: we say that there is no null, but no value of the call could be computed.
        no_argument: the engine accepts the function only without arguments.
        examples: calls with faults.
    """

    name: str
    dialect: Dialect
    calls: int = 0
    accepted: int = 0
    confirmed: int = 0
    held: int = 0
    looser: int = 0
    unseen: int = 0
    missing: bool = False
    no_argument: bool = False
    examples: dict[Coverage, list[str]] = field(default_factory=dict)

    def add(self, verdict: Coverage, example: str) -> None:
        self.examples.setdefault(verdict, []).append(example)

    @property
    def verdict(self) -> Coverage:
        found = next(
            (v for v in (Coverage.WRONG_TYPE, Coverage.FALSE_REQUIRED) if v in self.examples), None
        )
        if found:
            return found
        if self.confirmed and not self.held:
            return Coverage.NOT_HELD
        if self.confirmed >= ENOUGH:
            return Coverage.COVERED
        if self.no_argument and self.confirmed:
            return Coverage.ALL_CALLS
        if not self.confirmed and why_not_callable(self.name, self.dialect):
            return Coverage.NOT_CALLABLE
        if self.missing or not self.accepted:
            return Coverage.MISSING if self.missing else Coverage.NEVER_ACCEPTED
        return Coverage.REFUSED if Coverage.REFUSED in self.examples else Coverage.TOO_FEW

    @property
    def counts(self) -> str:
        parts = [f"{self.confirmed} calls confirmed, {self.accepted} of {self.calls} accepted"]
        if refused := len(self.examples.get(Coverage.REFUSED, ())):
            parts.append(f"{refused} refused by us")
        if self.looser:
            parts.append(f"{self.looser} looser than the engine")
        if self.unseen:
            parts.append(f"{self.unseen} never computed")
        return ", ".join(parts)


class OurAnswers:
    """The columns that we derive for a SELECT over ``t``, whose columns are required, or ``n``."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        ddl = [table_ddl(engine.dialect, t, required=t == "t") for t in ("t", "n")]
        tables = relations_from_ddl(ddl, engine.dialect)
        self._interfaces: Mapping[RelationName, Interface] = {
            name: derive(table, {}, Options()).interface for name, table in tables.items()
        }

    def columns(self, select: str, table: str) -> Columns | Refused:
        answer = self.answer(select, table)
        return answer if isinstance(answer, Refused) else answer[0]

    def answer(self, select: str, table: str) -> tuple[Columns, bool] | Refused:
        """The columns, and whether a schema can hold them all."""
        text = f"CREATE VIEW v AS {select.replace('{t}', table)}"
        try:
            view = relations_from_ddl([text], self.engine.dialect)[_VIEW]
            assert view.view is not None
            configured = replace(view.view, sql_configs=self.engine.settings)
            found = derive(replace(view, view=configured), self._interfaces, Options()).interface
        except TranslationError as error:
            at = error.position.column - 1 if error.position else None
            return Refused(str(error), at=at)
        columns = (*found.columns, *(omitted.column for omitted in found.omitted))
        return tuple(StructField(c.name, c.type, c.nullable) for c in columns), not found.omitted


def probe(
    engine: Engine, judge: FunctionJudge, ours: OurAnswers, name: str, answers: dict[str, str]
) -> Finding:
    """Calls of one function until enough are confirmed; ``answers`` receives the engine's."""
    documentation = judge.documentation(name)
    source = Calls(name, engine.dialect, documentation)
    finding = Finding(name, engine.dialect)
    for seeds in _rounds(source, finding):
        asked = {
            select: seed for seed in seeds for select in selects_of(seed, source, documentation)
        }
        finding.calls += len(asked)
        said = judge.columns(list(asked))
        theirs = {s: columns for s, columns in said.items() if not isinstance(columns, Refused)}
        finding.accepted += len(theirs)
        answers |= {select: shown(columns) for select, columns in theirs.items()}
        for select in theirs:
            source.accept(asked[select])
        _compare(finding, source, judge, ours, theirs)
    finding.no_argument = source.takes_no_argument
    return finding


def _rounds(source: Calls, finding: Finding) -> Iterator[Sequence[Seed]]:
    yield source.first(_ROUND)
    others = list(source.rest())
    size = _LATER[finding.dialect]
    while finding.confirmed < ENOUGH and finding.calls < (_MOST if finding.accepted else _HOPELESS):
        seeds, others = others[:size], others[size:]
        if not (seeds := seeds or list(source.more(size))):
            return
        yield seeds


def selects_of(seed: Seed, source: Calls, documentation: str) -> Iterator[str]:
    if f"from {source.name}(" in documentation.lower():
        yield f"SELECT * FROM {seed}"
        return
    if seed.form.startswith("SELECT "):
        yield str(seed)
        return
    if source.kind is Kind.GENERATOR:
        # Without an alias, since one alias cannot name several columns.
        yield f"SELECT {seed} FROM {{t}}"
        return
    yield f"SELECT {seed} AS x FROM {{t}}"
    if source.kind is Kind.AGGREGATE and " OVER (" not in seed.form:
        yield f"SELECT {seed} AS x FROM {{t}} GROUP BY r"


def _compare(
    finding: Finding,
    source: Calls,
    judge: FunctionJudge,
    ours: OurAnswers,
    theirs: Mapping[str, Columns],
) -> None:
    """Both tables must confirm a call."""
    answers = {select: _answers(finding, ours, select, said) for select, said in theirs.items()}
    sound = {select: answer for select, answer in answers.items() if answer}
    seen: set[str] = set()
    for table in ("t", "n"):
        claimed = {
            s: a[table][0] for s, a in sound.items() if _is_asked(a[table][0], theirs[s], source)
        }
        for select, found in judge.computed(claimed, table).items():
            if found.is_seen:
                seen.add(select)
            if found.null:
                finding.add(Coverage.FALSE_REQUIRED, f"{found.null}: {shown(claimed[select])}")
                sound.pop(select, None)
    for select, answer in sound.items():
        columns, is_held = answer["t"]
        one, other = StructType(columns), StructType(theirs[select])
        is_unseen = select not in seen and claims(one) and is_looser(other, one)
        finding.looser += is_looser(one, other)
        finding.unseen += is_unseen
        if not is_unseen and not is_looser(one, other):
            finding.confirmed += 1
            finding.held += is_held


def _is_asked(answer: Columns, theirs: Columns, source: Calls) -> bool:
    """Whether values are computed; for aggregates, the slowest, only against the analysis."""
    one, other = StructType(answer), StructType(theirs)
    return claims(one) and (source.kind is not Kind.AGGREGATE or is_looser(other, one))


def _answers(
    finding: Finding, ours: OurAnswers, select: str, theirs: Columns
) -> Mapping[str, tuple[Columns, bool]] | None:
    """Our answers over each table; None if one is refused or has another type than the engine's."""
    found: dict[str, tuple[Columns, bool]] = {}
    for table in ("t", "n"):
        answer = ours.answer(select, table)
        if isinstance(answer, Refused):
            if _NOT_KNOWN in answer.message and f" {finding.name}" in answer.message:
                finding.missing = True
            else:
                example = f"{select}: {shown(theirs)}, but {answer.message[:200]}"
                finding.add(Coverage.REFUSED, example)
            return None
        if not same(StructType(answer[0]), StructType(theirs), ours.engine):
            example = f"{select}: {shown(theirs)}, not {shown(answer[0])}"
            finding.add(Coverage.WRONG_TYPE, example)
            return None
        found[table] = answer
    return found
