"""Random Spark data frames are unchanged after a package has read and written them.

``make bench-data_frames`` judges ten thousand; these are a few of them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from tests.judges.codegen.frame_run import judge_frames


@pytest.fixture(autouse=True)
def _in_new_york() -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = "America/New_York"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


def test_every_frame_comes_back_as_it_was(spark: SparkSession) -> None:
    report = judge_frames(spark, range(500_000, 500_025), rows=6)

    assert report.shown == []
    assert report.rows > 50
    assert len(report.kinds) > 12
