"""Moto stands for AWS Glue, and pyiceberg writes to it; refusals are botocore's own stubs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber
from moto import mock_aws
from pyiceberg.catalog.glue import GlueCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField

from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.iceberg import IcebergCatalog
from lakeschema.catalog.iceberg_databases import DatabasesSource
from lakeschema.catalog.iceberg_glue import GlueDatabases
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.own_schemas import UnreadSchema
from lakeschema.catalog.relations import SchemaPointer
from lakeschema.table_files.access import ReadingLimits
from lakeschema.table_files.limited import LimitedOwnSchemas

REGION = "eu-west-1"
ID = Schema(NestedField(1, "Id", LongType(), required=True))
ORDERS = RelationName.of("sales", "orders")
OTHERS = [RelationName.of("sales", f"t{number}") for number in range(30)]


@pytest.fixture(autouse=True)
def of_aws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent/config")
    for variable in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def glue() -> Iterator[Any]:
    with mock_aws():
        client = boto3.client("glue", region_name=REGION)
        client.create_database(DatabaseInput={"Name": "sales"})
        client.create_database(DatabaseInput={"Name": "empty"})
        put(client, "orders", "file:/orders/1.metadata.json")
        client.create_table(DatabaseName="sales", TableInput={"Name": "plain"})
        yield client


@pytest.fixture
def source(glue: Any) -> Iterator[DatabasesSource]:
    source = DatabasesSource(GlueDatabases(name="lake", region=REGION))
    yield source
    source.close()


def put(client: Any, name: str, location: str, type_: str = "ICEBERG") -> None:
    parameters = {"table_type": type_, "metadata_location": location}
    client.create_table(DatabaseName="sales", TableInput={"Name": name, "Parameters": parameters})


def place(source: DatabasesSource, name: RelationName) -> str:
    loaded = source.load([name])[name]
    assert isinstance(loaded, SchemaPointer)
    return loaded.location


def test_tables_and_views_of_iceberg_are_listed_beside_others(
    glue: Any, source: DatabasesSource
) -> None:
    put(glue, "v", "file:/v/1.metadata.json", "ICEBERG-VIEW")

    assert sorted(source.namespaces()) == [("empty",), ("sales",)]
    assert sorted(source.relations(("sales",))) == [ORDERS, RelationName.of("sales", "v")]
    assert source.relations(("empty",)) == []
    assert source.relations(("none",)) == []
    assert source.relations(()) == ()


def test_pointers_are_loaded_of_tables_that_exist(source: DatabasesSource) -> None:
    asked = [
        ORDERS,
        RelationName.of("sales", "plain"),
        RelationName.of("sales", "none"),
        RelationName.of("sales", "n" * 1024),
        RelationName.of("none", "orders"),
        RelationName.of("a", "sales", "orders"),
    ]

    assert list(source.load(asked)) == [ORDERS]
    assert place(source, ORDERS) == "file:/orders/1.metadata.json"


@pytest.mark.thorough
def test_many_tables_are_listed_in_pages(glue: Any, source: DatabasesSource) -> None:
    for number in range(250):
        put(glue, f"t{number}", f"file:/{number}")

    assert len(source.look({}).marks) == 251
    assert len(source.relations(("sales",))) == 251
    assert [*source.load([ORDERS, *OTHERS])] == [ORDERS, *OTHERS]


@pytest.mark.thorough
def test_what_pyiceberg_writes_is_read_and_noticed(
    glue: Any, source: DatabasesSource, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("lake")
    writer = GlueCatalog("lake", client=glue, warehouse=folder.as_uri())
    table = writer.create_table(("sales", "written"), ID)
    writer.create_table(("sales", "dropped"), ID)
    name = RelationName.of("sales", "written")
    marks = source.look({}).marks
    with table.update_schema() as update:
        update.add_column("more", LongType())
    writer.drop_table(("sales", "dropped"))

    again = source.look(marks)
    with LimitedOwnSchemas(ReadingLimits(at_once=1)) as schemas:
        found = IcebergCatalog(source, schemas).read([name])[name]

    assert [changed.name for changed in again.changed] == ["dropped", "written"]
    assert source.look(again.marks).changed == []
    assert [(c.name, c.nullable) for c in found.columns] == [("Id", False), ("more", True)]


def test_another_data_catalog_is_asked_by_its_id() -> None:
    asked = {"CatalogId": "999999999999"}
    of_table = {**asked, "DatabaseName": "sales", "Name": "orders"}
    with Stubbed(catalog_id=asked["CatalogId"]) as (source, stub):
        stub.add_response("get_databases", {"DatabaseList": [{"Name": "sales"}]}, asked)
        stub.add_response("get_tables", {"TableList": []}, {**asked, "DatabaseName": "sales"})
        stub.add_response("get_table", {"Table": {"Name": "orders"}}, of_table)

        assert source.look({}).marks == {}
        assert source.load([ORDERS]) == {}


class Stubbed:
    """A source whose next answers a test chooses."""

    def __init__(self, **more: Any) -> None:
        databases = GlueDatabases(name="lake", region=REGION, **more)
        self.source = DatabasesSource(databases)
        self.stub = Stubber(databases._client)

    def __enter__(self) -> tuple[DatabasesSource, Stubber]:
        self.stub.activate()
        return self.source, self.stub

    def __exit__(self, *_: object) -> None:
        self.stub.assert_no_pending_responses()
        self.source.close()


def test_a_database_without_permission_loses_none_of_its_relations() -> None:
    with Stubbed() as (source, stub):
        stub.add_response("get_databases", {"DatabaseList": [{"Name": "Sales"}]})
        stub.add_client_error("get_tables", "AccessDeniedException", "not authorized", 400)

        look = source.look({ORDERS: "known", RelationName.of("gone", "t"): "known"})

    assert look.marks == {ORDERS: "known"}
    assert look.changed == [RelationName.of("gone", "t")]


def test_a_refused_namespace_says_what_to_allow() -> None:
    with Stubbed() as (source, stub):
        stub.add_client_error("get_tables", "AccessDeniedException", "not\nauthorized", 400)

        with pytest.raises(CatalogRefused) as refused:
            IcebergCatalog(source).relations(Namespace(("sales",)))

    assert str(refused.value) == (
        "catalog lake refused the tables of sales: AccessDeniedException: not authorized"
    )
    assert "glue:GetTables" in refused.value.hint


def test_a_table_without_permission_hides_no_other() -> None:
    with Stubbed(at_once=1) as (source, stub):
        stub.add_client_error("get_table", "AccessDeniedException", "not authorized", 400)
        stub.add_response("get_table", {"Table": {"Name": "t0", "Parameters": {}}})

        found = source.load([ORDERS, OTHERS[0]])

    (orders,) = found.values()
    assert isinstance(orders, UnreadSchema)
    assert "refuses to return it: AccessDeniedException; allow" in orders.reason


@pytest.mark.parametrize(
    ("code", "status", "hint"),
    [
        ("ThrottlingException", 400, "raise events.poll_seconds"),
        ("RequestLimitExceeded", 503, "raise events.poll_seconds"),
        ("InternalServiceException", 500, "check that it runs"),
        ("SomethingNew", 502, "check that it runs"),
        ("ExpiredTokenException", 400, "check the AWS credentials"),
        ("UnrecognizedClientException", 400, "check the AWS credentials"),
    ],
)
def test_what_may_pass_is_unavailable(code: str, status: int, hint: str) -> None:
    with Stubbed() as (source, stub):
        stub.add_client_error("get_table", code, "Rate exceeded", status)
        stub.add_client_error("get_tables", code, "Rate exceeded", status)

        with pytest.raises(CatalogUnavailable, match=f"{code}: Rate exceeded"):
            source.load([ORDERS])
        with pytest.raises(CatalogUnavailable, match=f"{code}: Rate exceeded") as raised:
            source.relations(("sales",))

    assert raised.value.hint.startswith(hint)


def test_a_server_that_does_not_answer_is_unavailable() -> None:
    source = DatabasesSource(
        GlueDatabases(name="lake", region=REGION, endpoint="http://127.0.0.1:9", timeout_seconds=1)
    )

    with pytest.raises(CatalogUnavailable, match="Could not connect to the endpoint"):
        source.look({})
    source.close()


def test_missing_credentials_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent/credentials")
    source = DatabasesSource(GlueDatabases(name="lake", region=REGION))

    with pytest.raises(CatalogUnavailable, match="Unable to locate credentials") as raised:
        source.namespaces()
    source.close()

    assert raised.value.hint == "check the AWS credentials and role of the service"


def test_a_missing_region_is_refused_with_the_setting() -> None:
    with pytest.raises(CatalogRefused, match="specify a region") as refused:
        GlueDatabases(name="lake")

    assert refused.value.hint == "set catalog.region"
