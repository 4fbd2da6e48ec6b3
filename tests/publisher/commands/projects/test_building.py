from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

from check_wheel_contents.__main__ import main as check_wheel_contents
from click.testing import CliRunner as ClickRunner

from tests.publisher.commands.projects.folder import PROJECT, Folder
from tests.publisher.commands.projects.test_checking import UDF

WHEEL = "shop_views-1.0.0-py3-none-any.whl"
QUERY = "SELECT clean(note) AS note FROM orders;\n"


def built(folder: Folder) -> bytes:
    output = folder.path / "dist"
    result = folder.run("build", "--output", str(output))
    assert result.exit_code == 0, result.output
    return (output / WHEEL).read_bytes()


def test_a_wheel_has_the_files_and_a_document_of_all_views(tmp_path: Path) -> None:
    folder = Folder.at(tmp_path, notes=QUERY)
    folder.write({"views/notes.toml": UDF})

    wheel = zipfile.ZipFile(io.BytesIO(built(folder)))

    assert wheel.read("shop_views/views/notes.sql").decode() == QUERY
    assert wheel.read("shop_views/views/notes.toml").decode() == UDF
    (view,) = json.loads(wheel.read("shop_views/project.json"))["views"]
    assert view["name"] == "shop.notes"
    assert view["functions"] == {"CLEAN": "com.example.Clean"}
    assert view["dependencies"] == ["com.example:clean:1.0.0"]
    assert ClickRunner().invoke(check_wheel_contents, [str(tmp_path / "dist" / WHEEL)]).output


def test_the_same_files_give_the_same_bytes_in_any_folder(tmp_path: Path) -> None:
    wheels = set()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        wheels.add(built(Folder.at(tmp_path / name, notes=QUERY, ids="SELECT id FROM orders")))

    assert len(wheels) == 1


def test_a_wheel_is_published_once_and_never_changed(tmp_path: Path) -> None:
    folder = Folder.at(tmp_path, ids="SELECT id FROM orders")
    publish = ("build", "--publish", "--output", str(tmp_path / "dist"))
    assert "published shop-views 1.0.0" in folder.run(*publish).output
    assert (tmp_path / "index" / "simple" / "shop-views" / WHEEL).exists()

    assert "is on the index already" in folder.run(*publish).output
    folder.write({"views/ids.sql": "SELECT id AS other FROM orders"})
    refused = folder.run(*publish)

    assert refused.exit_code == 1
    assert "raise the version in project.toml" in refused.output


def test_a_name_like_a_relations_package_is_refused(tmp_path: Path) -> None:
    folder = Folder.at(tmp_path, ids="SELECT id FROM orders")
    folder.write({"project.toml": PROJECT.replace("shop-views", "acme-views")})

    refused = folder.run("build", "--publish", "--output", str(tmp_path / "dist"))

    assert refused.exit_code == 1
    assert "give the project another name" in refused.output
