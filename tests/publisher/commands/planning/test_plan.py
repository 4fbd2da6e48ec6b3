"""A plan predicts what a publication then does."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from lakeschema.catalog.ddl_change import Script
from lakeschema.catalog.ddl_files import DdlFilesCatalog
from lakeschema.isolation.limits import Limits
from lakeschema.isolation.pool import LimitedProcesses
from lakeschema.translation.deriving.direct_deriver import DirectDeriver
from lakeschema.translation.deriving.limited_deriver import (
    HANDLER,
    LimitedDeriver,
    derivation_handler,
)
from lakeschema.translation.model.interface import Options
from lakeschema.translation.model.outcome import Status
from publisher.commands.plan import plan_as_it_is, plan_changes
from publisher.commands.planning.packages import PackageForecast, Rules
from publisher.commands.planning.values import Plan, PlannedVersion
from publisher.commands.verify import Drift, Verification, verify_packages
from publisher.daemon.adapters import build_packaging, build_processes
from publisher.daemon.assembly import build_engine, build_state
from publisher.index.static import StaticIndex
from publisher.policy import Policy
from publisher.selection import EVERYTHING, Selection
from publisher.settings import load_settings
from publisher.state.places import place_of
from publisher.state.reading import read_state

PREFIX = "acme-schema"

DERIVER = DirectDeriver(Options())


class Lake:
    """A folder of DDL, its packages, and an engine that publishes when told."""

    def __init__(self, folder: Path) -> None:
        self._script = folder / "ddl" / "tables.sql"
        self._script.parent.mkdir()
        self.said: list[str] = []
        self._catalog = DdlFilesCatalog(folder / "ddl")
        self.index = StaticIndex(folder / "index")
        config = folder / "schema-publisher.toml"
        config.write_text(
            f"""\
