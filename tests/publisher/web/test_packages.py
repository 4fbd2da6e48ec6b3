"""The page of a package: its contents, and that untrusted text stays text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry

from codegen.declared_classes import DeclaredClass, Member
from codegen.metadata import Extra
from codegen.package import PackageContents, PackageRequest, Provenance, Release
from codegen.usage_programs import NamedUse, UsageProgram
from codegen.wheel import build_wheel
from lakeschema.avro.model import Record
from lakeschema.catalog.identifiers import RelationName
from publisher.index.simple_page import ListedFile, ProjectPage, page_to_json
from publisher.index.static import StaticIndex
from publisher.web.app import create_app, create_public_app
from publisher.web.descriptions import PackageDescription
from publisher.web.fields import field_rows
from publisher.web.package_code import PackageCode
from publisher.web.package_page import PackageView, package_page, package_view
from publisher.web.packages import Site
from publisher.web.status import Neighbour, RelationSummary
from tests.effort import examples
from tests.lakeschema.avro.strategies import schemas
from tests.publisher.index.wheels import sample_wheel
from tests.publisher.web.asgi_client import AsgiClient
from tests.publisher.web.daemon_double import IdleDaemon
from tests.publisher.web.html_outline import Outline
from tests.publisher.web.packages import HOSTILE, PREFIX, field, record_schema, wheels

COMPANY = RelationName.of("example", "company")
NAME = "acme-schema-example-company"
ADDRESS = f"/packages/{NAME}"

SCHEMAS = [
    record_schema(field("id", "long")),
    record_schema(field("id", "long"), field("unit", ["null", "string"], default=None)),
    record_schema(
        field("id", "long", doc="Never reused."), field("unit", ["null", "string"], default=None)
    ),
]


@pytest.fixture
def index(tmp_path: Path) -> StaticIndex:
    index = StaticIndex(tmp_path / "index")
    for wheel in wheels("example.company", SCHEMAS, kind="view", view_text="SELECT 1 < 2"):
        index.upload(wheel)
    return index


def client_of(index: StaticIndex, summary: RelationSummary | None = None) -> AsgiClient:
    site = Site(lambda _: summary)
    app = create_app(index, IdleDaemon(), site=site, registry=CollectorRegistry())
    return AsgiClient(app)


def shown(index: StaticIndex, summary: RelationSummary | None = None) -> Outline:
    answer = client_of(index, summary).get(ADDRESS)
    assert answer.status_code == 200
    return Outline(answer.text)


def test_versions_stand_newest_first_with_what_each_changed(index: StaticIndex) -> None:
    _, _, text = shown(index).text.rpartition("Versions (3)")

    told = [
        "1.2.0",
        "field id: documentation added",
        "1.1.0",
        "field unit added: optional string, default null",
        "1.0.0",
        "first version",
    ]
    places = [text.index(words) for words in told]
    assert places == sorted(places)


def test_versions_are_ordered_as_numbers(tmp_path: Path) -> None:
    index = StaticIndex(tmp_path)
    for wheel in wheels("example.company", [SCHEMAS[0]] * 11):
        index.upload(wheel)

    text = shown(index).text

    assert text.index("1.10.0") < text.index("1.9.0") < text.index("1.2.0")


def test_a_yanked_version_says_why_and_is_not_recommended(index: StaticIndex) -> None:
    newest = index.files(NAME)[-1]
    index.yank(newest, f"dropped {HOSTILE}")

    outline = shown(index)

    assert f"Yanked: dropped {HOSTILE}" in outline.text
    assert f"{NAME}==1.1.*" in outline.text
    assert f"{NAME}==1.2.*" not in outline.text


def test_a_dropped_relations_package_says_that_all_is_yanked(index: StaticIndex) -> None:
    for file in index.files(NAME):
        index.yank(file, "")

    outline = shown(index)

    assert "Every version is yanked" in outline.text
    # No installer takes a yanked version for a pattern.
    assert f'"{NAME}==1.2.0"' in outline.text
    assert f"/requirements/{NAME}.txt" not in outline.links


def test_the_safe_ways_to_install_name_this_index_alone(index: StaticIndex) -> None:
    text = shown(index).text

    assert f'pip --isolated install --index-url http://testserver/simple/ "{NAME}==1.2.*"' in text
    assert "explicit = true" in text
    assert f'{NAME} = {{ index = "schemas" }}' in text
    assert "from acme_schemas.example.company import Company" in text


def test_a_sequential_number_is_pinned_whole(tmp_path: Path) -> None:
    index = StaticIndex(tmp_path)
    request = PackageRequest(COMPANY, PREFIX, "0.0.7", SCHEMAS[0], Provenance())
    index.upload(build_wheel(request))

    assert f'"{NAME}==0.0.7"' in shown(index).text


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("packages.example:8765", "http://packages.example:8765/simple/"),
        ("[::1]:80", "http://[::1]:80/simple/"),
        ('x" --extra-index-url http://evil', "http://testserver/simple/"),
        ("$(reboot)", "http://testserver/simple/"),
        ("", "http://testserver/simple/"),
    ],
)
def test_the_index_is_named_as_the_reader_reached_it(
    index: StaticIndex, host: str, url: str
) -> None:
    answer = client_of(index).get(ADDRESS, headers={"Host": host})

    assert f"--index-url {url} " in Outline(answer.text).text


def test_a_public_url_is_shown_whatever_the_request_says(index: StaticIndex) -> None:
    site = Site(public_url="https://packages.example/lake")
    app = create_app(index, IdleDaemon(), site=site, registry=CollectorRegistry())
    headers = {"Host": "evil.example", "X-Forwarded-Proto": "http"}

    answer = AsgiClient(app).get(ADDRESS, headers=headers)

    text = Outline(answer.text).text
    assert "--index-url https://packages.example/lake/simple/ " in text
    assert "evil.example" not in text


def test_neighbours_are_linked_if_they_have_packages(index: StaticIndex) -> None:
    index.upload(sample_wheel("acme-schema-example-member"))
    summary = RelationSummary(
        "OK",
        "",
        (Neighbour("example.member", "acme-schema-example-member"),),
        (Neighbour("example.v1", "acme-schema-example-v1"),),
    )

    outline = shown(index, summary)

    assert "/packages/acme-schema-example-member" in outline.links
    assert "/packages/acme-schema-example-v1" not in outline.links
    assert "Reads" in outline.text
    assert "Read by example.v1 (no package)" in outline.text


def test_without_a_state_the_package_says_what_it_reads(tmp_path: Path) -> None:
    index = StaticIndex(tmp_path)
    for wheel in wheels("example.company", SCHEMAS, upstreams={"example.member": "aa"}):
        index.upload(wheel)

    outline = shown(index)

    assert "Reads example.member" in outline.text
    assert "Read by" not in outline.text


def test_trouble_of_the_relation_is_shown(index: StaticIndex) -> None:
    summary = RelationSummary("BROKEN", f"no such column: {HOSTILE}", (), ())

    assert f"The relation is BROKEN: no such column: {HOSTILE}" in shown(index, summary).text


def test_a_dropped_relations_package_says_since_when_whom_to_ask_and_what_to_pin(
    index: StaticIndex,
) -> None:
    for file in index.files(NAME):
        index.yank(file, "dropped")
    gone = RelationSummary("MISSING", "", (), (), owner=HOSTILE, missing_since=1_767_225_600)

    public = AsgiClient(create_public_app(index, IdleDaemon(), site=Site(lambda _: gone)))
    text = Outline(public.get(ADDRESS).text).text

    assert "no such relation since 2026-01-01 00:00:00 UTC" in text
    assert "pin ==1.2.0 exactly; ask" in text
    # Only who may see the pages of relations sees the owner.
    assert "ask the owner of the relation what replaces it" in text
    assert HOSTILE not in text
    assert f"ask its owner, {HOSTILE}, what replaces it" in shown(index, gone).text
    requirements = public.get(f"/requirements/{NAME}.txt")
    assert requirements.status_code == 404
    assert f"is yanked (dropped); programs that use it can pin {NAME}==1.2.0" in requirements.text


@pytest.mark.parametrize("asked", ["company", "example.company", "acme-schema-example-compani"])
def test_an_unknown_package_offers_those_of_the_name_and_a_search(
    index: StaticIndex, asked: str
) -> None:
    for name in ("other", "places"):
        index.upload(sample_wheel(f"acme-schema-{name}"))
    app = create_app(index, IdleDaemon(), site=Site(prefix=PREFIX), registry=CollectorRegistry())

    answer = AsgiClient(app).get(f"/packages/{asked}")

    outline = Outline(answer.text)
    assert answer.status_code == 404
    assert ADDRESS in outline.links
    assert f'name="q" value="{asked}"' in answer.text
    assert "name of a package is acme-schema-, then" in outline.text


def test_the_origin_is_shown(index: StaticIndex) -> None:
    text = shown(index).text

    assert "SELECT 1 < 2" in text
    assert "Fingerprint, CRC-64-AVRO" in text


def test_a_package_of_another_program_has_a_page_without_fields(tmp_path: Path) -> None:
    index = StaticIndex(tmp_path)
    index.upload(sample_wheel(NAME, "3.1.0"))

    outline = shown(index)

    assert f"{NAME}==3.1.*" in outline.text
    assert "fields" not in outline.ids


def test_where_the_newest_wheel_is_gone_the_one_before_it_speaks(index: StaticIndex) -> None:
    client = client_of(index)
    path = index.file_path(index.files(NAME)[-1].filename)
    data = path.read_bytes()
    path.unlink()

    assert "documentation added" not in client.get(ADDRESS).text
    path.write_bytes(data)
    assert "documentation added" in client.get(ADDRESS).text


def test_a_damaged_newest_wheel_is_not_described_until_it_is_mended(index: StaticIndex) -> None:
    client = client_of(index)
    path = index.file_path(index.files(NAME)[-1].filename)
    data = path.read_bytes()
    path.write_bytes(data[:-1])

    assert "documentation added" not in client.get(ADDRESS).text
    path.write_bytes(data)
    assert "documentation added" in client.get(ADDRESS).text


def test_a_new_version_is_shown_at_once(index: StaticIndex) -> None:
    client = client_of(index)
    etag = client.get(ADDRESS).headers["etag"]
    grown = [*SCHEMAS, record_schema(field("id", "long"))]

    index.upload(wheels("example.company", grown, kind="view", view_text="SELECT 1 < 2")[-1])

    answer = client.get(ADDRESS, headers={"If-None-Match": etag})
    assert answer.status_code == 200
    assert "1.3.0" in answer.text


def test_an_unknown_name_is_told_with_names_like_it(index: StaticIndex) -> None:
    for name in ("acme-schema-example-companies", "acme-schema-sales-orders"):
        index.upload(sample_wheel(name))

    answer = client_of(index).get("/packages/acme-schema-example-compani%3Cb%3E")

    outline = Outline(answer.text)
    assert answer.status_code == 404
    assert "acme-schema-example-compani<b>" in outline.text
    assert outline.links == [
        "/packages/", "/packages/acme-schema-example-companies", ADDRESS, "/packages/",
    ]  # fmt: skip
    assert outline.faults == []


ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "header", "main", "nav", "section", "article",
    "h1", "h2", "h3", "p", "a", "ul", "li", "pre", "code", "span", "br", "div", "dl", "dt", "dd",
    "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "time",
    "link", "form", "label", "select", "option", "button",
}  # fmt: skip
TEXTS = st.just(HOSTILE) | st.text(max_size=20)


@st.composite
def views(draw: st.DrawFn) -> PackageView:
    """A package all of whose text is untrusted."""
    schema = record_schema(
        field("a", "string", default=HOSTILE, doc=draw(TEXTS).encode("utf-8", "replace").decode())
    )
    told = draw(
        st.lists(
            st.builds(Release, st.just("1.0.0"), TEXTS, st.lists(TEXTS).map(tuple)), max_size=3
        )
    )
    provenance = {
        "kind": draw(st.sampled_from(["view", "table", 1])),
        "view_text": draw(st.none() | TEXTS),
        "upstreams": draw(st.dictionaries(TEXTS, TEXTS, max_size=2) | TEXTS),
        "lineage": draw(st.dictionaries(TEXTS, st.lists(TEXTS, max_size=2), max_size=2) | TEXTS),
        "generator": draw(st.dictionaries(st.sampled_from(["name", "version"]), TEXTS) | TEXTS),
        "labels": draw(st.dictionaries(TEXTS, TEXTS | st.lists(TEXTS, max_size=1), max_size=2)),
        "event_id": draw(st.none() | st.integers() | TEXTS),
        "fingerprints": {"sha-256": draw(TEXTS)},
    }
    contents = PackageContents(
        COMPANY, NAME, draw(TEXTS), draw(TEXTS), "{}", "", provenance, "", tuple(told)
    )
    neighbour = st.builds(Neighbour, TEXTS, TEXTS)
    neighbours = st.lists(neighbour, max_size=3).map(tuple)
    summary = draw(st.none() | st.builds(RelationSummary, TEXTS, TEXTS, neighbours, neighbours))
    file = ListedFile(
        f"{NAME.replace('-', '_')}-1.0.0-py3-none-any.whl",
        draw(TEXTS),
        size=draw(st.none() | st.integers(0)),
        upload_time=draw(st.none() | TEXTS),
        yanked=draw(st.none() | TEXTS),
    )
    packaged = frozenset(n.distribution for n in (summary.upstreams if summary else ()))
    omitted = tuple(draw(st.lists(TEXTS, max_size=2)))
    member = Member("a", f"a: {draw(TEXTS)}", draw(TEXTS))
    classes = (DeclaredClass("RECORD", f"class {draw(TEXTS)}:", draw(TEXTS), (member,)),)
    program = UsageProgram(draw(TEXTS), draw(TEXTS), draw(TEXTS), draw(TEXTS))
    use, extra = NamedUse((draw(TEXTS),), draw(TEXTS)), Extra(draw(TEXTS), draw(TEXTS))
    code = PackageCode(classes, draw(TEXTS), draw(TEXTS), draw(TEXTS), (program,), (use,), (extra,))
    description = PackageDescription(contents, draw(TEXTS), field_rows(schema), omitted, code)
    page = ProjectPage(NAME, (file,))
    return package_view(page, "http://h/simple/", description, summary, packaged)


@pytest.mark.thorough
@settings(max_examples=examples(150), deadline=None)
@given(views())
def test_untrusted_text_is_never_markup(view: PackageView) -> None:
    outline = Outline(package_page(view).decode())

    assert set(outline.tags) <= ALLOWED
    assert outline.faults == []
    assert not [name for _, name, _ in outline.attributes if name.startswith("on")]
    assert {name for _, name, _ in outline.attributes} <= {
        "lang", "charset", "name", "content", "id", "class", "href", "scope", "role", "tabindex",
        "aria-label", "aria-labelledby", "datetime", "rel", "type", "title", "action", "method", "selected",
        "data-label",
    }  # fmt: skip
    assert all(target.startswith(("/", "#")) for target in outline.links)


@settings(max_examples=examples(100), deadline=None)
@given(schemas())
def test_every_link_within_a_page_has_its_target(schema: Record) -> None:
    contents = PackageContents(COMPANY, NAME, "1.0.0", "x", "{}", "", {}, "", ())
    description = PackageDescription(contents, "", field_rows(schema))
    view = package_view(ProjectPage(NAME, ()), "http://h/simple/", description, None, frozenset())

    outline = Outline(package_page(view).decode())

    targets = {unquote(link[1:]) for link in outline.links if link.startswith("#")}
    assert targets <= set(outline.ids)
    assert len(set(outline.ids)) == len(outline.ids)


def test_the_page_can_be_read_by_ear_and_by_keyboard(index: StaticIndex) -> None:
    outline = shown(index, RelationSummary("OK", "", (), ()))

    assert ("html", "lang", "en") in outline.attributes
    assert outline.headings[0] == 1
    assert outline.headings.count(1) == 1
    steps = zip(outline.headings, outline.headings[1:], strict=False)
    assert all(after <= before + 1 for before, after in steps)
    assert len(set(outline.ids)) == len(outline.ids)
    assert outline.tags.count("main") == 1
    scopes = [value for tag, name, value in outline.attributes if (tag, name) == ("th", "scope")]
    assert len(scopes) == outline.tags.count("th")
    boxes = [value for _, name, value in outline.attributes if name == "aria-labelledby"]
    assert set(boxes) <= set(outline.ids)
    inside = [target[1:] for target in outline.links if target.startswith("#")]
    assert set(inside) <= set(outline.ids)


@pytest.mark.thorough
def test_a_wide_package_with_a_long_history_is_one_page(tmp_path: Path) -> None:
    index = StaticIndex(tmp_path)
    fields = [field(f"column_{n}", ["null", "string"], default=None) for n in range(800)]
    schema = record_schema(*fields)
    releases = [
        Release(f"1.{n}.0", "minor", (f"field `column_{n}` added: optional string",))
        for n in range(499, -1, -1)
    ]
    provenance = Provenance(
        change=releases[0].change, reasons=releases[0].lines, earlier=tuple(releases[1:])
    )
    index.upload(build_wheel(PackageRequest(COMPANY, PREFIX, "1.499.0", schema, provenance)))
    page = index.page(NAME)
    assert page is not None
    [newest] = page.files
    for n in range(499):
        old = newest.filename.replace("1.499.0", f"1.{n}.0")
        page = ProjectPage(NAME, (*page.files, replace(newest, filename=old, url=old)))
    (tmp_path / "simple" / NAME / "index.json").write_bytes(page_to_json(page))

    client = client_of(index)
    answer = client.get(ADDRESS)
    headers, packed = client.raw(ADDRESS, {"Accept-Encoding": "gzip"})

    outline = Outline(answer.text)
    assert outline.tags.count("article") == 200
    assert "Versions (500)" in answer.text
    assert "300 older versions are on the" in answer.text
    assert sum(id_.startswith("field-") for id_ in outline.ids) == 200
    assert "600 more fields are in the" in answer.text
    assert outline.text.count("added: optional string") == 200
    assert len(packed) <= 30_000
    known = client.get(ADDRESS, headers={"If-None-Match": answer.headers["etag"]})
    assert known.status_code == 304
    assert headers["content-encoding"] == "gzip"
