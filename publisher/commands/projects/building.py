"""Builds a wheel with a project's queries and descriptions, and one document that lists all views.

The same files give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from codegen.package import Wheel
from codegen.wheel import WHEEL_FILE, zipped_wheel
from publisher.commands.failures import NO, Refused
from publisher.commands.projects.values import Project, ViewSource
from publisher.index.protocol import PackageIndex

DOCUMENT: Final = "project.json"
_FORMAT: Final = 1
_METADATA: Final = """\
Metadata-Version: 2.2
Name: {name}
Version: {version}
Summary: {count} views of the database {database}, with the artifacts of their functions
Requires-Python: >=3.11
"""


def build_project_wheel(project: Project) -> Wheel:
    """The package and module ``NAME``, with the project's files."""
    package = project.name.replace("-", "_")
    info = f"{package}-{project.version}.dist-info"
    document = json.dumps(_document(project), indent=1, sort_keys=True, ensure_ascii=False)
    metadata = _METADATA.format(
        name=project.name,
        version=project.version,
        count=len(project.views),
        database=project.database,
    )
    entries = {
        f"{package}/__init__.py": b'"""Views of a data lake; generated, do not edit."""\n',
        f"{package}/{DOCUMENT}": f"{document}\n".encode(),
        **{f"{package}/{place}": content for place, content in _files(project).items()},
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": WHEEL_FILE,
    }
    data = zipped_wheel(entries, (), f"{info}/RECORD")
    filename = f"{package}-{project.version}-py3-none-any.whl"
    sha256 = hashlib.sha256(data).hexdigest()
    return Wheel(project.name, project.version, filename, data, sha256, "", "")


def publish_wheel(wheel: Wheel, index: PackageIndex, prefix: str) -> bool:
    """Uploads the wheel; False if the index has these bytes already.

    Raises:
        Refused: the index has other bytes for this version, or a relation's package has this name.
        PackageIndexError: the index does not answer, or refuses the wheel.
    """
    if wheel.distribution.startswith(f"{prefix}-"):
        why = f"{wheel.distribution}: names that begin with {prefix}- are those of relations' packages"
        raise Refused(NO, why, "give the project another name in project.toml")
    for file in index.files(wheel.distribution):
        if file.filename == wheel.filename:
            if file.sha256 == wheel.sha256:
                return False
            why = f"the index has other bytes of {wheel.distribution} {wheel.version}"
            raise Refused(NO, why, "raise the version in project.toml")
    index.upload(wheel)
    return True


def _document(project: Project) -> Mapping[str, Any]:
    return {
        "format": _FORMAT,
        "name": project.name,
        "version": project.version,
        "dialect": project.dialect.value,
        "views": [_view(view) for view in project.views],
    }


def _view(view: ViewSource) -> Mapping[str, Any]:
    return {
        "name": str(view.name),
        "file": view.path,
        "query": view.query,
        "owner": view.owner,
        "comment": view.comment,
        "properties": dict(view.properties),
        "functions": {name: c for udf in view.udfs for name, c in udf.functions.items()},
        "dependencies": [artifact.coordinates for artifact in view.artifacts],
        "columns": None if view.columns is None else dict(view.columns),
    }


def _files(project: Project) -> Mapping[str, bytes]:
    found: dict[str, bytes] = {}
    for view in project.views:
        query = project.folder / view.path
        for path in (query, query.with_suffix(".toml")):
            if path.exists():
                found[path.relative_to(project.folder).as_posix()] = path.read_bytes()
    return found