[artifacts]
prefix = "{PREFIX}"
[catalog]
kind = "ddl"
path = "{folder}/ddl"
[state]
url = "sqlite:///{folder}/state.db"
[index]
kind = "static"
path = "{folder}/index"
[engine]
debounce_seconds = 0
staleness_seconds = 0
[http]
enabled = false
"""
        )
        self._settings = load_settings(config)

    def write(self, ddl: str) -> None:
        self._script.write_text(ddl)

    def publish(self, ddl: str) -> None:
        self.write(ddl)
        state = build_state(self._settings)
        with build_processes(self._settings) as processes:
            engine = build_engine(self._settings, state, self._catalog, self.index, processes)
            engine.snapshot()
            assert engine.drain(60.0)
        state.close()

    def planned(self, *ddl: str, selection: Selection = EVERYTHING) -> Plan:
        """As the command does it, but for the processes with limits."""
        rules = Rules("semantic", selection, Policy())
        packaging = build_packaging(self._settings)
        if not ddl:
            forecast = PackageForecast(self.index, packaging, rules)
            return plan_as_it_is(self._catalog, DERIVER, forecast, self.said.append)
        with read_state(place_of(self._settings.state)) as state:
            return plan_changes(
                self._catalog,
                DERIVER,
                PackageForecast(self.index, packaging, rules, state),
                [Script("inline DDL", text) for text in ddl],
                state=state,
                say=self.said.append,
            )

    def versions_planned(self, *ddl: str, **how: Selection) -> Sequence[PlannedVersion]:
        return self.planned(*ddl, **how).versions

    def unpublishable(self, *ddl: str) -> Mapping[str, str]:
        plan = self.planned(*ddl)
        found = (*plan.broken, *plan.failing, *plan.already_failing)
        return {str(each.relation): each.reason for each in found}

    def verified(self, selection: Selection = EVERYTHING) -> Verification:
        return verify_packages(
            self._catalog, self.index, build_packaging(self._settings), DERIVER, selection
        )

    def verified_within(self, limits: Limits) -> Verification:
        """As ``verified``, derived in a child process with these limits."""
        options = Options()
        handlers = {HANDLER: derivation_handler(options)}
        with LimitedProcesses(handlers, count=1, limits=limits) as processes:
            deriver = LimitedDeriver(processes, options)
            packaging = build_packaging(self._settings)
            return verify_packages(self._catalog, self.index, packaging, deriver)

    def drifts(self, selection: Selection = EVERYTHING) -> Sequence[Drift]:
        return self.verified(selection).drifts

    def reasons(self) -> Mapping[str, str]:
        """Why the engine could not derive a relation that exists."""
        state = build_state(self._settings)
        records = state.read(lambda tx: tx.graph.every_record())
        state.close()
        return {
            str(name): record.reason
            for name, record in records.items()
            if record.reason and record.status is not Status.MISSING
        }

    def versions(self, distribution: str) -> set[str]:
        return {file.version for file in self.index.files(distribution)}


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path)


def avro_table(**enum: Any) -> str:
    state = {"type": "enum", "name": "State", **enum}
    record = {"type": "record", "name": "T", "fields": [{"name": "state", "type": state}]}
    literal = json.dumps(record)
    return (
        "CREATE TABLE t (state string) STORED AS AVRO "
        f"TBLPROPERTIES ('avro.schema.literal' = '{literal}');"
    )


TABLE = "acme-schema-default-t"
ID = "CREATE TABLE t (id bigint);"
VIEW = "CREATE VIEW v AS SELECT id FROM t;"


def test_nothing_published_is_a_first_version(lake: Lake) -> None:
    (table, view) = lake.versions_planned(ID, VIEW)

    assert (str(table.relation), table.newest, table.number) == ("default.t", None, "1.0.0")
    assert table.change == view.change == "first"
    assert table.dependents == (view.relation,)


@pytest.mark.thorough
def test_what_is_published_is_no_change(lake: Lake) -> None:
    lake.publish(ID + VIEW)

    assert lake.planned().is_empty


@pytest.mark.thorough
def test_every_version_of_the_major_counts_and_the_publication_agrees(lake: Lake) -> None:
    """Readers of 1.1.0 take an unknown symbol for its default; those of 1.0.0 have no default."""
    lake.publish(avro_table(symbols=["A"]))
    lake.publish(avro_table(symbols=["A"], default="A"))
    assert lake.versions(TABLE) == {"1.0.0", "1.1.0"}
    grown = avro_table(symbols=["A", "B"], default="A")

    (planned,) = lake.versions_planned("DROP TABLE t;" + grown)
    lake.publish(grown)

    assert (planned.newest, planned.number, planned.change) == ("1.1.0", "2.0.0", "major")
    assert lake.versions(TABLE) == {"1.0.0", "1.1.0", "2.0.0"}


def test_a_view_that_cannot_be_derived_says_why(lake: Lake) -> None:
    unpublishable = lake.unpublishable(ID, "CREATE VIEW v AS SELECT nothing FROM t;")

    assert "nothing" in unpublishable["default.v"]


@pytest.mark.thorough
def test_a_table_that_the_catalog_cannot_give_blocks_its_cone_alone(lake: Lake) -> None:
    lake.publish("CREATE TABLE t (id bigint,, name);" + VIEW + "CREATE TABLE u (id bigint);")

    unpublishable = lake.unpublishable()

    assert lake.versions("acme-schema-default-u") == {"1.0.0"}
    assert lake.planned().versions == []
    assert sorted(unpublishable) == ["default.t", "default.v"]
    assert "the catalog cannot return it" in unpublishable["default.t"]
    assert "default.t" in unpublishable["default.v"]


@pytest.mark.thorough
def test_what_is_withheld_is_neither_planned_nor_missed(lake: Lake) -> None:
    opted_out = "CREATE TABLE u (id bigint) TBLPROPERTIES ('schema-publisher.publish' = 'false');"

    (planned,) = lake.versions_planned(ID, VIEW, opted_out, selection=Selection(exclude=("*.t",)))
    lake.publish(ID + VIEW + opted_out)

    assert str(planned.relation) == "default.v"
    assert lake.versions("acme-schema-default-u") == set()
    assert lake.drifts() == []


@pytest.mark.thorough
def test_what_cannot_be_derived_is_reported_with_the_words_that_a_plan_uses(lake: Lake) -> None:
    broken = "CREATE VIEW w AS SELECT nothing FROM t; CREATE VIEW x AS SELECT * FROM w;"
    cycle = "CREATE VIEW a AS SELECT * FROM b; CREATE VIEW b AS SELECT * FROM a;"
    lake.publish(ID + VIEW + broken + cycle + "CREATE VIEW gone AS SELECT * FROM missing;")

    verified = lake.verified()
    drifts = {str(gap.relation): gap.reason for gap in verified.gaps}
    planned = lake.unpublishable()
    stored = lake.reasons()

    assert verified.drifts == []
    assert sorted(drifts) == [f"default.{name}" for name in ("a", "b", "gone", "w", "x")]
    assert drifts == {name: f"cannot be derived: {reason}" for name, reason in planned.items()}
    assert planned == stored
    assert planned["default.a"].endswith("defined by itself: default.a → default.b → default.a")
    assert planned["default.gone"].endswith("relation default.missing does not exist")
    assert planned["default.x"] == "default.x: upstream default.w is BROKEN"


@pytest.mark.thorough
def test_a_view_that_kills_its_derivation_is_reported_beside_the_others(lake: Lake) -> None:
    steps = "".join(
        f", c{n} AS (SELECT struct(x.a AS p, x.a AS q) AS a FROM c{n - 1} x)" for n in range(1, 41)
    )
    poison = f"CREATE VIEW d.poison AS WITH c0 AS (SELECT a FROM d.t){steps} SELECT a FROM c40;\n"
    lake.write("CREATE TABLE d.t (a INT);\n" + poison)

    verified = lake.verified_within(Limits(timeout_seconds=2.0))

    assert [(str(d.relation), d.reason) for d in verified.drifts] == [
        ("d.t", "is not on the index")
    ]
    (gap,) = verified.gaps
    assert (str(gap.relation), "its derivation crashed" in gap.reason) == ("d.poison", True)
