"""Wheels: the same bytes everywhere, valid by the standards, and readable."""

from __future__ import annotations

import base64
import csv
import dataclasses
import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile
from email.parser import BytesParser
from pathlib import Path
from typing import Any

import pytest
from packaging.metadata import Metadata

from codegen.errors import IllegalVersion, NotOurWheel
from codegen.package import PackageRequest, Provenance, Release
from codegen.rebuilding import request_again
from codegen.wheel import MAX_PROVENANCE_BYTES, build_wheel, content_hash, read_wheel
from codegen.zip_reader import MAX_DIRECTORY_BYTES
from lakeschema.catalog.identifiers import RelationName
from tests.codegen.generated import record, record_of

EXTRAS = [
    'pyarrow>=14; extra == "arrow"',
    'pyspark>=3.5; extra == "spark"',
    'cramjam>=2.8; extra == "snappy"',
    'backports.zstd>=1.0; extra == "zstandard" and python_version < "3.14"',
]
HOSTILE_DOC = "a | b\n\n# <script>alert(1)</script> [x](javascript:y)\r\nRequires-Dist: evil\x85z"


def request_for(relation: str = "example.company", **changes: Any) -> PackageRequest:
    document = record({
        "name": "string",
        "state": {"type": ["null", {"type": "enum", "name": "State", "symbols": ["CA", "NY"]}],
                  "default": None},
        "class": {"type": {"type": "array", "items": "string"}, "doc": HOSTILE_DOC},
    }, "Company")  # fmt: skip
    document["doc"] = HOSTILE_DOC
    provenance = Provenance(
        kind="view",
        view_text="SELECT 1",
        upstreams={"example.b": "22", "example.a": "11"},
        lineage={"name": ("example.a.name",)},
        reasons=(HOSTILE_DOC,),
        event_id=7,
        generator_version="0.1.0",
        labels={"follows": True},
    )
    request = PackageRequest(
        RelationName.parse(relation), "acme-schema", "1.2.3", record_of(document), provenance
    )
    return dataclasses.replace(request, **changes)


def files_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {
            entry.filename: archive.read(entry)
            for entry in archive.infolist()
            if not entry.is_dir()
        }


@pytest.mark.parametrize(
    ("kind", "relation", "expected"),
    [
        ("view", "mart.unpaid", "A row of the view mart.unpaid."),
        ("table", "shop.orders", "A row of the table shop.orders."),
        ("table", 'shop.`a"""\n\\b`', 'A row of the table shop.`a\\"\\"\\" \\\\b`.'),
    ],
)
def test_a_relation_without_a_comment_is_said_to_have_rows(
    kind: str, relation: str, expected: str
) -> None:
    schema = record_of(record({"id": "int"}, "Company"))
    request = request_for(relation, schema=schema, provenance=Provenance(kind=kind))

    files = files_of(build_wheel(request).data)

    (types,) = [data.decode() for path, data in files.items() if path.endswith("/_types.py")]
    assert f'class Company:\n    """{expected}"""\n' in types


def test_wheel_reads_back_as_what_was_asked_for() -> None:
    request = request_for()

    wheel = build_wheel(request)
    contents = read_wheel(wheel.data)

    assert wheel.filename == "acme_schema_example_company-1.2.3-py3-none-any.whl"
    assert wheel.sha256 == hashlib.sha256(wheel.data).hexdigest()
    assert contents.relation == request.relation
    assert contents.distribution == wheel.distribution == "acme-schema-example-company"
    assert contents.import_package == "acme_schemas.example.company"
    assert contents.version == "1.2.3"
    assert contents.provenance["view_text"] == "SELECT 1"
    assert contents.provenance["lineage"] == {"name": ["example.a.name"]}
    assert (
        contents.schema_text
        in files_of(wheel.data)["acme_schemas/example/company/schema.avsc"].decode()
    )


