from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeschema.avro.legal_names import legal_name, original_name
from lakeschema.avro.parsing import PRIMITIVE_TYPES, is_name
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.avro.names import (
    record_name,
    relation_namespace,
    type_name,
)

ANY_NAME = st.text(min_size=1, max_size=12) | st.from_regex(r"\A(_x[0-9A-Fa-f]{0,2}|[ab_]){1,5}\Z")


@given(ANY_NAME)
def test_a_legal_name_is_legal_and_reads_back(name: str) -> None:
    assert is_name(legal_name(name))
    assert original_name(legal_name(name)) == name


@given(st.sampled_from([*PRIMITIVE_TYPES, "_x69nt", "a", "1"]))
def test_a_type_name_is_not_a_primitive_types_and_reads_back(name: str) -> None:
    assert type_name(name) not in PRIMITIVE_TYPES
    assert original_name(type_name(name)) == name


def test_ordinary_names_stay() -> None:
    assert legal_name("user_id") == "user_id"
    assert legal_name("_c0") == "_c0"
    assert legal_name("a_x2Eb") == "a_x5Fx2Eb"


def test_an_empty_name_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        legal_name("")


@pytest.mark.parametrize(
    ("table", "record"),
    [
        ("user_events", "UserEvents"),
        ("_", "_"),
        ("1abc", "_x31abc"),
        ("a-b", "AB"),
        ("größe", "GrE"),
    ],
)
def test_a_record_is_named_after_its_table(table: str, record: str) -> None:
    assert record_name(RelationName.of("db", table)) == record


@given(st.lists(ANY_NAME, min_size=1, max_size=3), st.lists(ANY_NAME, min_size=1, max_size=3))
def test_two_relations_never_share_a_namespace(one: list[str], other: list[str]) -> None:
    first, second = RelationName.of(*one), RelationName.of(*other)

    assert (relation_namespace(first) == relation_namespace(second)) == (first == second)
