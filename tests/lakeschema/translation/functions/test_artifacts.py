from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeschema.translation.functions.artifacts import Artifact, parse_artifact, split_dependencies


@pytest.mark.parametrize(
    ("text", "artifact"),
    [
        ("org:mod:1.0", Artifact("org", "mod", "1.0")),
        ("ivy://com.acme:udf-jar:1.0-SNAPSHOT", Artifact("com.acme", "udf-jar", "1.0-SNAPSHOT")),
        (
            "ivy://a:b:1?transitive=false&classifier=spark_2.12",
            Artifact("a", "b", "1", "transitive=false&classifier=spark_2.12"),
        ),
        ("a:b:1?exclude=c:d,e:f", Artifact("a", "b", "1", "exclude=c:d,e:f")),
    ],
)
def test_coordinates_are_read(text: str, artifact: Artifact) -> None:
    assert parse_artifact(text) == artifact


@pytest.mark.parametrize(
    "text",
    [
        "",
        "org:mod",
        "org:mod:1:2",
        "org::1",
        "ivy://",
        "http://host/x.jar",
        "file:///etc/passwd",
        "../x:mod:1",
        "org:mod:1'; DROP TABLE t; --",
        "org:mod:1`",
        "org:mod:1\n",
        "org:mod:1?a",
        "org:mod:1?a=b'c",
        "org:mod:1 ",
        "ärger:mod:1",
        f"org:mod:{'1' * 1000}",
    ],
)
def test_a_text_that_is_not_an_artifact_is_refused(text: str) -> None:
    assert parse_artifact(text) is None


def test_an_artifacts_address_is_read_back() -> None:
    artifact = Artifact("org", "mod", "1.0", "transitive=false")

    assert str(artifact) == "ivy://org:mod:1.0?transitive=false"
    assert parse_artifact(str(artifact)) == artifact


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("", ()),
        (" , ,; ", ()),
        ("a:b:1", ("a:b:1",)),
        ("a:b:1,c:d:2", ("a:b:1", "c:d:2")),
        ("a:b:1 ivy://c:d:2\n\te:f:3", ("a:b:1", "ivy://c:d:2", "e:f:3")),
        ("a:b:1, a:b:1", ("a:b:1",)),
        ("a:b:1?exclude=c:d,e:f,g:h:2", ("a:b:1?exclude=c:d,e:f", "g:h:2")),
        ("a:b:1?exclude=c:d,e:f&transitive=true,g:h:2", ("a:b:1?exclude=c:d,e:f&transitive=true", "g:h:2")),
        ("a:b:1?transitive=true,c:d", ("a:b:1?transitive=true", "c:d")),
    ],
)  # fmt: skip
def test_entries_are_parted_at_blanks_and_commas(text: str, entries: tuple[str, ...]) -> None:
    assert split_dependencies(text) == entries


@given(st.text(alphabet="ab:.,?&= ;\n/exclud'`", max_size=80))
def test_any_text_is_read_and_no_blank_gets_through(text: str) -> None:
    for entry in split_dependencies(text):
        artifact = parse_artifact(entry)
        assert artifact is None or parse_artifact(str(artifact)) == artifact
        assert not set(str(artifact or "")) & set(" \n'`;")


@pytest.mark.thorough
@pytest.mark.parametrize("unit", [",x:y", "?exclude=", "&exclude=", ",x:y&exclude=", ","])
def test_time_to_split_grows_with_the_length_alone(unit: str) -> None:
    text = "a:b:1?exclude=x:y" + unit * (3_000_000 // len(unit)) + "&"
    started = time.process_time()

    split_dependencies(text)

    # Quadratic time would be minutes.
    assert time.process_time() - started < 10
