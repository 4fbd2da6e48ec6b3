"""The state in memory behaves like the state in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from publisher.state.records import RelationRecord, VersionRecord
from tests.simulation.story import begin


@pytest.mark.parametrize("seed", range(3))
def test_a_story_is_the_same_in_memory_and_in_a_file(tmp_path: Path, seed: int) -> None:
    assert remembered(seed, None) == remembered(seed, tmp_path)


def remembered(
    seed: int, folder: Path | None
) -> tuple[list[bytes], list[RelationRecord], list[VersionRecord]]:
    """The uploads in the story of a seed, and its final state."""
    simulation, story = begin(seed, folder=folder)
    for _ in range(60):
        story.act()
    simulation.settle()
    records, versions = simulation._inner.read(
        lambda tx: (tx.graph.every_record(), tx.versions.every_version())
    )
    simulation.close()
    uploaded = [wheel.data for wheel in simulation.index.history]
    return uploaded, list(records.values()), list(versions)
