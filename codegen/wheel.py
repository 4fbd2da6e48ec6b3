"""Makes and reads packages as the bytes of a wheel (PEP 427, 491, 566), in memory.

The same request gives the same files on any host, and the same bytes with the same version of zlib.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from codegen import earlier_schemas
from codegen.changelog import (
    changelog_from_json,
    changelog_markdown,
    changelog_to_json,
    releases,
)
from codegen.errors import IllegalVersion, NotOurWheel
from codegen.layout import Layout, lay_out
from codegen.metadata import Extra, metadata, stated_extras
from codegen.modules import render_layout
from codegen.naming import distribution_name, import_name
from codegen.package import PackageContents, PackageRequest, Wheel
from codegen.runtime.errors import short_repr
from codegen.runtime_files import deflated_runtime, runtime_version
from codegen.surface import surface_hash_of
from codegen.zip_archive import deflated_zip
from codegen.zip_reader import ArchiveReader
from lakeschema.catalog.errors import CatalogError, MalformedName
from lakeschema.catalog.identifiers import RelationName, check_parts, is_catalog_name

_RELEASE = re.compile(r"(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){0,5}", re.ASCII)
WHEEL_FILE = (
    b"Wheel-Version: 1.0\nGenerator: schema-publisher\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
)
_REGISTRATION = '''\
"""Registers strategies with Hypothesis, if the package is imported already; generated, do not edit."""

import sys


def register() -> None:
    package = sys.modules.get("{package}")
    if package is not None:
        package._offer_strategies()
'''
MAX_PROVENANCE_BYTES = 16 * 1024 * 1024
MAX_SCHEMA_BYTES = 16 * 1024 * 1024
MAX_TYPES_BYTES = 4 * 1024 * 1024
MAX_METADATA_BYTES = 4 * 1024 * 1024
MAX_EARLIER_BYTES = 8 * earlier_schemas.MAX_BYTES
"""The limit for the earlier schemas in a wheel that is read; usually they have some kilobytes."""

_JSON = json.JSONEncoder(sort_keys=True)
_PUBLIC_NAMES = re.compile(r"^__all__ = \[(.*)\]$", re.MULTILINE)


def build_wheel(request: PackageRequest) -> Wheel:
    """The wheel of a request.

    Raises:
        IllegalVersion: the version is not a plain release.
        CodegenError: as in ``content_hash``.
    """
    if not _RELEASE.fullmatch(request.version):
        raise IllegalVersion(request.version)
    layout = lay_out(request.schema, immutable=request.immutable)
    distribution = distribution_name(request.relation, request.prefix)
    package = import_name(request.relation, request.prefix)
    escaped = distribution.replace("-", "_")
    info = f"{escaped}-{request.version}.dist-info"
    folder = package.replace(".", "/")
    surface = surface_hash_of(layout.shape, package)
    provenance = _json_bytes(_provenance(request, layout, surface))
    entries = {
        **render_layout(
            layout, package, request.relation, request.version, request.provenance.kind
        ),
        **_strategies_for_hypothesis(package, info),
        f"{folder}/provenance.json": provenance,
        f"{folder}/CHANGELOG.md": changelog_markdown(distribution, releases(request)),
        **_earlier_schemas(request, folder),
        f"{info}/METADATA": metadata(request, layout),
        f"{info}/WHEEL": WHEEL_FILE,
    }
    data = zipped_wheel(entries, _namespace_folders(package), f"{info}/RECORD")
    filename = f"{escaped}-{request.version}-py3-none-any.whl"
    sha256 = hashlib.sha256(data).hexdigest()
    return Wheel(
        distribution, request.version, filename, data, sha256, surface, provenance.decode()
    )


def _strategies_for_hypothesis(package: str, info: str) -> Mapping[str, bytes]:
    """The module that Hypothesis runs when Hypothesis is imported.

    It is next to the package, not in it: Hypothesis imports the module and its enclosing packages.
    """
    parent, _, name = package.rpartition(".")
    module = f"{parent}._{name}_strategies"
    return {
        f"{module.replace('.', '/')}.py": _REGISTRATION.format(package=package).encode("ascii"),
        f"{info}/entry_points.txt": f"[hypothesis]\n{package} = {module}:register\n".encode(),
    }


def _earlier_schemas(request: PackageRequest, folder: str) -> Mapping[str, bytes]:
    listed = request.earlier_schemas
    return {f"{folder}/{earlier_schemas.FILE}": earlier_schemas.to_file(listed)} if listed else {}


def content_hash(request: PackageRequest) -> str:
    """SHA-256 of the facts that a package states about its relation.

    The hash leaves out the version, the changelog, earlier versions' schemas, the event and the
    upstreams' schema hashes. So the package stays the same if an upstream's change does not affect this
    relation. It also leaves out the modules. They follow from the schema and the generator, whose code
    ``runtime_version`` identifies.

    Raises:
        CodegenError: no package can be built, for the same reason as in ``build_wheel``.
    """
    return _content_hash(request, lay_out(request.schema, immutable=request.immutable))


def _content_hash(request: PackageRequest, layout: Layout) -> str:
    provenance = request.provenance
    content: dict[str, Any] = {
        **_named(request.relation),
        "distribution": distribution_name(request.relation, request.prefix),
        "import": import_name(request.relation, request.prefix),
        "schema": layout.text,
        "kind": provenance.kind,
        "view_text": provenance.view_text,
        "upstreams": sorted(provenance.upstreams),
        "lineage": {column: list(sources) for column, sources in provenance.lineage.items()},
    }
    if request.immutable:
        # The option is hashed only if set, so that hashes from before it existed stay the same.
        content["immutable"] = True
    return hashlib.sha256(_json_bytes(content)).hexdigest()


def read_wheel(data: bytes) -> PackageContents:
    """The facts that a wheel made by ``build_wheel`` states about itself.

    Raises:
        NotOurWheel: another program made it, or it is damaged.
    """
    try:
        archive = ArchiveReader(data)
        stated = [name for name in archive.names if name.endswith("/provenance.json")]
        if len(stated) != 1:
            raise NotOurWheel(f"expected one provenance.json, found {len(stated)}")
        folder = stated[0].rpartition("/")[0]
        provenance: Any = json.loads(archive.read(stated[0], MAX_PROVENANCE_BYTES))
        schema = archive.read(f"{folder}/schema.avsc", MAX_SCHEMA_BYTES)
        schema_text = schema.decode().removesuffix("\n")
        earlier = f"{folder}/{earlier_schemas.FILE}"
        has_earlier = earlier in archive.names
        listed = archive.read(earlier, MAX_EARLIER_BYTES) if has_earlier else b"[]"
    except (ValueError, RecursionError) as error:
        raise NotOurWheel(str(error)) from error
    try:
        return PackageContents(
            _relation(provenance),
            _text(provenance["distribution"]),
            _text(provenance["import"]),
            _text(provenance["version"]),
            schema_text,
            _text(provenance["content_hash"]),
            provenance,
            _text(provenance.get("surface_hash", "")),
            changelog_from_json(provenance.get("changelog")),
            _stated_runtime_version(provenance),
            _stated_event_id(provenance, "newest_event_id")
            or _stated_event_id(provenance, "event_id"),
            _stated_class(provenance),
            earlier_schemas.from_file(listed),
        )
    except (KeyError, TypeError, ValueError, RecursionError, CatalogError) as error:
        raise NotOurWheel(f"invalid provenance: {short_repr(error)}") from error


def read_types(data: bytes, import_package: str) -> str:
    """The source of a wheel's classes; "" if the wheel lacks it, or if it is too large to show."""
    return _read_module(data, import_package, "_types")


