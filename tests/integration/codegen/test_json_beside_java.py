"""Avro's JSON encoding, compared with Java's encoder and decoder.

``make bench-json_encoding`` judges twenty thousand schemas; these are a few hundred of them.
"""

from __future__ import annotations

from deploy.avro import AvroJudge
from tests.judges.codegen.json_run import Judged, judge_json

SCHEMAS = range(300_000, 300_500)


def test_each_reads_the_json_of_the_other_as_the_value_that_was_written(avro: AvroJudge) -> None:
    report = judge_json(avro, SCHEMAS, values=4)

    assert report.shown == []
    assert report.schemas == 500
    assert report.outcomes[Judged.JAVA_READS_OURS] > 1500
    assert report.outcomes[Judged.WE_READ_JAVAS] > 1500
    assert report.outcomes[Judged.DAMAGED_AS_JAVA] > 100
    assert report.outcomes[Judged.DAMAGED_REFUSED] > 500
