"""A wheel's description for its page, rendered by a process with limits."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator

import pytest

from codegen.package import Release
from lakeschema.isolation.limits import Handler, Limits
from lakeschema.isolation.pool import LimitedProcesses
from publisher.web.descriptions import (
    HANDLER,
    Undescribed,
    describe,
    describe_limited,
    description_processes,
)
from tests.publisher.web.packages import field, record_schema, wheels

SCHEMAS = [record_schema(field("id")), record_schema(field("id"), field("name", "string"))]
WHEEL = wheels("example.company", SCHEMAS)[-1].data


@pytest.fixture
def processes() -> Iterator[LimitedProcesses]:
    with description_processes() as started:
        yield started


def test_a_process_describes_a_wheel_as_it_is(processes: LimitedProcesses) -> None:
    described = describe_limited(processes, WHEEL)

    assert described == describe(WHEEL)
    assert described.rows
    assert isinstance(described.contents.changelog[0], Release)


def test_what_is_not_a_wheel_of_ours_is_refused_and_the_process_goes_on(
    processes: LimitedProcesses,
) -> None:
    with pytest.raises(Undescribed, match="zip"):
        describe_limited(processes, b"garbage")

    assert describe_limited(processes, WHEEL)


def test_a_wheel_that_takes_too_long_costs_its_own_page_only() -> None:
    handler = Handler("publisher.web.descriptions:answer_about_wheels", {})
    limits = Limits(timeout_seconds=0.0001)
    with (
        LimitedProcesses({HANDLER: handler}, count=1, limits=limits) as processes,
        pytest.raises(Undescribed, match="killed a process"),
    ):
        describe_limited(processes, _with_fields(20_000))


def test_nothing_is_described_once_the_service_ends(processes: LimitedProcesses) -> None:
    processes.close()

    with pytest.raises(Undescribed):
        describe_limited(processes, WHEEL)


def _with_fields(count: int) -> bytes:
    """A wheel of nobody with a large schema."""
    fields = [{"name": f"f{number}", "type": "int"} for number in range(count)]
    provenance = {
        "relation": ["d", "t"],
        "distribution": "x",
        "import": "x",
        "version": "1.0.0",
        "content_hash": "",
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x/provenance.json", json.dumps(provenance))
        archive.writestr(
            "x/schema.avsc", json.dumps({"type": "record", "name": "R", "fields": fields})
        )
    return out.getvalue()
