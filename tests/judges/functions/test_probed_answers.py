"""Our types equal the recorded ones of all ``make probe-functions`` calls that an engine accepted."""

from __future__ import annotations

import re

import pytest

from deploy.refused import Refused
from tests.judges.functions.compared_types import in_sparks_words, shown
from tests.judges.functions.findings import OurAnswers
from tests.lakeschema.translation.asked_types import RECORDED, Engine

_NAME_OF_FIELD = re.compile(r"(?<=[<,])[^<>,:]+:")


def compared(types: str) -> str:
    """A type as it is compared: without nullability and field names."""
    return _NAME_OF_FIELD.sub("", in_sparks_words(types.replace(" not null", "")))


PARTS = 8


@pytest.mark.slow
@pytest.mark.alike("part", keep=1)
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("engine", Engine)
def test_each_probed_call_has_the_type_that_the_engine_gave_it(
    engine: Engine, part: int, pytestconfig: pytest.Config
) -> None:
    """A separate file lists the calls that we refuse, with the reasons."""
    lines = (RECORDED / f"probed_{engine.value}.tsv").read_text(encoding="utf-8").splitlines()
    answers = dict(line.split("\t") for line in lines)
    asked = dict(list(answers.items())[part::PARTS])
    ours = OurAnswers(engine)
    wrong, refused = {}, []
    for select, theirs in asked.items():
        answer = ours.columns(select, "t")
        if isinstance(answer, Refused):
            refused.append(select)
        elif compared(shown(answer)) != compared(theirs):
            wrong[select] = (theirs, shown(answer))
    path = RECORDED / f"probed_{engine.value}_refused_by_us.txt"
    recorded = path.read_text(encoding="utf-8").splitlines()
    if pytestconfig.getoption("--accept"):
        of_all = {*refused, *(select for select in recorded if select not in asked)}
        recorded = [select for select in answers if select in of_all]
        path.write_text("".join(f"{select}\n" for select in recorded), encoding="utf-8")

    assert len(asked) > 1_000
    assert wrong == {}
    assert refused == [select for select in recorded if select in asked]
    assert answers.keys() >= {*recorded}
