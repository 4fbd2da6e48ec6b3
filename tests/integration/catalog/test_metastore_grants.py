"""The grants of a real metastore, and the privileges of a statement that they lack."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hive_metastore import ThriftHiveMetastore
from hive_metastore.ttypes import (
    HiveObjectPrivilege,
    HiveObjectRef,
    HiveObjectType,
    PrincipalType,
    PrivilegeBag,
    PrivilegeGrantInfo,
    Role,
)
from typer.testing import CliRunner

from deploy.local_stack import Metastore
from deploy.metastore_ddl import MetastoreDdl
from lakeschema.analysis.batch import answer
from lakeschema.analysis.grants import Need, Privilege, read_grants
from lakeschema.catalog.catalogs import Catalogs
from lakeschema.catalog.errors import CatalogUnavailable
from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.metastore_grants import MetastoreGrants
from publisher.commands.cli import app
from publisher.daemon.adapters import build_user_grants

USER, ROLE = PrincipalType.USER, PrincipalType.ROLE


class Granting:
    """Grants as Hive's own GRANT does, over Thrift."""

    def __init__(self, client: ThriftHiveMetastore.Client, database: str) -> None:
        self.client = client
        self.database = database

    def grant(
        self,
        who: str,
        kind: int,
        privilege: str,
        table: str | None = None,
        column: str | None = None,
    ) -> None:
        of_database = HiveObjectType.TABLE if table else HiveObjectType.DATABASE
        named = HiveObjectType.COLUMN if column else of_database
        self.put(who, kind, privilege, HiveObjectRef(named, self.database, table, None, column))

    def put(self, who: str, kind: int, privilege: str, place: Any) -> None:
        info = PrivilegeGrantInfo(privilege, 0, "hive", USER, False)
        bag = PrivilegeBag([HiveObjectPrivilege(place, who, kind, info)])
        assert self.client.grant_privileges(bag)

    def role(self, name: str, *members: tuple[str, int]) -> None:
        self.client.create_role(Role(name, 0, "hive"))
        for member, kind in members:
            self.client.grant_role(name, member, kind, "hive", USER, False)


@pytest.fixture
def granting(
    metastore: Metastore, metastore_client: ThriftHiveMetastore.Client, database: str
) -> Granting:
    with MetastoreDdl(metastore.uri) as ddl:
        for table in ("orders", "customers", "secrets"):
            ddl.create_table(database, table, [("id", "int"), ("name", "string")])
    return Granting(metastore_client, database)


@pytest.fixture
def reader(metastore: Metastore) -> Iterator[MetastoreGrants]:
    with closing(HiveMetastoreCatalog(metastore.uri)) as catalog:
        yield MetastoreGrants(catalog.client)


def missing(reader: MetastoreGrants, user: str, *needs: Need) -> Sequence[Need]:
    return read_grants(reader.of(user)).missing(user, needs)


def select(database: str, table: str, *columns: str) -> Need:
    return Need(Privilege.SELECT, RelationName.of(database, table), columns or ("*",))


def test_what_nobody_granted_is_missing(granting: Granting, reader: MetastoreGrants) -> None:
    need = select(granting.database, "orders")

    assert missing(reader, "ann_of_nothing", need) == (need,)


def test_a_grant_on_a_table_a_column_and_a_database_is_read(
    granting: Granting, reader: MetastoreGrants
) -> None:
    database = granting.database
    granting.grant("ann", USER, "SELECT", "orders")
    granting.grant("ann", USER, "SELECT", "customers", "id")
    granting.grant("bob", USER, "Select")

    assert missing(reader, "ann", select(database, "orders")) == ()
    assert missing(reader, "ann", select(database, "customers", "id")) == ()
    assert missing(reader, "ann", select(database, "customers", "id", "name")) == (
        select(database, "customers", "name"),
    )
    assert missing(reader, "bob", select(database, "secrets")) == ()
    insert = Need(Privilege.INSERT, RelationName.of(database, "orders"), ("*",))
    assert missing(reader, "bob", insert) == (insert,)


