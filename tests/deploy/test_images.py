"""The files of deploy/image: what hadolint says, and the rules that hadolint does not know.

No image can be built without a base image's digest, so these tests read the files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.deploy.judges import DEPLOY, ended, judge_python

IMAGES = DEPLOY / "image"
FILES = [IMAGES / "Containerfile", IMAGES / "Containerfile.spark"]
REQUIREMENTS = {"Containerfile": "service.txt", "Containerfile.spark": "runtime.txt"}


@dataclass(frozen=True)
class Instruction:
    word: str
    rest: str


def instructions(text: str) -> list[Instruction]:
    joined = re.sub(r"\\\n\s*", " ", re.sub(r"(?m)^\s*#.*\n", "", text))
    lines = [line for line in joined.splitlines() if line.strip()]
    return [Instruction(*line.split(" ", 1)) for line in lines]


def broken_rules(text: str) -> Sequence[str]:
    found = instructions(text)
    stages = [at for at, each in enumerate(found) if each.word == "FROM"]
    before, last = found[: stages[0]], found[stages[-1] :]
    runs = [each.rest for each in found if each.word == "RUN"]
    users = [each.rest for each in last if each.word == "USER"]
    rules = {
        "two stages": len(stages) == 2,
        "each base is named by a digest that the builder gives": all(
            found[at].rest.split(" AS ")[0] == "${BASE}@${BASE_DIGEST}" for at in stages
        ),
        "no digest by default, so that a build without one fails": Instruction("ARG", "BASE_DIGEST")
        in before,
        "every download of pip has a hash": all(
            "--require-hashes" in run or "--no-index" in run
            for run in runs
            if re.search(r"pip\b.*\binstall\b", run)
        ),
        "the wheel's sum is checked before it is installed": _first(runs, "sha256sum")
        < _first(runs, "--no-index"),
        "a user who is not root, by number, to the end": len(users) == 1
        and bool(re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", users[0]))
        and last[-1].word == "CMD"
        and not any(
            each.word == "RUN" for each in last[last.index(Instruction("USER", users[0])) :]
        ),
        "the code belongs to root": not any(
            "--chown" in each.rest for each in found if each.word == "COPY"
        ),
        "the main process gets signals": all(
            each.rest.startswith("[") for each in last if each.word in {"ENTRYPOINT", "CMD"}
        ),
        "a health check": any(each.word == "HEALTHCHECK" for each in last),
        "no ADD, which may download": not any(each.word == "ADD" for each in found),
        "no secret is built in": not any(
            re.search(r"(?i)password|token|secret", each.rest)
            for each in found
            if each.word in {"ARG", "ENV"}
        ),
    }
    return [rule for rule, holds in rules.items() if not holds]


def _first(runs: Sequence[str], part: str) -> int:
    return next((at for at, run in enumerate(runs) if part in run), len(runs))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_an_image_keeps_the_rules(file: Path) -> None:
    assert broken_rules(file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("written", "instead", "rule"),
    [
        (
            "ARG BASE_DIGEST",
            "ARG BASE_DIGEST=sha256:00",
            "no digest by default, so that a build without one fails",
        ),
        (
            "@${BASE_DIGEST}\nLABEL",
            ":latest\nLABEL",
            "each base is named by a digest that the builder gives",
        ),
        ('"--require-hashes", ', "", "every download of pip has a hash"),
        ("USER 10001:10001", "USER 0:0", "a user who is not root, by number, to the end"),
        (
            "USER 10001:10001",
            "USER schema-publisher",
            "a user who is not root, by number, to the end",
        ),
        ("COPY --from=build", "COPY --chown=10001 --from=build", "the code belongs to root"),
        ('RUN ["sha256sum"', 'RUN ["true"', "the wheel's sum is checked before it is installed"),
        ('CMD ["run", "--config"', 'CMD run "--config"', "the main process gets signals"),
    ],
)
def test_a_broken_rule_is_found(written: str, instead: str, rule: str) -> None:
    text = FILES[0].read_text(encoding="utf-8")
    assert written in text

    assert broken_rules(text.replace(written, instead)) == [rule]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_what_an_image_copies_exists_and_reaches_a_builder(file: Path) -> None:
    copied = [
        source
        for each in instructions(file.read_text(encoding="utf-8"))
        if each.word == "COPY" and "--from" not in each.rest
        for source in each.rest.split()[:-1]
    ]
    sent = re.findall(r"(?m)^!(.+)$", file.with_name(f"{file.name}.dockerignore").read_text())

    assert sorted(copied) == sorted(sent)
    assert f"requirements/{REQUIREMENTS[file.name]}" in copied
    assert (DEPLOY.parent / "requirements" / REQUIREMENTS[file.name]).is_file()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_hadolint_warns_of_nothing(file: Path) -> None:
    hadolint = judge_python().with_name("hadolint")

    found = ended(
        hadolint, "--no-color", "--format", "json", "--failure-threshold", "warning", file
    )

    assert found.returncode == 0, found.stdout
    # We want consecutive RUNs: short steps are easier to read, and layers cost little.
    assert {each["code"] for each in json.loads(found.stdout)} <= {"DL3059"}