@pytest.mark.parametrize(
    ("stated", "expected"),
    [((7, None), 7), ((7, 9), 9), ((None, None), None), ((True, "9"), 1), ((-1, 2**63), None)],
)
def test_a_wheel_says_which_event_its_schema_reflects_at_the_latest(
    stated: tuple[Any, Any], expected: int | None
) -> None:
    request = changed_provenance(event_id=stated[0], newest_event_id=stated[1])

    assert read_wheel(build_wheel(request).data).newest_event_id == expected


@pytest.mark.parametrize("newest", [None, 9])
def test_a_wheel_is_built_again_from_what_it_states(newest: int | None) -> None:
    request = changed_provenance(newest_event_id=newest, earlier=())
    wheel = build_wheel(request)
    like = dataclasses.replace(request, version="0.0.0", provenance=Provenance())

    assert build_wheel(request_again(wheel.provenance, like)).data == wheel.data


def test_record_lists_every_file_with_its_hash() -> None:
    files = files_of(build_wheel(request_for()).data)

    info = "acme_schema_example_company-1.2.3.dist-info"
    rows = list(csv.reader(io.StringIO(files[f"{info}/RECORD"].decode())))

    assert {row[0] for row in rows} == set(files)
    for path, digest, size in rows:
        if path != f"{info}/RECORD":
            expected = base64.urlsafe_b64encode(hashlib.sha256(files[path]).digest())
            assert digest == "sha256=" + expected.decode().rstrip("=")
            assert int(size) == len(files[path])


def test_only_the_folders_above_a_package_have_entries() -> None:
    with zipfile.ZipFile(io.BytesIO(build_wheel(request_for()).data)) as archive:
        folders = [entry.filename for entry in archive.infolist() if entry.is_dir()]

    assert folders == ["acme_schemas/", "acme_schemas/example/"]


def test_two_distributions_share_no_file() -> None:
    one = files_of(build_wheel(request_for("a_b.c")).data)
    other = files_of(build_wheel(request_for("a.b_c")).data)

    assert not set(one) & set(other)
    assert "acme_schemas/__init__.py" not in one
    assert "acme_schemas/a_b/__init__.py" not in one


def test_metadata_holds_untrusted_text_without_becoming_headers_or_markup() -> None:
    files = files_of(build_wheel(request_for()).data)
    data = files["acme_schema_example_company-1.2.3.dist-info/METADATA"]

    parsed = Metadata.from_email(data, validate=True)
    message = BytesParser().parsebytes(data)

    assert parsed.requires_dist is not None
    assert [str(r) for r in parsed.requires_dist] == EXTRAS
    assert message.get_all("Requires-Dist") == EXTRAS
    description = str(parsed.description)
    assert "<script>" not in description
    assert "](javascript" not in description
    assert str(parsed.requires_python) == ">=3.11"
    assert parsed.provides_extra == ["arrow", "spark", "snappy", "zstandard"]
    assert (
        "| class \\(in Python\\: class\\_\\)" in description or "in Python: class\\_" in description
    )


def test_metadata_links_to_where_the_deployment_says() -> None:
    urls = {
        "Package page": "https://packages.example/{name}#versions",
        "Source": "https://git.example/search?q={relation}",
    }
    request = request_for("example.a&b=c", project_urls=urls)
    wheel = build_wheel(request)
    info = f"{wheel.filename.removesuffix('-py3-none-any.whl')}.dist-info"

    parsed = Metadata.from_email(files_of(wheel.data)[f"{info}/METADATA"], validate=True)

    assert parsed.project_urls == {
        "Package page": f"https://packages.example/{wheel.distribution}#versions",
        "Source": "https://git.example/search?q=example.%60a%26b%3Dc%60",
    }
    assert content_hash(request) == content_hash(request_for("example.a&b=c"))


def test_metadata_says_what_an_enum_means() -> None:
    state = {"type": "enum", "name": "State", "symbols": ["CA"], "doc": "Where <it> is taxed."}
    document = record({
        "state": {"type": ["null", {"type": "array", "items": state}], "doc": "Of each seat."},
    }, "Company")  # fmt: skip
    files = files_of(build_wheel(request_for(schema=record_of(document))).data)
    text = files["acme_schema_example_company-1.2.3.dist-info/METADATA"].decode()

    assert r"| array of State | yes | Of each seat\. State\: Where \<it\> is taxed\. |" in text


