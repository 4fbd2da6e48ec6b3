"""A consumer bundles a program with PyInstaller: the bundle has the modules that packages import by name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from codegen.standalone import generate
from deploy.tool_environments import tool_python
from tests.codegen.generated import record_of
from tests.codegen.runtime.test_records import ORDER
from tests.integration.consumer.installed import ran

PROGRAM = """
import copy, dataclasses, io, json, pickle
import bought
order = bought.Order.example()
file, lines = io.BytesIO(), io.BytesIO()
bought.write_file(file, [order])
bought.write_jsonl(lines, [order])
done = [
    bought.Order.from_avro(order.to_avro()),
    bought.Order.from_json(order.to_json()),
    bought.from_dict(bought.to_dict(order)),
    next(bought.read_file(io.BytesIO(file.getvalue()))),
    next(bought.read_jsonl(io.BytesIO(lines.getvalue()))),
    order.replace(id=order.id),
    bought.Order.of(order),
    pickle.loads(pickle.dumps(order)),
    bought.Order.from_single_object(order.to_single_object()),
]
assert all(each == order for each in done)
assert order != 1 and json.loads(bought.Order.SCHEMA) and not bought.diff(order, copy.copy(order))
print(len(dataclasses.fields(order)), bought.columns.id, bought.row_types.OrderRow.__name__)
"""


@pytest.mark.slow
def test_a_bundled_program_does_all_that_packages_do(tmp_path: Path) -> None:
    generate(record_of(ORDER), "bought", tmp_path)
    (tmp_path / "program.py").write_text(PROGRAM)
    python = tool_python("consumer")

    ran(python, "-m", "PyInstaller", "--log-level", "ERROR", "--onedir", "program.py", cwd=tmp_path)

    folder = tmp_path / "dist" / "program"
    for package in (tmp_path / "bought").rglob("*.py"):
        package.unlink()
    ending = ".exe" if sys.platform == "win32" else ""
    assert ran(folder / f"program{ending}", cwd=tmp_path / "dist") == "7 id OrderRow\n"
