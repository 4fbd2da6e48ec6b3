"""A package from a schema file: written, or refused with the reason."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.publisher.commands.folder import run

ORDER = {"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}


@pytest.mark.parametrize("options", [[], ["--immutable"]])
def test_the_package_is_importable_and_codes_records(tmp_path: Path, options: list[str]) -> None:
    schema = tmp_path / "order.avsc"
    schema.write_text(json.dumps(ORDER))

    ended = run(
        "generate", str(schema), "--package", "acme_order", "--output", str(tmp_path), *options
    )

    assert ended.status == 0, ended.err
    used = "import acme_order; print(acme_order.Order(id=3).to_avro())"
    asked = subprocess.run(
        [sys.executable, "-c", used], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert asked.stdout == "b'\\x06'\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'"string"', "is not a record"),
        (b"{", "JSON"),
        (b"\xff", "utf-8"),
        (b'{"type": "record", "name": "R", "fields": [{"name": "a", "type": "nope"}]}', "nope"),
    ],
)
def test_what_is_no_schema_of_a_record_is_refused(
    tmp_path: Path, text: bytes, expected: str
) -> None:
    schema = tmp_path / "order.avsc"
    schema.write_bytes(text)

    ended = run("generate", str(schema), "--package", "acme_order", "--output", str(tmp_path))

    assert ended.status == 2
    assert expected in ended.err
    assert "Traceback" not in ended.err


def test_a_file_that_is_not_there_is_something_outside(tmp_path: Path) -> None:
    ended = run("generate", str(tmp_path / "no.avsc"), "--package", "p", "--output", str(tmp_path))

    assert ended.status == 3
    assert "no.avsc" in ended.err
