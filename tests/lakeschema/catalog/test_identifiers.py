from hypothesis import given
from hypothesis import strategies as st

from lakeschema.catalog.identifiers import RelationName

parts = st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=4)


@given(parts)
def test_a_printed_name_reads_back_as_itself(name_parts: list[str]) -> None:
    name = RelationName.of(*name_parts)

    assert RelationName.parse(str(name)) == name
