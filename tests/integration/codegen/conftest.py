from __future__ import annotations

from collections.abc import Iterator

import pytest

from deploy.avro import AvroJudge


@pytest.fixture(scope="session")
def avro(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AvroJudge]:
    """Java's Avro, the judge of what bytes mean."""
    with AvroJudge.start(tmp_path_factory.mktemp("avro")) as running:
        yield running
