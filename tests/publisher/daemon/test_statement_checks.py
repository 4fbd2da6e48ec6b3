"""Checks by a running service: its own relations, limits, and a bounded queue."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from lakeschema.catalog.ddl_files import DdlFilesCatalog
from lakeschema.catalog.errors import CatalogUnavailable
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.model.outcome import Status
from publisher.daemon.adapters import build_user_grants
from publisher.daemon.known_relations import KnownRelations
from publisher.daemon.service import Service
from publisher.daemon.statement_checks import Checks
from publisher.daemon.user_grants import UserGrants
from publisher.settings import Check, SettingsError, load_settings
from publisher.state.protocol import Transaction
from publisher.state.records import Output, RelationRecord
from publisher.state.sqlite import SqliteState
from publisher.web.limited_requests import Failed, Unavailable
from tests.publisher.daemon.test_service import configured
from tests.waiting import eventually

ORDERS = RelationName.of("shop", "orders")
DDL = (
    "CREATE DATABASE shop; USE shop;"
    "CREATE TABLE orders (id BIGINT, price DOUBLE) PARTITIONED BY (dt STRING);"
    "CREATE VIEW ids AS SELECT id FROM orders WHERE dt > '2026';"
)
DERIVATION = json.dumps(
    {
        "interface": {"columns": [["id"], ["dt"]], "omitted": [[1, ["price"], "why"]]},
        "upstreams": [],
        "lineage": [],
    }
)


class AbsentCatalog(DdlFilesCatalog):
    is_absent = True

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        if self.is_absent:
            raise CatalogUnavailable("ddl", "it is away")
        return super().read(names)


@pytest.fixture
def ddl(tmp_path: Path) -> Path:
    folder = tmp_path / "ddl"
    folder.mkdir()
    (folder / "all.sql").write_text(DDL)
    return folder


@pytest.fixture
def state(tmp_path: Path) -> Iterator[SqliteState]:
    state = SqliteState(tmp_path / "known.db")
    yield state
    state.close()


def note(state: SqliteState, *, facts: str | None, interface: str = "i") -> None:
    record = RelationRecord(
        ORDERS, facts_hash=facts, output=Output(interface), status=Status.OK, stale=False
    )

    def write(tx: Transaction) -> None:
        tx.graph.write(record)
        tx.graph.write_derivation(ORDERS, DERIVATION)

    state.write(write)


class TestKnownRelations:
    def test_columns_are_the_derivations_and_partitions_the_catalogs(
        self, state: SqliteState, ddl: Path
    ) -> None:
        note(state, facts="f")
        known = KnownRelations(state, DdlFilesCatalog(ddl), 60)

        known.refresh()

        assert known.current == {"shop.orders": [["id", "price", "dt"], ["dt"], False, []]}

    def test_nothing_new_leaves_all_as_it_was(self, state: SqliteState, ddl: Path) -> None:
        note(state, facts="f")
        known = KnownRelations(state, DdlFilesCatalog(ddl), 60)
        known.refresh()
        before = known.current

        known.refresh()

        assert known.current is before

    def test_a_relation_that_is_gone_is_forgotten(self, state: SqliteState, ddl: Path) -> None:
        note(state, facts="f")
        known = KnownRelations(state, DdlFilesCatalog(ddl), 60)
        known.refresh()
        note(state, facts=None)

        known.refresh()

        assert known.current == {}

    def test_without_the_catalog_partitions_are_asked_for_again(
        self, state: SqliteState, ddl: Path
    ) -> None:
        note(state, facts="f")
        catalog = AbsentCatalog(ddl)
        known = KnownRelations(state, catalog, 60)
        known.refresh()
        before = known.current
        known.refresh()
        while_absent = known.current
        catalog.is_absent = False

        known.refresh()

        assert before == {"shop.orders": [["id", "price", "dt"], [], False, []]}
        assert while_absent is before
        assert known.current == {"shop.orders": [["id", "price", "dt"], ["dt"], False, []]}


class TestChecks:
    @pytest.fixture
    def known(self, state: SqliteState, ddl: Path) -> KnownRelations:
        return KnownRelations(state, DdlFilesCatalog(ddl), 60)

    def test_a_check_that_takes_too_long_is_killed(self, known: KnownRelations) -> None:
        known.refresh()
        checks = Checks(Check(timeout_seconds=1e-6), known)

        with pytest.raises(Failed, match="could not be checked"):
            checks.submit(b'{"sql": "SELECT 1"}', "ann").result()
        assert checks.counts.verdicts()["failed"] == 1
        checks.close()

    @pytest.mark.parametrize(
        "body", [b"", b"[", b"null", b'{"sql": "SELECT 1", "user": "\\ud800"}']
    )
    def test_what_means_nothing_is_refused_and_not_taken_for_a_message_of_the_service(
        self, known: KnownRelations, body: bytes
    ) -> None:
        known.refresh()
        checks = Checks(Check(timeout_seconds=60), known)

        answer = checks.submit(body, "ann").result()

        assert answer["error"]["type"] == "InvalidRequest"
        assert checks.counts.verdicts()["invalid"] == 1
        checks.close()

    def test_more_than_may_wait_are_refused(self, known: KnownRelations) -> None:
        known.refresh()
        checks = Checks(Check(max_waiting=1), known)
        under_way = [checks.submit(b'{"sql": "SELECT 1"}', "ann") for _ in range(2)]

        with pytest.raises(Unavailable, match="too many"):
            checks.submit(b'{"sql": "SELECT 1"}', "ann")
        assert checks.counts.verdicts()["refused"] == 1

        assert [answer.result()["result"]["ok"] for answer in under_way] == [True, True]
        checks.submit(b'{"sql": "SELECT 1"}', "ann").result()
        checks.close()

    @pytest.mark.thorough
    def test_a_killed_process_is_replaced_and_knows_all_again(
        self, state: SqliteState, known: KnownRelations
    ) -> None:
        note(state, facts="f")
        known.refresh()
        # Too little to read a long statement with a wide character, and enough for short ones.
        checks = Checks(Check(max_bytes=16_000_000, memory_bytes=268_435_456), known)
        unknown = b'{"sql": "SELECT nothing FROM shop.orders WHERE dt = 1"}'
        sql = f"SELECT {'a + ' * 140_000}'{'a' * 15_000_000}\N{GRINNING FACE}'"
        long = json.dumps({"sql": sql}).encode()

        first = checks.submit(unknown, "ann").result()
        with pytest.raises(Failed):
            checks.submit(long, "ann").result()
        second = checks.submit(unknown, "ann").result()

        assert first == second
        assert [v["rule"] for v in second["result"]["violations"]] == ["unknown_column"]
        assert checks.counts.rules()["unknown_column"] == 2
        checks.close()

    def test_before_anything_is_known_and_after_the_end_it_refuses(
        self, known: KnownRelations
    ) -> None:
        checks = Checks(Check(), known)

        with pytest.raises(Unavailable, match="begins"):
            checks.submit(b"{}", "ann")
        known.refresh()
        checks.close()
        with pytest.raises(Unavailable, match="ends"):
            checks.submit(b"{}", "ann")

    def test_grants_are_read_when_a_request_names_a_user(
        self, state: SqliteState, known: KnownRelations
    ) -> None:
        note(state, facts="f")
        known.refresh()
        of_ann = {"user": "ann", "privileges": ["SELECT"], "on": "shop.*"}
        read: list[str] = []

        def grants_of(user: str) -> Mapping[str, Any]:
            read.append(user)
            if user == "eve":
                raise CatalogUnavailable("hive", "it is away")
            return {"grants": [of_ann]}

        checks = Checks(
            Check(rules={"missing_partition_filter": False}), known, UserGrants(grants_of, 60)
        )

        def asked(**user: str) -> Mapping[str, Any]:
            request = {"sql": "SELECT id FROM shop.orders", **user}
            found: Mapping[str, Any] = checks.submit(json.dumps(request).encode(), "ann").result()[
                "result"
            ]
            return found

        assert asked(user="ann")["missing_privileges"] == []
        assert asked(user="bob")["missing_privileges"] != []
        assert asked(user="ann")["ok"]
        assert "missing_privileges" not in asked()
        assert read == ["ann", "bob"]
        with pytest.raises(Unavailable, match="does not give the user's privileges"):
            asked(user="eve")
        checks.close()

    def test_grants_that_are_outdated_at_once_are_told(self, known: KnownRelations) -> None:
        known.refresh()
        grants = UserGrants(lambda _: {"grants": []}, 0)
        checks = Checks(Check(timeout_seconds=60), known, grants)

        with pytest.raises(Unavailable, match="expire"):
            checks.submit(b'{"sql": "SELECT 1", "user": "ann"}', "ann").result()
        checks.close()

    def test_grants_of_a_metastore_need_one(self, ddl: Path) -> None:
        with pytest.raises(SettingsError, match=r'needs catalog\.kind = "hive"'):
            build_user_grants(DdlFilesCatalog(ddl))

    def test_an_unknown_rule_stops_the_start(self, known: KnownRelations) -> None:
        with pytest.raises(SettingsError, match=r"check\.rules: unknown rule 'typo'"):
            Checks(Check(rules={"typo": True}), known)

    @pytest.mark.parametrize("text", ["{", "[]", None], ids=str)
    def test_grants_that_cannot_be_used_stop_the_start(
        self, known: KnownRelations, tmp_path: Path, text: str | None
    ) -> None:
        file = tmp_path / "grants.json"
        if text is not None:
            file.write_text(text)

        with pytest.raises(SettingsError, match=r"check\.grants_file"):
            Checks(Check(grants_file=file), known)


@pytest.mark.thorough
def test_a_running_service_checks_against_what_it_knows(tmp_path: Path, ddl: Path) -> None:
    assert ddl.is_dir()
    config = configured(tmp_path, "[check]\nenabled = true\nrefresh_seconds = 0.2\n")

    def rules(sql: str) -> Any:
        found = httpx.post(
            f"{service.url}/check", json={"sql": sql, "namespace": ["shop"]}, timeout=60
        )
        if found.status_code == 503:
            return None
        answer = found.json()
        return [each["rule"] for each in (*answer["violations"], *answer["warnings"])]

    with Service(load_settings(config), config) as service:
        assert eventually(lambda: rules("SELECT id FROM ordres") == ["unknown_table"])
        assert eventually(lambda: rules("SELECT id FROM orders") == ["missing_partition_filter"])
        assert eventually(lambda: rules("SELECT price FROM ids") == ["unknown_column"])
        assert rules("SELECT price FROM orders WHERE dt = '1'") == []
        metrics = httpx.get(f"{service.url}/metrics").text
        assert 'schema_publisher_checks_total{verdict="ok"}' in metrics


@pytest.mark.thorough
def test_a_running_service_knows_what_its_views_read(tmp_path: Path, ddl: Path) -> None:
    assert ddl.is_dir()
    (tmp_path / "grants.json").write_text("{}")
    config = configured(
        tmp_path,
        "[check]\nenabled = true\nrefresh_seconds = 0.2\n"
        'grants_file = "grants.json"\nviews = "through"\n',
    )

    def lacks() -> Any:
        request = {"sql": "SELECT id FROM shop.ids", "user": "ann"}
        found = httpx.post(f"{service.url}/check", json=request, timeout=60)
        return found.json().get("missing_privileges")

    with Service(load_settings(config), config) as service:
        expected = [{"privilege": "SELECT", "relation": "shop.orders", "columns": ["dt", "id"]}]
        assert eventually(lambda: lacks() == expected)