def test_each_metastore_of_a_deployment_grants_on_its_own_tables(
    granting: Granting, metastore: Metastore
) -> None:
    database = granting.database
    granting.grant("eva", USER, "SELECT", "orders")
    granting.put("eva", USER, "DELETE", HiveObjectRef(HiveObjectType.GLOBAL))
    orders = select(database, "orders")
    delete = Need(Privilege.DELETE, orders.relation)
    everywhere = [
        replace(need, relation=replace(need.relation, catalog=catalog))
        for need in (orders, delete)
        for catalog in ("", "b", "c")
    ]

    with (
        closing(HiveMetastoreCatalog(metastore.uri)) as one,
        closing(HiveMetastoreCatalog(metastore.uri)) as other,
    ):
        b_alone = read_grants(MetastoreGrants(other.client, "b").of("eva"))
        both = read_grants(build_user_grants(Catalogs.of(one, {"b": other}))("eva"))

    lacking = [need.relation.catalog for need in b_alone.missing("eva", everywhere)]
    assert lacking == ["", "c", "", "c"]
    assert [n.relation.catalog for n in both.missing("eva", everywhere)] == ["c", "c"]


def test_roles_within_roles_are_followed(granting: Granting, reader: MetastoreGrants) -> None:
    inner, outer = f"{granting.database}_inner", f"{granting.database}_Outer"
    granting.role(inner)
    granting.role(outer, ("cyd", USER))
    granting.client.grant_role(inner, outer, ROLE, "hive", USER, False)
    granting.grant(inner, ROLE, "ALL", "secrets")

    assert missing(reader, "cyd", select(granting.database, "secrets")) == ()
    drop = Need(Privilege.DROP, RelationName.of(granting.database, "secrets"))
    assert missing(reader, "cyd", drop) == ()
    assert missing(reader, "dan", drop) == (drop,)


def test_everybody_has_what_the_role_public_has(
    granting: Granting, reader: MetastoreGrants
) -> None:
    granting.grant("public", ROLE, "SELECT", "orders")

    assert missing(reader, "whoever", select(granting.database, "orders")) == ()


def test_the_role_admin_is_nobodys_before_it_is_set(
    granting: Granting, reader: MetastoreGrants
) -> None:
    granting.client.grant_role("admin", "root", USER, "hive", USER, False)
    everything = HiveObjectRef(HiveObjectType.GLOBAL)
    granting.put("superb", USER, "ALL", everything)
    need = select(granting.database, "secrets")

    assert missing(reader, "root", need) == (need,)
    assert missing(reader, "superb", need) == ()


def test_an_owner_may_do_all_with_a_table_and_create_in_a_database(
    granting: Granting, reader: MetastoreGrants
) -> None:
    orders = RelationName.of(granting.database, "orders")
    found = granting.client.get_database(granting.database)
    found.ownerName, found.ownerType = "dora", USER
    granting.client.alter_database(granting.database, found)
    drop, create = Need(Privilege.DROP, orders), Need(Privilege.CREATE, orders)

    # MetastoreDdl's tables belong to hive.
    assert missing(reader, "hive", drop, select(granting.database, "orders")) == ()
    assert missing(reader, "dora", create) == ()
    assert missing(reader, "dora", drop) == (drop,)


@pytest.mark.parametrize("user", ['x" or "1" = "1', "x' or '1' = '1", "", "\\", "é" * 300])
def test_no_name_of_a_user_is_read_as_a_filter(
    granting: Granting, reader: MetastoreGrants, user: str
) -> None:
    need = select(granting.database, "secrets")

    assert missing(reader, user, need) == (need,)


def test_a_statement_is_checked_against_the_metastores_grants(
    granting: Granting, reader: MetastoreGrants
) -> None:
    database = granting.database
    granting.grant("eva", USER, "SELECT", "orders")

    found = answer(
        {
            "sql": f"INSERT INTO {database}.customers SELECT id, name FROM {database}.orders",
            "ask": ["permissions"],
            "user": "eva",
            "grants": reader.of("eva"),
        }
    )

    (statement,) = found["result"]["statements"]
    lacking = statement["permissions"]["missing"]
    assert [(each["privilege"], each["relation"]) for each in lacking] == [
        ("INSERT", f"{database}.customers")
    ]