def read_public_names(data: bytes, import_package: str) -> frozenset[str]:
    """The names in ``__all__`` of a wheel's package; empty if the wheel does not state them."""
    stated = _PUBLIC_NAMES.search(_read_module(data, import_package, "__init__"))
    return frozenset(re.findall(r"'(\w+)'", stated[1]) if stated else ())


def _read_module(data: bytes, import_package: str, module: str) -> str:
    path = f"{import_package.replace('.', '/')}/{module}.py"
    try:
        return ArchiveReader(data).read(path, MAX_TYPES_BYTES).decode()
    except ValueError:
        return ""


def read_extras(data: bytes) -> tuple[Extra, ...]:
    """The extras that a wheel's metadata states; empty if the wheel lacks it."""
    try:
        archive = ArchiveReader(data)
        stated = [name for name in archive.names if name.endswith(".dist-info/METADATA")]
        text = archive.read(stated[0], MAX_METADATA_BYTES) if stated else b""
    except ValueError:
        return ()
    return stated_extras(text.decode("utf-8", "replace"))


def _relation(provenance: Mapping[str, Any]) -> RelationName:
    *namespace, name = map(_text, provenance["relation"])
    catalog = _text(provenance.get("catalog", ""))
    relation = RelationName(tuple(namespace), name, catalog)
    if catalog and not is_catalog_name(catalog):
        raise MalformedName(catalog)
    check_parts(relation.parts)
    return relation


