"""The code on a package's page: each version's own, highlighted, escaped, and short enough."""

from __future__ import annotations

import gzip
import hashlib
import html
import io
import re
import sys
import zipfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from codegen.package import Wheel
from publisher.index.static import StaticIndex
from publisher.web.app import create_app
from publisher.web.descriptions import describe, describe_limited, description_processes
from publisher.web.packages import Site
from tests.codegen.in_memory import InMemoryFinder
from tests.publisher.web.asgi_client import AsgiClient
from tests.publisher.web.daemon_double import IdleDaemon
from tests.publisher.web.html_outline import Outline
from tests.publisher.web.packages import HOSTILE, field, record_schema, wheels

NAME = "acme-schema-shop-orders"
ADDRESS = f"/packages/{NAME}"
STATUS = {"type": "enum", "name": "Status", "symbols": ["PAID", "OPEN"]}
TOTAL = {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}
FIRST = record_schema(field("id", "long", doc="Never reused."), field("status", STATUS))
SECOND = record_schema(
    field("id", "long", doc="Never reused."),
    field("status", STATUS),
    field("total", TOTAL),
    field("email", ["null", "string"], default=None),
)
SQL = "SELECT o.id, o.status FROM shop.raw o WHERE o.id > 5 AND o.status = '<b>'"


def publish(folder: Path, *built: Wheel) -> AsgiClient:
    index = StaticIndex(folder / "index")
    for wheel in built:
        index.upload(wheel)
    return client_of(index)


def client_of(index: StaticIndex, site: Site | None = None) -> AsgiClient:
    return AsgiClient(
        create_app(index, IdleDaemon(), site=site or Site(), registry=CollectorRegistry())
    )


def section(page: str, id_: str) -> str:
    """The text of a section's first block of code."""
    _, _, rest = page.partition(f'<h2 id="{id_}">')
    code = re.search(r'<pre class="code".*?<code>(.*?)</code></pre>', rest, re.DOTALL)
    assert code is not None
    return html.unescape(re.sub(r"<[^>]*>", "", code[1]))


@pytest.fixture
def built() -> list[Wheel]:
    return list(wheels("shop.orders", [FIRST, SECOND], kind="view", view_text=SQL))


@pytest.fixture
def client(tmp_path: Path, built: list[Wheel]) -> AsgiClient:
    return publish(tmp_path, *built)