def test_the_command_reads_them_by_itself(
    granting: Granting, metastore: Metastore, tmp_path: Path
) -> None:
    granting.grant("fay", USER, "SELECT", "orders")
    config = tmp_path / "schema-publisher.toml"
    config.write_text(
        f'[artifacts]\nprefix = "x"\n[catalog]\nkind = "hive"\nuri = "{metastore.uri}"\n'
        f'[index]\nkind = "static"\npath = "{tmp_path}/index"\n'
        f'[state]\nurl = "sqlite:///{tmp_path}/state.db"\n'
    )
    request = {"sql": f"SELECT id FROM {granting.database}.orders", "ask": ["permissions"]}
    lines = "\n".join(json.dumps({**request, "user": user}) for user in ("fay", "gil"))

    ended = CliRunner().invoke(
        app,
        ["analyze", "--batch", "--grants-from-metastore", "--config", str(config)],
        input=lines,
    )

    assert ended.exit_code == 0, ended.output
    answers = [json.loads(line)["result"]["statements"] for line in ended.stdout.splitlines()]
    assert [len(each["permissions"]["missing"]) for (each,) in answers] == [0, 1]


def test_a_metastore_that_is_away_is_told() -> None:
    catalog = HiveMetastoreCatalog("thrift://127.0.0.1:1", attempts=1)

    with pytest.raises(CatalogUnavailable):
        MetastoreGrants(catalog.client).of("ann")


def hives_own_answer(
    granting: Granting, user: str, table: str, column: str, privilege: str
) -> bool:
    """What the metastore itself makes of grants and roles, from everything down to a column."""
    database = granting.database
    places = (
        HiveObjectRef(HiveObjectType.GLOBAL),
        HiveObjectRef(HiveObjectType.DATABASE, database),
        HiveObjectRef(HiveObjectType.TABLE, database, table),
        HiveObjectRef(HiveObjectType.COLUMN, database, table, None, column),
    )
    for place in places:
        found = granting.client.get_privilege_set(place, user, [])
        for by_name in (found.userPrivileges, found.rolePrivileges):
            for infos in (by_name or {}).values():
                if any(info.privilege.upper() in {privilege, "ALL"} for info in infos):
                    return True
    return False


@pytest.mark.parametrize("seed", range(5))
def test_random_grants_allow_what_the_metastore_itself_says(
    granting: Granting, reader: MetastoreGrants, seed: int
) -> None:
    random = Random(seed)
    database = granting.database
    users = [f"{database}_u{number}" for number in range(3)]
    roles = [f"{database}_r{number}" for number in range(4)]
    for place, role in enumerate(roles):
        granting.role(role, *[(user, USER) for user in users if random.random() < 0.3])
        for inner in roles[:place]:
            if random.random() < 0.6:
                granting.client.grant_role(inner, role, ROLE, "hive", USER, False)
    given: set[tuple[str, int, str, str | None, str | None]] = set()
    while len(given) < 8:
        who = random.choice([(users[0], USER), *((role, ROLE) for role in roles)])
        table = random.choice((None, *["orders", "customers", "secrets"] * 3))
        column = None if table is None else random.choice((None, "id", "name"))
        grant = (*who, random.choice(("SELECT", "INSERT", "ALL")), table, column)
        if grant not in given:
            given.add(grant)
            granting.grant(*grant)

    for user in users:
        grants = read_grants(reader.of(user))
        for table, column, privilege in product(
            ("orders", "customers", "secrets"), ("id", "name"), (Privilege.SELECT, Privilege.INSERT)
        ):
            need = Need(privilege, RelationName.of(database, table), (column,))
            is_allowed = not grants.missing(user, [need])
            expected = hives_own_answer(granting, user, table, column, privilege.value)
            assert is_allowed == expected, (user, table, column, privilege, given)
