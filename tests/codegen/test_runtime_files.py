"""The version of generated code: it depends on the runtime and the renderers, but on no schema."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile

import pytest

from codegen.modules import render_modules
from codegen.runtime_files import RENDERER_VERSION, runtime_files, runtime_version, version_of
from codegen.wheel import build_wheel, read_wheel
from tests.codegen.generated import record_of
from tests.codegen.test_types_of_packages import every
from tests.codegen.test_wheel import files_of, request_for

RENDERED = (19, "6570d700793a7fde572ea6410c92b19e3b5ee62446d6b6a22aa6442784a911dc")
"""``RENDERER_VERSION``, and the SHA-256 of what it renders for a schema of every kind of type."""


def test_other_code_is_rendered_by_another_renderer_version() -> None:
    digest = hashlib.sha256()
    for immutable in (False, True):
        modules = render_modules(record_of(every()), "p", immutable=immutable)
        for path in sorted(path for path in modules if "/_avro/" not in path):
            digest.update(path.encode() + b"\0" + modules[path])

    # Rendered code has changed: raise RENDERER_VERSION, and record it here with the new digest.
    assert (RENDERER_VERSION, digest.hexdigest()) == RENDERED


def test_the_version_depends_on_every_byte_of_the_runtime_and_on_the_renderer() -> None:
    modules = {"a.py": b"1", "b.py": b"2"}

    versions = {
        version_of(modules, 1),
        version_of(modules, 2),
        version_of({**modules, "b.py": b"3"}, 1),
        version_of({"a.py": b"1", "c.py": b"2"}, 1),
        version_of({"a.py": b"1"}, 1),
    }

    assert len(versions) == 5
    assert version_of(dict(reversed(modules.items())), 1) == version_of(modules, 1)
    assert runtime_version() == version_of(runtime_files(), RENDERER_VERSION)


def test_a_wheel_states_its_runtime_version_and_reads_back() -> None:
    wheel = build_wheel(request_for())

    stated = json.loads(files_of(wheel.data)["acme_schemas/example/company/provenance.json"])

    assert len(runtime_version()) == 16
    assert stated["generator"]["runtime_version"] == runtime_version()
    assert read_wheel(wheel.data).runtime_version == runtime_version()


@pytest.mark.parametrize(
    "generator", [{"name": "schema-publisher"}, "x", None, {"runtime_version": 1}]
)
def test_a_wheel_that_states_no_runtime_version_reads_as_of_none(generator: object) -> None:
    files = files_of(build_wheel(request_for()).data)
    path = "acme_schemas/example/company/provenance.json"
    provenance = {**json.loads(files[path]), "generator": generator}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in {**files, path: json.dumps(provenance).encode()}.items():
            archive.writestr(name, data)

    assert read_wheel(out.getvalue()).runtime_version == ""
