"""All calls that ``make probe-functions`` made and an engine accepted: our types are those recorded."""

from __future__ import annotations

import re

import pytest

from benchmarks.compared_types import shown
from benchmarks.function_findings import OurAnswers
from benchmarks.function_judges import Refusal
from tests.lakeschema.translation.asked_types import RECORDED, Engine

_NAME_OF_FIELD = re.compile(r"(?<=[<,])[^<>,:]+:")
_ENGINES_WORDS = (
    ("interval_day_time", "interval day to second"),
    ("interval_year_month", "interval year to month"),
    ("time(6)", "time"),
)
_COLLATION = re.compile(r" collate [\w.]+", re.IGNORECASE)
_REFERENCE_SYSTEM = re.compile(r"(geometry|geography)\([^)]*\)", re.IGNORECASE)


def compared(types: str) -> str:
    """Types as they are compared: without nulls, names of fields, and orders of texts."""
    text = types.replace(" not null", "")
    for word, ours in _ENGINES_WORDS:
        text = text.replace(word, ours)
    text = _COLLATION.sub("", _NAME_OF_FIELD.sub("", text))
    return _REFERENCE_SYSTEM.sub(lambda found: found[1].lower(), text)


@pytest.mark.slow
@pytest.mark.parametrize("engine", Engine)
def test_each_probed_call_has_the_type_that_the_engine_gave_it(
    engine: Engine, pytestconfig: pytest.Config
) -> None:
    """Those that we refuse, with a reason, stand in a file of their own."""
    lines = (RECORDED / f"probed_{engine.value}.tsv").read_text(encoding="utf-8").splitlines()
    ours = OurAnswers(engine)
    wrong, refused = {}, []
    for select, theirs in (line.split("\t") for line in lines):
        answer = ours.columns(select, "t")
        if isinstance(answer, Refusal):
            refused.append(select)
        elif compared(shown(answer)) != compared(theirs):
            wrong[select] = (theirs, shown(answer))
    path = RECORDED / f"probed_{engine.value}_refused_by_us.txt"
    if pytestconfig.getoption("--accept"):
        path.write_text("".join(f"{select}\n" for select in refused), encoding="utf-8")

    assert len(lines) > 1_000
    assert wrong == {}
    assert refused == path.read_text(encoding="utf-8").splitlines()
