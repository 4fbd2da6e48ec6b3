"""The output for people."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from rich.text import Text

from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.translation.model.outcome import Status
from publisher.commands.output.console import ConsoleOutput
from publisher.commands.output.protocol import Output
from publisher.commands.output.tables import MAX_ROWS
from publisher.commands.snapshot import SnapshotOutcome
from publisher.daemon.inspection import EngineStatus
from publisher.events.protocol import DeadLetter
from publisher.state.records import RelationRecord
from tests.publisher.commands.folder import WRONG, Folder

EMPTY = EngineStatus({}, (), (), (), 0, 0, {}, {})


def broken(name: str, reason: str) -> RelationRecord:
    relation = RelationName.of("shop", name)
    return RelationRecord(relation, status=Status.BROKEN, stale=False, reason=reason)


def shown(status: EngineStatus, *, is_terminal: bool = False) -> str:
    stream = io.StringIO()
    output: Output = ConsoleOutput(stream, is_terminal=is_terminal)
    output.status(status)
    return stream.getvalue()


def on_a_terminal(
    folder: Folder,
    *arguments: str,
    environment: dict[str, str] | None = None,
    stream: Literal["stdout", "stderr"] = "stdout",
    status: int = 0,
) -> str:
    """What a process shows whose standard output, or error, is a terminal."""
    ours, its = pty.openpty()
    command = [sys.executable, "-m", "publisher", *arguments, "--config", str(folder.config)]
    plain = {k: v for k, v in os.environ.items() if k not in {"NO_COLOR", "FORCE_COLOR"}}
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(
        command,
        stdout=its if stream == "stdout" else nowhere,
        stderr=its if stream == "stderr" else nowhere,
        env={**plain, "TERM": "xterm", **(environment or {})},
    ) as process:
        os.close(its)
        read = b""
        while True:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # how Linux tells that nobody writes any more
                break
            if not chunk:
                break
            read += chunk
    os.close(ours)
    assert process.returncode == status
    return read.decode()


@pytest.mark.thorough
def test_a_terminal_gets_colours_and_tables(published: Folder) -> None:
    seen = on_a_terminal(published, "status")

    assert "relations in trouble" in seen
    assert "\x1b[31mBROKEN" in seen


@pytest.mark.thorough
def test_what_takes_long_shows_on_a_terminal_how_far_it_is(folder: Folder) -> None:
    published = on_a_terminal(folder, "snapshot", stream="stderr")
    verified = on_a_terminal(folder, "verify", stream="stderr")
    planned = on_a_terminal(folder, "plan", stream="stderr")

    assert "derive and publish" in published
    assert "3/3" in published
    for step in ("read", "derive", "compare with the index"):
        assert step in verified
    assert "derive" in planned


@pytest.mark.thorough
def test_no_color_is_respected(published: Folder) -> None:
    seen = on_a_terminal(published, "status", environment={"NO_COLOR": "1"})

    assert "BROKEN" in seen
    assert "\x1b[31m" not in seen


@pytest.mark.thorough
def test_json_is_forced_on_a_terminal(published: Folder) -> None:
    seen = on_a_terminal(published, "status", "--json")

    assert json.loads(seen)["versions"] == 2


@pytest.mark.thorough
def test_a_pipe_gets_json_lines_unless_people_are_asked_for(published: Folder) -> None:
    assert published.run("status").lines[0]["versions"] == 2
    assert "published versions  2" in published.people("status")


@pytest.mark.thorough
def test_a_status_counts_and_names_what_is_in_trouble(published: Folder) -> None:
    seen = published.people("status")

    assert "relations           1 BROKEN, 2 OK" in seen
    assert "work                0 relations due" in seen
    assert "Z: 3 relations, 3 differed, 0 missing" in seen
    assert f"shop.wrong  BROKEN  {WRONG}" in seen


def test_a_status_without_anything_is_short() -> None:
    assert "none yet" in shown(EMPTY)
    assert "trouble" not in shown(EMPTY)


def test_a_status_says_how_held_deletions_are_confirmed() -> None:
    notes = {"@brake/shop": "30 of 40 relations not listed", "@brake/old": "released"}

    seen = shown(replace(EMPTY, notes=notes))

    assert "schema-publisher confirm-deletions shop" in " ".join(seen.split())
    assert "confirmed; the next snapshot" in " ".join(seen.split())


def test_a_command_that_is_shown_is_safe_to_copy_into_a_shell() -> None:
    seen = shown(replace(EMPTY, notes={"@brake/x; rm -rf ~": "30 of 40 relations not listed"}))

    assert "confirm-deletions 'x; rm -rf ~'" in " ".join(seen.split())


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("[red]x[/red] [link=file:///etc/passwd]y[/link]", None),
        (":bomb:", None),
        ("\x1b[2J\x1b]0;owned\x07", r"\x1b[2J\x1b]0;owned\x07"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("\udcff", r"\udcff"),
        ("a\rb", r"a\rb"),
    ],
)
@pytest.mark.parametrize("is_terminal", [False, True])
def test_what_a_metastore_says_is_shown_and_never_obeyed(
    reason: str, expected: str | None, *, is_terminal: bool
) -> None:
    seen = shown(replace(EMPTY, troubled=[broken("t", reason)]), is_terminal=is_terminal)

    assert (expected or reason) in seen
    assert expected is None or reason not in seen


LONG = "revenue_by_country_" * 8


def test_off_a_terminal_no_name_is_cut_or_wrapped() -> None:
    seen = shown(replace(EMPTY, troubled=[broken(LONG, "because " * 40), broken("t", "no")]))

    rows = seen[seen.index("relations in trouble") :].splitlines()
    assert [row.split()[:2] for row in rows[1:4]] == [
        ["relation", "status"],
        [f"shop.{LONG}", "BROKEN"],
        ["shop.t", "BROKEN"],
    ]
    assert rows[2].count("because") == 40
    assert not [row for row in rows if row != row.rstrip()]


def test_on_a_terminal_a_table_fits_into_its_width_but_for_names_that_are_wider() -> None:
    seen = shown(replace(EMPTY, troubled=[broken(LONG, "because " * 40)]), is_terminal=True)

    lines = [Text.from_ansi(line).plain for line in seen.splitlines()]
    assert [line.strip() for line in lines if len(line) > 80] == [f"shop.{LONG}"]
    assert seen.count("because") == 40


def test_a_long_table_ends_with_how_many_more_there_are() -> None:
    records: Sequence[RelationRecord] = [broken(f"t{n}", "x") for n in range(MAX_ROWS + 7)]

    seen = shown(replace(EMPTY, troubled=records))

    assert "… and 7 more; --json shows all" in seen
    assert seen.count("BROKEN") == MAX_ROWS


@pytest.mark.thorough
def test_an_explanation_has_neighbours_and_versions_with_times(published: Folder) -> None:
    seen = published.people("explain", "shop.orders")

    assert (
        "relation  shop.orders\nstatus    OK\nmeaning   its schema is known, and its package is current\n"
        in seen
    )
    assert "package   acme-schema-shop-orders\n" in seen
    assert "  shop.ids    OK\n  shop.wrong  BROKEN" in seen
    assert "withheld" not in seen
    first = next(line for line in seen.splitlines() if "1.0.0" in line).split()
    assert first[:3] == ["1.0.0", "PUBLISHED", "first"]
    assert first[3].endswith("Z")
    assert first[4:] == ["first", "version"]


@pytest.mark.thorough
def test_an_explanation_has_the_reason_and_the_upstreams(published: Folder) -> None:
    seen = published.people("explain", "shop.wrong")

    assert f"reason    {WRONG}" in seen
    assert "upstreams\n  relation     status\n  shop.orders  OK" in seen


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("artifacts", "ddl", "reason"),
    [
        ('exclude = ["shop.*"]', "CREATE TABLE shop.t (a int);", "artifacts.exclude leave it out"),
        (
            "",
            "CREATE TABLE shop.t (a int) TBLPROPERTIES ('schema-publisher.publish' = 'false');",
            "its table property schema-publisher.publish is false",
        ),
    ],
)
def test_an_explanation_says_why_a_relation_is_withheld(
    folder: Folder, artifacts: str, ddl: str, reason: str
) -> None:
    folder.write_settings(artifacts=artifacts)
    folder.write_ddl(ddl)
    folder.run("snapshot")

    withheld = next(
        line
        for line in folder.people("explain", "shop.t").splitlines()
        if line.startswith("withheld")
    )

    assert reason in withheld


@pytest.mark.thorough
def test_a_verification_ends_with_a_count(published: Folder) -> None:
    published.write_ddl(
        "CREATE TABLE shop.orders (id bigint, note int);\n"
        "CREATE VIEW shop.ids AS SELECT id FROM shop.orders;\n"
        "CREATE VIEW shop.wrong AS SELECT nothing FROM shop.orders;\n"
    )

    seen = published.people("verify")

    assert seen.splitlines()[-2:] == [
        "3 packages checked, 1 drifted",
        "1 package has never been published: acme-schema-shop-wrong",
    ]


@pytest.mark.thorough
def test_a_package_of_what_cannot_be_derived_any_more_is_drift(published: Folder) -> None:
    published.write_ddl("CREATE VIEW shop.ids AS SELECT id FROM shop.orders;")

    ended = published.run("verify", "--no-json")

    assert ended.status == 1
    assert ended.out.splitlines()[-1] == "1 package checked, 1 cannot be derived"


@pytest.mark.thorough
def test_what_never_had_a_package_is_counted_and_no_drift(published: Folder) -> None:
    ended = published.run("verify", "--no-json")

    assert ended.status == 0
    assert ended.out.splitlines()[-2:] == [
        "3 packages checked: all others are as the catalog says",
        "1 package has never been published: acme-schema-shop-wrong",
    ]


@pytest.mark.thorough
def test_a_verification_without_drift_says_so(folder: Folder) -> None:
    folder.write_ddl("CREATE TABLE shop.t (a int);")
    folder.run("snapshot")

    ended = folder.run("verify", "--no-json")

    assert ended.status == 0
    assert ended.out == "1 package checked: all packages are as the catalog says\n"


@pytest.mark.thorough
def test_a_snapshot_is_told_in_two_sentences(folder: Folder) -> None:
    first, second = folder.people("snapshot").splitlines()

    assert first == "3 relations compared: 3 differ, 0 missing"
    assert second.startswith("2 versions published in ")


def test_a_snapshot_names_the_deletions_that_it_held(folder: Folder) -> None:
    stream = io.StringIO()
    outcome = SnapshotOutcome("local", 1, 0, 0, {"": "30 of 31 relations"}, None, {}, {})

    ConsoleOutput(stream).snapshot(outcome)

    assert "the whole catalog" in stream.getvalue()
    assert "schema-publisher confirm-deletions" in " ".join(stream.getvalue().split())


@pytest.mark.thorough
def test_a_dry_run_lists_what_differs_and_what_cannot_be_derived(folder: Folder) -> None:
    seen = folder.people("snapshot", "--dry-run")

    assert "differ\n  relation\n  shop.ids\n  shop.orders\n" in seen
    assert f"shop.wrong  {WRONG}" in seen


def test_a_plan_has_versions_and_what_has_none(folder: Folder) -> None:
    rows = [line.split() for line in folder.people("plan").splitlines()]

    planned = ["shop.orders", "acme-schema-shop-orders", "1.0.0", "first", "first", "version"]
    assert [*planned, "shop.ids"] in rows
    assert ["shop.wrong", "BROKEN", *WRONG.split()] in rows


def test_a_plan_of_nothing_says_so(folder: Folder) -> None:
    folder.write_ddl("")

    assert folder.people("plan") == "nothing would change"


@pytest.mark.thorough
def test_nothing_to_retire_is_said(published: Folder) -> None:
    published.write_settings(rest="[index.retention]\nkeep_latest_per_major = 1\n")

    assert published.people("retire") == "nothing to retire"


def test_dead_letters_are_shown_with_the_beginning_of_their_bytes(folder: Folder) -> None:
    letter = DeadLetter(b"\xff\x1b[31m" + b"x" * 100, "not JSON", Namespace(("shop",)))
    with folder.state() as state:
        state.write(lambda tx: tx.journal.add_dead_letters("kafka", [letter], 0.0))

    seen = folder.people("dead-letters")

    assert "1970-01-01T00:00:00Z  kafka   shop       not JSON" in seen
    assert r"\xff\x1b[31mxxx" in seen
    assert folder.people("status").count("schema-publisher dead-letters") == 1


@pytest.mark.thorough
def test_no_dead_letters_is_said(published: Folder) -> None:
    assert published.people("dead-letters") == "no dead letters"


@pytest.mark.thorough
def test_a_resync_says_who_does_the_rest(published: Folder, tmp_path: Path) -> None:
    assert published.people("resync", "shop.orders").splitlines() == [
        "shop.orders will be read again",
        "a running daemon, or the next snapshot, publishes the differences",
    ]
    assert published.people("resync").startswith("3 relations compared: 0 differ, 0 missing\n")
