"""The command asks the installed plugins."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

REQUEST = {
    "id": 1,
    "ddl": [
        "CREATE TABLE t (a STRING)",
        "CREATE VIEW v TBLPROPERTIES ('functions' = 'up:com.acme.Up') AS SELECT up(a) b FROM t",
    ],
    "relation": "v",
}


def test_an_installed_plugin_says_what_a_class_returns(tmp_path: Path) -> None:
    (tmp_path / "acme_types.py").write_text(
        "from lakeschema.udfs import Returns, parse_type\n"
        "def resolve(class_name, dependencies):\n"
        "    return Returns(parse_type('bigint'))\n"
    )
    metadata = tmp_path / "acme_types-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-types\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[schema_publisher.udfs]\nacme = acme_types:resolve\n"
    )

    run = subprocess.run(
        [sys.executable, "-m", "publisher", "translate", "--batch"],
        input=json.dumps(REQUEST) + "\n",
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
        capture_output=True,
        text=True,
        check=True,
    )

    (field,) = json.loads(run.stdout)["result"]["fields"]
    assert field["name"] == "b"
    assert field["type"] == ["null", "long"]