def test_metadata_says_what_a_view_reads() -> None:
    files = files_of(build_wheel(request_for()).data)
    text = files["acme_schema_example_company-1.2.3.dist-info/METADATA"].decode()

    assert "| Reads | example\\.a, example\\.b |" in text


CODE = """
import sys, hashlib
sys.path.insert(0, sys.argv[1])
from tests.codegen.test_wheel import request_for
from codegen.wheel import build_wheel, content_hash
print(build_wheel(request_for()).sha256, content_hash(request_for()))
"""


@pytest.mark.slow
def test_bytes_are_the_same_whatever_the_process() -> None:
    root = Path(__file__).parents[2]
    printed = set()
    for seed, zone in (("0", "UTC"), ("1", "Asia/Tokyo"), ("4242", "America/New_York")):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": "C"}
        done = subprocess.run(
            [sys.executable, "-c", CODE, str(root)],
            env=environment, cwd=root, capture_output=True, text=True, check=True,
        )  # fmt: skip
        printed.add(done.stdout)
    assert len(printed) == 1


def test_a_wheel_takes_less_than_half_of_its_files() -> None:
    data = build_wheel(request_for()).data

    assert len(data) < sum(map(len, files_of(data).values())) / 2


def test_order_of_mappings_changes_no_byte() -> None:
    one = request_for()
    reversed_ = dataclasses.replace(
        one.provenance, upstreams=dict(reversed(list(one.provenance.upstreams.items())))
    )

    assert build_wheel(one).data == build_wheel(request_for(provenance=reversed_)).data


def changed_provenance(**changes: Any) -> PackageRequest:
    return request_for(provenance=dataclasses.replace(request_for().provenance, **changes))


@pytest.mark.parametrize(
    "request_",
    [
        request_for(version="9.0.0"),
        changed_provenance(event_id=None),
        changed_provenance(
            change="major", reasons=(), earlier=(Release("1.2.2", "first", ("x",)),)
        ),
        changed_provenance(generator_version="9"),
        changed_provenance(upstreams={"example.a": "other", "example.b": "other"}),
    ],
)
def test_content_hash_leaves_out_how_a_package_came_about(request_: PackageRequest) -> None:
    assert content_hash(request_) == content_hash(request_for())


@pytest.mark.parametrize(
    "request_",
    [
        request_for("example.other"),
        request_for(prefix="other"),
        request_for(schema=record_of(record({"name": "int"}))),
        changed_provenance(view_text="SELECT 2"),
        changed_provenance(lineage={}),
        changed_provenance(upstreams={"example.a": "11"}),
    ],
)
def test_content_hash_covers_what_a_package_says(request_: PackageRequest) -> None:
    assert content_hash(request_) != content_hash(request_for())


@pytest.mark.parametrize(
    ("immutable", "content", "surface"),
    [
        (False, "b501d4f56087b9d4", "8744f97622e41d81"),
        (True, "70297b8422330c1c", "c7ba27334d39b134"),
    ],
)
def test_hashes_that_states_have_stored_stay_what_they_were(
    immutable: bool, content: str, surface: str
) -> None:
    request = request_for(immutable=immutable)

    assert content_hash(request)[:16] == content
    assert build_wheel(request).surface_hash[:16] == surface


@pytest.mark.parametrize("version", ["", "1.0.0\nX: y", "../1", "v1", "1.0-1", "01.0", "1.0.0a1"])
def test_version_that_is_no_release_is_refused(version: str) -> None:
    with pytest.raises(IllegalVersion):
        build_wheel(request_for(version=version))


def _zip(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK",
        _zip(),
        _zip(**{"a/provenance.json": b"{"}),
        _zip(**{"a/provenance.json": b"{}", "a/schema.avsc": b"{}"}),
        _zip(**{"a/provenance.json": b"[]", "a/schema.avsc": b"{}"}),
        _zip(**{"a/provenance.json": b'{"relation":[""]}', "a/schema.avsc": b"\xff"}),
        build_wheel(request_for()).data[:-500],
    ],
)
def test_wheel_of_another_program_is_refused(data: bytes) -> None:
    with pytest.raises(NotOurWheel):
        read_wheel(data)