def test_the_example_on_the_page_runs_against_the_package(
    client: AsgiClient, built: list[Wheel], capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    example = section(client.get(ADDRESS).text, "example")
    monkeypatch.setattr("sys.meta_path", [InMemoryFinder(files_of(built[1])), *sys.meta_path])

    try:
        exec(compile(example, "the page", "exec"), {})
    finally:
        for name in [each for each in sys.modules if each.partition(".")[0] == "acme_schemas"]:
            del sys.modules[name]

    assert 'total=decimal.Decimal("19.99")' in example
    assert '"total":"19.99"' in capsys.readouterr().out.replace(" ", "")


def test_the_programs_on_the_page_run_against_the_package(
    client: AsgiClient, built: list[Wheel], capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
) -> None:  # fmt: skip
    page = client.get(ADDRESS).text
    monkeypatch.setattr("sys.meta_path", [InMemoryFinder(files_of(built[1])), *sys.meta_path])
    monkeypatch.chdir(tmp_path)

    try:
        for title in ("Avro files", "Parquet and Arrow", "JSON lines", "Kafka with Confluent"):
            exec(compile(program(page, title), title, "exec"), {})
    finally:
        for name in [each for each in sys.modules if each.partition(".")[0] == "acme_schemas"]:
            del sys.modules[name]

    assert len(capsys.readouterr().out.splitlines()) == 4
    assert "from acme_schemas.shop.orders import Company, create_dataframe" in program(
        page, "Spark"
    )
    assert "<code>example()</code>" in page
    assert "from acme_schemas.shop.orders import Company, Status<" in page


def test_extras_are_installed_after_their_libraries(client: AsgiClient) -> None:
    text = Outline(client.get(ADDRESS).text).text

    assert 'pip install "pyarrow>=14" pip --isolated install --index-url http://' in text
    assert f'/simple/ "{NAME}[arrow]==1.1.*"' in text
    for name in ("sparkpyspark>=3.5", "snappycramjam>=2.8", "zstandardbackports.zstd>=1.0"):
        assert name in text


def test_a_metadata_that_is_no_plain_requirement_names_no_extra(built: list[Wheel]) -> None:
    command = 'x"; rm -rf ~; echo "'
    files = files_of(built[0])
    metadata = next(name for name in files if name.endswith("/METADATA"))
    hostile = files[metadata].replace(b"pyarrow>=14", command.encode())

    found = describe(zipped({**files, metadata: hostile})).code.extras

    assert [extra.name for extra in found] == ["spark", "snappy", "zstandard"]


def test_a_package_without_a_list_of_names_has_no_programs_for_them(built: list[Wheel]) -> None:
    files = files_of(built[0])
    init = "acme_schemas/shop/orders/__init__.py"

    code = describe(zipped({**files, init: b""})).code

    assert code.programs == ()
    assert code.example


def files_of(wheel: Wheel) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(wheel.data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(files: Mapping[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def program(page: str, title: str) -> str:
    """The block of code below a heading in the section of programs."""
    _, _, rest = page.partition(f"<h3>{html.escape(title, quote=True)}")
    code = re.search(r'<pre class="code".*?<code>(.*?)</code></pre>', rest, re.DOTALL)
    assert code is not None
    return html.unescape(re.sub(r"<[^>]*>", "", code[1]))


def test_each_version_shows_its_own_class_and_schema(client: AsgiClient) -> None:
    newest, oldest = (client.get(address).text for address in (ADDRESS, f"{ADDRESS}/1.0.0"))

    assert "total: decimal.Decimal" in section(newest, "record")
    assert "total" not in section(oldest, "record")
    assert "status: Status" in section(oldest, "record")
    assert '"logicalType": "decimal"' in section(newest, "schema")
    assert "decimal" not in section(oldest, "schema")
    assert f'the newest is <a href="{ADDRESS}">1.1.0</a>' in oldest
    assert f'{NAME}==1.0.0"' in html.unescape(oldest)


def test_attributes_link_to_their_fields_with_documentation_on_hover(client: AsgiClient) -> None:
    page = client.get(ADDRESS).text

    assert '<a href="#field-id" title="Never reused.">id</a>' in page
    assert 'id="field-id"' in page
    assert '"""Never reused."""' in section(page, "record")


def test_attributes_of_nested_classes_link_to_their_fields(tmp_path: Path) -> None:
    line = record("Line", field("sku", "string"), field("price"))
    address = record("Address", field("street", "string"), field("class"))
    schema = record_schema(
        field("id"),
        field("lines", {"type": "array", "items": line}),
        field("home", ["null", address], default=None),
        field("work", ["null", "Address"], default=None),
        field("street"),
    )

    page = publish(tmp_path, *wheels("shop.orders", [schema])).get(ADDRESS).text

    for path in ("lines%5B%5D.sku", "lines%5B%5D.price", "home.street", "home.class", "street"):
        assert page.count(f'<a href="#field-{path}" title=') == 1
    assert "from acme_schemas.shop.orders import Company, Line, Address<" in page


def record(name: str, *fields: Any) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": fields}


def test_a_views_sql_is_laid_out_and_escaped(client: AsgiClient) -> None:
    page = client.get(ADDRESS).text

    assert section(page, "sql") == (
        "SELECT o.id,\n  o.status\nFROM shop.raw o\nWHERE o.id > 5\n  AND o.status = '<b>'"
    )
    assert '<span class="k">SELECT</span>' in page
    assert "<b>" not in page


@pytest.mark.parametrize(
    ("file", "part"),
    [("record.py", "class Company:"), ("schema.avsc", '"Company"'), ("view.sql", "SELECT o.id,")],
)
def test_the_whole_texts_are_files(client: AsgiClient, file: str, part: str) -> None:
    answer = client.get(f"{ADDRESS}/1.1.0/{file}")

    assert answer.headers["content-type"].startswith("text/plain")
    assert part in answer.text
    known = {"If-None-Match": answer.headers["etag"]}
    assert client.get(f"{ADDRESS}/1.1.0/{file}", headers=known).status_code == 304


def test_a_file_that_a_version_lacks_is_not_found(client: AsgiClient) -> None:
    assert client.get(f"{ADDRESS}/1.1.0/passwd").status_code == 404
    assert client.get(f"{ADDRESS}/9.9.9/record.py").status_code == 404


def test_an_unknown_version_lists_those_that_exist(client: AsgiClient) -> None:
    answer = client.get(f"{ADDRESS}/9.9.9")

    assert answer.status_code == 404
    assert f'href="{ADDRESS}/1.1.0"' in answer.text
    assert f'href="{ADDRESS}/1.0.0"' in answer.text


def test_another_spelling_of_the_name_is_redirected_with_its_version(client: AsgiClient) -> None:
    answer = client.get("/packages/ACME_schema.shop-orders/1.0.0")

    assert answer.status_code == 301
    assert answer.headers["location"] == f"{ADDRESS}/1.0.0"


def test_a_yanked_versions_page_says_so(tmp_path: Path, built: list[Wheel]) -> None:
    index = StaticIndex(tmp_path)
    for wheel in built:
        index.upload(wheel)
    index.yank(index.files(NAME)[0], "wrong <type>")

    page = client_of(index).get(f"{ADDRESS}/1.0.0")

    assert "Version 1.0.0 is yanked: wrong &lt;type&gt;." in page.text


def test_a_damaged_wheels_page_says_so_and_others_stay(tmp_path: Path, built: list[Wheel]) -> None:
    index = StaticIndex(tmp_path)
    for wheel in built:
        index.upload(wheel)
    index.file_path(built[0].filename).write_bytes(b"PK\5\6 not a wheel")
    client = client_of(index)

    damaged = client.get(f"{ADDRESS}/1.0.0")

    assert damaged.status_code == 200
    assert "is damaged, missing or not from schema-publisher" in damaged.text
    assert "Record class" not in damaged.text
    assert "Record class" in client.get(ADDRESS).text
    assert client.get(f"{ADDRESS}/1.0.0/record.py").status_code == 404


def test_hostile_texts_stay_text(tmp_path: Path) -> None:
    doc = f"{HOSTILE} \"\"\" ''' \\ \u202e\x1b[31m]]> </code></pre>"
    schema = record_schema(field("id", "long", doc=doc), field("s", STATUS), doc=doc)
    sql = f"SELECT '{HOSTILE}' AS x, '</code>\u202e' FROM shop.raw"
    client = publish(tmp_path, *wheels("shop.orders", [schema], kind="view", view_text=sql))

    page = client.get(ADDRESS).text

    outline = Outline(page)
    assert "script" not in outline.tags
    assert "b" not in outline.tags
    assert outline.tags.count("pre") == page.count("<pre")
    for part in ("record", "schema", "sql"):
        assert "\u202e" not in section(page, part)
        assert "\x1b" not in section(page, part)
    assert "<script>alert('1')</script>" in section(page, "record")


def test_the_class_is_valid_python_whatever_its_documentation_is(tmp_path: Path) -> None:
    docs = ['ends with "', '""" quotes', "back\\slash\\", "two\nlines", "\\N{x} \\u12"]
    fields = [field(f"f{n}", "int", doc=doc) for n, doc in enumerate(docs)]
    client = publish(tmp_path, *wheels("shop.orders", [record_schema(*fields, doc=docs[0])]))

    compile(client.get(f"{ADDRESS}/1.0.0/record.py").text, "record.py", "exec")


def test_a_record_of_two_thousand_fields_stays_within_the_budget(tmp_path: Path) -> None:
    fields = [
        field(f"column_{n}_{n * 7919 % 1000}", ["null", "string"], default=None, doc=f"Number {n}.")
        for n in range(2_000)
    ]
    names = ", ".join(each["name"] for each in fields)
    schema = record_schema(*fields)
    made = wheels("shop.orders", [schema], kind="view", view_text=f"SELECT {names} FROM shop.raw")
    client = publish(tmp_path, *made)

    _, packed = client.raw(ADDRESS, {"Accept-Encoding": "gzip"})

    page = gzip.decompress(packed).decode()
    assert len(packed) <= 30_000
    assert f'<a href="{ADDRESS}/1.0.0/schema.avsc">the whole file</a>' in page
    whole = client.get(f"{ADDRESS}/1.0.0/record.py").text
    assert whole.count("column_") == 2_000


def test_sixteen_readers_get_the_same_page(tmp_path: Path, built: list[Wheel]) -> None:
    client = publish(tmp_path, *built)
    addresses = [ADDRESS, f"{ADDRESS}/1.0.0", f"{ADDRESS}/diff/1.0.0...1.1.0"]

    with ThreadPoolExecutor(16) as pool:
        pages = list(pool.map(lambda n: client.get(addresses[n % 3]).text, range(48)))

    assert len(set(pages)) == 3


def test_a_limited_process_gives_the_same_page(tmp_path: Path, built: list[Wheel]) -> None:
    index = StaticIndex(tmp_path)
    for wheel in built:
        index.upload(wheel)
    processes = description_processes()
    try:
        site = Site(describe=lambda wheel: describe_limited(processes, wheel))
        limited = client_of(index, site).get(ADDRESS).text
    finally:
        processes.close()

    assert limited == client_of(index).get(ADDRESS).text


def test_a_wheel_of_another_generator_gets_a_general_example(
    tmp_path: Path, built: list[Wheel]
) -> None:
    """Its surface hash says that this release would name its attributes in another way."""
    files = files_of(built[0])
    stated = "acme_schemas/shop/orders/provenance.json"
    files[stated] = re.sub(rb'"surface_hash": "\w+"', b'"surface_hash": "old"', files[stated])
    data = zipped(files)
    sha256 = hashlib.sha256(data).hexdigest()
    client = publish(tmp_path, replace(built[0], data=data, sha256=sha256))

    assert "record = Company.example()" in section(client.get(ADDRESS).text, "example")
