"""Links of packages, with the labels that dependency-update tools know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from publisher.daemon.package_links import package_links
from publisher.settings import Settings, load_settings

PAGE = "https://packages.example/packages/{name}"


def settings(folder: Path, http: str = "", urls: str = "", index: str = "") -> Settings:
    file = folder / "schema-publisher.toml"
    file.write_text(
        f'[artifacts]\nprefix = "acme-schema"\n[artifacts.project_urls]\n{urls}\n'
        f'[catalog]\nkind = "ddl"\npath = "{folder}"\n[http]\n{http}\n{index}\n'
    )
    return load_settings(file)


PUBLIC = 'public_url = "https://packages.example/"'
TWINE = '[index]\nkind = "twine"\nrepository_url = "https://a.example/"\nsimple_url = "https://a.example/"'


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({"http": PUBLIC}, {"Homepage": PAGE, "Changelog": f"{PAGE}#versions"}),
        (
            {
                "http": PUBLIC,
                "urls": '"Home-Page" = "https://a.b/"\nHistory = "https://a.b/{name}"',
            },
            {"Home-Page": "https://a.b/", "History": "https://a.b/{name}"},
        ),
        ({}, {}),
        ({"http": f"{PUBLIC}\nenabled = false"}, {}),
        ({"http": PUBLIC, "index": TWINE}, {}),
    ],
    ids=["our pages", "labels of the settings win", "no address", "no pages", "another index"],
)
def test_packages_link_to_their_pages_where_these_have_an_address(
    tmp_path: Path, chosen: dict[str, Any], expected: dict[str, str]
) -> None:
    assert dict(package_links(settings(tmp_path, **chosen))) == expected