def rezipped(**provenance: object) -> bytes:
    """A wheel of ours, deflated, that states these facts instead of its own."""
    source = zipfile.ZipFile(io.BytesIO(build_wheel(request_for()).data))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in source.namelist():
            data = source.read(name)
            if name.endswith("/provenance.json"):
                data = json.dumps({**json.loads(data), **provenance}).encode()
            archive.writestr(name, data)
    return out.getvalue()


def patched(method: int | None = None, flags: int = 0, data: bytes | None = None) -> bytes:
    """A wheel whose directory misstates provenance.json, or whose bytes of it are replaced."""
    wheel = bytearray(rezipped())
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        [member] = [m for m in archive.infolist() if m.filename.endswith("/provenance.json")]
    entry = wheel.rfind(member.filename.encode()) - 46
    wheel[entry + 8] |= flags
    wheel[member.header_offset + 6] |= flags
    if method is not None:
        wheel[entry + 10 : entry + 12] = method.to_bytes(2, "little")
        wheel[member.header_offset + 8 : member.header_offset + 10] = method.to_bytes(2, "little")
    if data is not None:
        start = member.header_offset + 30 + len(member.filename)
        wheel[start : start + len(data)] = data
    return bytes(wheel)


def nested(depth: int) -> bytes:
    return b'{"x":' + b"[" * depth + b"]" * depth + b"}"


@pytest.mark.parametrize(
    "data",
    [
        patched(data=b"\xff" * 20),
        patched(flags=1),
        patched(method=zipfile.ZIP_BZIP2),
        patched(method=zipfile.ZIP_LZMA),
        patched(method=99),
        rezipped(relation=[]),
        rezipped(relation=5),
        rezipped(relation=["\ud800", "x"]),
        rezipped(content_hash="\ud800"),
        rezipped(generator={"runtime_version": "\ud800"}),
        _zip(**{"a/provenance.json": nested(200_000), "a/schema.avsc": b"{}"}),
    ],
)
def test_hostile_wheel_is_refused_as_a_wheel_of_another_program(data: bytes) -> None:
    with pytest.raises(NotOurWheel):
        read_wheel(data)


def test_change_that_no_version_makes_is_not_adopted_from_a_changelog() -> None:
    entry = {"version": "1.0.0", "change": "\ud800", "lines": ["a line"]}

    contents = read_wheel(rezipped(changelog=[entry, 1]))

    assert contents.changelog == (Release("1.0.0", "", ("a line",)),)


def test_wheel_is_refused_before_it_is_decompressed_beyond_the_bound() -> None:
    out = io.BytesIO()
    with (
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("a/provenance.json", "w") as member,
    ):
        for _ in range(2 * MAX_PROVENANCE_BYTES // 1_000_000):
            member.write(b" " * 1_000_000)

    with pytest.raises(NotOurWheel, match="larger than"):
        read_wheel(out.getvalue())


def test_wheel_with_an_endless_list_of_members_is_refused_unread() -> None:
    names = {f"f{number}" + "x" * 1000: b"" for number in range(MAX_DIRECTORY_BYTES // 1000)}

    with pytest.raises(NotOurWheel, match="list of members"):
        read_wheel(_zip(**names))


@pytest.mark.slow
def test_strict_checkers_accept_the_wheel(tmp_path: Path) -> None:
    for relation in ("example.company", "d.x-y", f"d.{'x' * 300}"):
        wheel = build_wheel(request_for(relation, project_urls={"Page": "https://a.b/{name}"}))
        (tmp_path / wheel.filename).write_bytes(wheel.data)
    wheels = [str(path) for path in tmp_path.iterdir()]

    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *wheels], check=True)
    checker = Path(sys.executable).parent / "check-wheel-contents"
    subprocess.run([str(checker), *wheels], check=True)
