"""A state is not continued with another default catalog, which would take over its packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from publisher.commands.deployment import opened_deployment
from publisher.settings import Settings, SettingsError, load_settings


def settings_of(folder: Path, *catalogs: str) -> Settings:
    """The first catalog is the default one; each has the table ``shop.orders``."""
    text = '[artifacts]\nprefix = "acme-schema"\n'
    for number, name in enumerate(catalogs):
        ddl = folder / f"{name}.sql.d"
        ddl.mkdir(exist_ok=True)
        (ddl / "all.sql").write_text(
            f"CREATE DATABASE shop; CREATE TABLE shop.orders ({name} INT);"
        )
        default = str(number == 0).lower()
        text += f'[[catalog]]\nkind = "ddl"\nname = "{name}"\npath = "{ddl}"\ndefault = {default}\n'
    config = folder / "schema-publisher.toml"
    config.write_text(text)
    return load_settings(config)


def take_snapshot(settings: Settings) -> int:
    with opened_deployment(settings) as deployment:
        deployment.engine.snapshot()
        deployment.engine.drain(60.0)
        return len(deployment.engine.status().relations)


@pytest.mark.parametrize("later", [("b", "a"), ("b",)])
def test_another_default_catalog_is_refused(tmp_path: Path, later: tuple[str, ...]) -> None:
    take_snapshot(settings_of(tmp_path, "a", "b"))

    with pytest.raises(SettingsError, match="set default = true for 'a'"):
        take_snapshot(settings_of(tmp_path, *later))


def test_a_single_catalog_cannot_give_its_packages_to_a_new_default_one(tmp_path: Path) -> None:
    take_snapshot(settings_of(tmp_path, "a"))

    with pytest.raises(SettingsError, match="set default = true for 'a'"):
        take_snapshot(settings_of(tmp_path, "b", "a"))


@pytest.mark.parametrize("later", [("a", "b"), ("renamed",), ("renamed", "b")])
def test_a_catalog_may_be_added_and_the_default_one_renamed(
    tmp_path: Path, later: tuple[str, ...]
) -> None:
    take_snapshot(settings_of(tmp_path, "a"))

    take_snapshot(settings_of(tmp_path, *later))

    assert not list((tmp_path / "index").rglob("*-2.0.0*")) or later[0] != "a"
