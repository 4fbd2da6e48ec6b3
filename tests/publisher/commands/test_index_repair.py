"""Lost, moved or misconfigured index, or lost state: the actions and messages of the commands."""

from __future__ import annotations

import shutil

import pytest

from publisher.commands.failures import USAGE_ERROR
from tests.publisher.commands.folder import TABLES, Folder


def wheels(folder: Folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder.path / "index").rglob("*.whl")}


def lose_state(folder: Folder) -> None:
    for path in folder.path.glob("state.db*"):
        path.unlink()


@pytest.mark.thorough
def test_an_emptied_folder_is_filled_with_the_same_bytes(published: Folder) -> None:
    before = wheels(published)
    shutil.rmtree(published.path / "index")

    assert published.run("snapshot").status == 0

    assert before
    assert wheels(published) == before


def test_lost_and_outdated_packages_are_mended_on_request(published: Folder) -> None:
    before = wheels(published)
    next((published.path / "index").rglob("acme_schema_shop_ids*.whl")).unlink()
    published.write_ddl(TABLES.replace("note string", "note string, total double"))

    found = published.run("verify", "--repair").lines

    assert [(line["relation"], line["reason"].split(":")[0]) for line in found] == [
        ("shop.ids", "is not on the index"),
        ("shop.orders", "1.0.0 differs from the catalog"),
        ("shop.wrong", "cannot be derived"),
        ("shop.wrong", "cannot be derived"),
    ]
    after = wheels(published)
    assert before.items() <= after.items()
    assert sorted(after.keys() - before.keys()) == [
        "acme_schema_shop_orders-1.1.0-py3-none-any.whl"
    ]


@pytest.mark.thorough
def test_a_wheel_that_somebody_removed_comes_back_with_the_next_snapshot(published: Folder) -> None:
    before = wheels(published)
    next((published.path / "index").rglob("acme_schema_shop_ids*.whl")).unlink()

    assert published.run("snapshot").status == 0

    assert wheels(published) == before


@pytest.mark.thorough
def test_nothing_is_mended_without_a_state(published: Folder) -> None:
    before = wheels(published)
    lose_state(published)

    ended = published.run("verify", "--repair")

    assert ended.status == 1
    assert "there is no state" in ended.err
    assert wheels(published) == before


@pytest.mark.thorough
def test_a_lost_state_is_adopted_and_publishes_nothing_anew(published: Folder) -> None:
    before = wheels(published)
    lose_state(published)

    (adopted,) = published.run("adopt").lines
    ended = published.run("snapshot")

    assert adopted["adopted"] == ["shop.ids", "shop.orders"]
    assert adopted["failed"] == {}
    assert ended.status == 0
    assert wheels(published) == before
    assert "2 packages compared, 0 differ, 0 adopted" in published.people("adopt")


@pytest.mark.thorough
def test_what_was_dropped_while_the_state_was_lost_is_yanked(published: Folder) -> None:
    lose_state(published)
    published.write_ddl("CREATE TABLE shop.orders (id bigint, note string);")

    published.run("adopt")
    published.run("snapshot")

    page = (published.path / "index/simple/acme-schema-shop-ids/index.html").read_text()
    assert "data-yanked" in page


@pytest.mark.thorough
def test_what_was_dropped_and_yanked_is_no_trouble(published: Folder) -> None:
    published.write_ddl("CREATE TABLE shop.orders (id bigint, note string);")
    published.run("snapshot")

    assert "trouble" not in published.people("status")
    assert "relations           1 MISSING, 1 OK" in published.people("status")
    assert "dropped   its versions are yanked" in published.people("explain", "shop.ids")


@pytest.mark.thorough
def test_an_upstream_that_was_dropped_is_named_by_what_reads_it(published: Folder) -> None:
    published.write_ddl("CREATE VIEW shop.ids AS SELECT id FROM shop.orders;")
    published.run("snapshot")

    trouble = published.people("status").partition("relations in trouble")[2]

    assert [line.split()[:2] for line in trouble.splitlines()[2:]] == [["shop.ids", "BROKEN"]]


@pytest.mark.thorough
def test_a_changed_prefix_is_published_once_a_person_asks(folder: Folder) -> None:
    columns = "CREATE TABLE shop.t{} (id bigint);"
    folder.write_ddl("".join(columns.format(number) for number in range(12)))
    folder.run("snapshot")
    settings = folder.config.read_text()
    folder.config.write_text(settings.replace('"acme-schema"', '"other-schema"'))

    folder.run("snapshot")

    assert not any(name.startswith("other_schema") for name in wheels(folder))
    assert (
        "held: 12 of 12 packages are not on the index; "
        "if this is intended: schema-publisher republish --missing" in folder.people("status")
    )
    explained = folder.people("explain", "shop.t3")
    assert "the package other-schema-shop-t3 does not exist: its upload is held" in explained
    assert "schema-publisher republish --missing" in explained
    (status,) = folder.run("status", "--json").lines
    assert status["held_packages"][0]["release"] == "schema-publisher republish --missing"

    (report,) = folder.run("republish", "--missing").lines
    folder.run("snapshot")

    assert len(report["differing"]) == 12
    renamed = [name for name in wheels(folder) if name.startswith("other_schema")]
    assert len(renamed) == 12
    folder.run("snapshot")
    assert len(wheels(folder)) == 24
    assert "held" not in folder.people("status")
    assert "its package is current" in folder.people("explain", "shop.t3")


@pytest.mark.thorough
def test_a_package_under_a_new_prefix_is_not_said_to_be_there(published: Folder) -> None:
    settings = published.config.read_text()
    published.config.write_text(settings.replace('"acme-schema"', '"other-schema"'))

    explained = published.people("explain", "shop.orders")
    assert "the package other-schema-shop-orders does not exist yet: the next snapshot" in explained

    published.run("snapshot")
    assert "its package is current" in published.people("explain", "shop.orders")


@pytest.mark.thorough
def test_packages_that_an_emptied_index_lacks_are_said_to_be_held(folder: Folder) -> None:
    columns = "CREATE TABLE shop.t{} (id bigint);"
    folder.write_ddl("".join(columns.format(number) for number in range(12)))
    folder.run("snapshot")
    shutil.rmtree(folder.path / "index")

    folder.run("snapshot")

    assert "the package acme-schema-shop-t3 does not exist: its upload is held" in folder.people(
        "explain", "shop.t3"
    )
    folder.run("republish", "--missing")
    folder.run("snapshot")
    assert "its package is current" in folder.people("explain", "shop.t3")


@pytest.mark.thorough
def test_missing_packages_and_named_relations_are_not_mixed(published: Folder) -> None:
    ended = published.run("republish", "shop.orders", "--missing")

    assert ended.status == USAGE_ERROR
    assert "--missing takes no relations" in ended.err