def _named(relation: RelationName) -> dict[str, Any]:
    """The relation's name, and its catalog if that is not the default catalog.

    The default catalog is left out, so that earlier hashes and files stay the same.
    """
    catalog = {"catalog": relation.catalog} if relation.catalog else {}
    return {"relation": list(relation.parts), **catalog}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected a string, got {short_repr(value)}")
    # Raises for half of a surrogate pair, which JSON can express, but no state or file can store.
    value.encode()
    return value


def _stated_runtime_version(provenance: object) -> str:
    match provenance:
        case {"generator": {"runtime_version": str(version)}}:
            return _text(version)
        case _:
            return ""


def _stated_class(provenance: Mapping[str, Any]) -> str:
    match provenance.get("record"):
        case str(name) if name.isascii() and name.isidentifier():
            return name
        case _:
            return ""


def _stated_event_id(provenance: Mapping[str, Any], key: str) -> int | None:
    match provenance.get(key):
        case int(event_id) if 0 <= event_id < 2**63:
            return int(event_id)
        case _:
            return None


def _provenance(request: PackageRequest, layout: Layout, surface: str) -> dict[str, Any]:
    provenance = request.provenance
    newest = provenance.newest_event_id
    return {
        **_named(request.relation),
        "distribution": distribution_name(request.relation, request.prefix),
        "import": import_name(request.relation, request.prefix),
        "record": layout.shape.root.class_name,
        "version": request.version,
        "kind": provenance.kind,
        "view_text": provenance.view_text,
        "upstreams": dict(provenance.upstreams),
        "lineage": {column: list(sources) for column, sources in provenance.lineage.items()},
        "content_hash": _content_hash(request, layout),
        "surface_hash": surface,
        # The earlier versions whose schemas are also in the package.
        **(
            {"earlier_schemas": [list(each.versions) for each in request.earlier_schemas]}
            if request.earlier_schemas
            else {}
        ),
        "change": provenance.change,
        "reasons": list(provenance.reasons),
        "changelog": changelog_to_json(releases(request)),
        "event_id": provenance.event_id,
        # The id is written only if set, so that an earlier release's wheel is rebuilt unchanged.
        **({} if newest is None else {"newest_event_id": newest}),
        "generator": {
            "name": "schema-publisher",
            "version": provenance.generator_version,
            "runtime_version": runtime_version(),
        },
        "labels": dict(provenance.labels),
        "fingerprints": {
            "crc-64-avro": f"{layout.fingerprints.crc_64_avro:016x}",
            "sha-256": layout.fingerprints.sha_256,
        },
    }


def _json_bytes(value: Mapping[str, Any]) -> bytes:
    """JSON with one line for each key. ``json.dumps`` with ``indent`` would use a slow encoder."""
    lines = [f' "{key}": {_JSON.encode(value[key])}' for key in sorted(value)]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _namespace_folders(package: str) -> list[tuple[str, bytes]]:
    """Entries for the folders above a package, so that it is found in an archive on ``sys.path``.

    These folders have no ``__init__.py``, and zipimport requires an entry for such a folder.
    """
    parts = package.split(".")
    return [("/".join(parts[:depth]) + "/", b"") for depth in range(1, len(parts))]


def zipped_wheel(
    entries: Mapping[str, bytes], folders: Sequence[tuple[str, bytes]], record_path: str
) -> bytes:
    """The bytes of a wheel with these files; ``record_path`` is where its RECORD goes."""
    lines = [f"{path},sha256={_digest(entries[path])},{len(entries[path])}" for path in entries]
    record = "\n".join([*sorted(lines), f"{record_path},,"]) + "\n"
    # The .dist-info folder comes last, as the specification recommends.
    order = sorted(entries, key=lambda path: (".dist-info/" in path, path))
    return deflated_zip(
        [*folders, *((path, entries[path]) for path in order), (record_path, record.encode())],
        deflated_runtime(),
    )


# Most files belong to the runtime, which is the same in every package and already deflated.
@functools.lru_cache(maxsize=128)
def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
