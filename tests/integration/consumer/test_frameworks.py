"""A consumer hands records to libraries that know dataclasses: they work as with a frozen dataclass."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from codegen.standalone import generate
from deploy.tool_environments import tool_python
from tests.codegen.generated import record, record_of
from tests.integration.consumer import confluent_run, frameworks_run, frozen_dataclasses
from tests.integration.consumer.installed import ran

ADDRESS = record({"City": "string", "Zip": {"type": ["null", "long"], "default": None}}, "Address")
COMPANY = record({
    "Id": "long",
    "Name": {"type": ["null", "string"], "default": None},
    "tier": {"type": {"type": "enum", "name": "Tier", "symbols": ["A", "B"]}, "default": "A"},
    "tags": {"type": {"type": "map", "values": "string"}, "default": {}},
    "phones": {"type": {"type": "array", "items": "string"}, "default": []},
    "addr": {"type": ["null", ADDRESS], "default": None},
    "addrs": {"type": {"type": "array", "items": "Address"}, "default": []},
    "at": {"type": {"type": "long", "logicalType": "timestamp-micros"}},
    "day": {"type": ["null", {"type": "int", "logicalType": "date"}], "default": None},
    "ratio": {"type": {"type": "double"}, "default": 0.5},
    "ok": {"type": {"type": "boolean"}, "default": True},
    "key": {"type": ["null", {"type": "string", "logicalType": "uuid"}], "default": None},
    "price": {"type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 12,
                                "scale": 2}], "default": None},
}, "Company")  # fmt: skip


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """By the name of a module that has the classes: a folder to import it from."""
    folder = tmp_path_factory.mktemp("frameworks")
    generate(record_of(COMPANY), "mutable", folder)
    generate(record_of(COMPANY), "immutable", folder, immutable=True)
    reference = Path(frozen_dataclasses.__file__)
    return {"mutable": folder, "immutable": folder, reference.stem: reference.parent}


@pytest.mark.slow
@pytest.mark.parametrize("module", [Path(frozen_dataclasses.__file__).stem, "mutable", "immutable"])
@pytest.mark.parametrize("library", [*frameworks_run.LIBRARIES])
def test_a_library_treats_a_record_as_a_frozen_dataclass(
    classes: Mapping[str, Path], library: str, module: str
) -> None:
    python = tool_python("consumer")

    said = ran(python, frameworks_run.__file__, library, module, path=classes[module])

    assert said.strip()


UNION = record({
    "u": {"type": ["null", record({"x": "int"}, "A"), record({"x": "int"}, "B")], "default": None},
    "span": {"type": ["null", {"type": "fixed", "name": "Span", "size": 12,
                               "logicalType": "duration"}], "default": None},
})  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("immutable", [False, True], ids=["mutable", "immutable"])
def test_records_go_through_confluents_serialisers(tmp_path: Path, *, immutable: bool) -> None:
    generate(record_of(UNION), "sent", tmp_path, immutable=immutable)

    assert ran(tool_python("consumer"), confluent_run.__file__, "sent", path=tmp_path) == "True\n"
