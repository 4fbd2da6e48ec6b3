"""What ``project check`` finds in a project's files, in its views, and in its artifacts."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from publisher.commands.cli import app
from publisher.commands.projects.reading import readable_project
from tests.publisher.commands.projects.folder import PROJECT, Folder

UDF = (
    '[[udfs]]\nartifact = "com.example:clean:1.0.0"\nfunctions = { CLEAN = "com.example.Clean" }\n'
)


def test_the_example_passes_check(tmp_path: Path) -> None:
    folder = tmp_path / "my-views"
    assert CliRunner().invoke(app, ["project", "init", str(folder)]).exit_code == 0

    assert Folder(folder).checked() == []


def test_init_writes_over_nothing(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")

    result = CliRunner().invoke(app, ["project", "init", str(tmp_path), "--name", "x"])

    assert result.exit_code == 1
    assert "is not empty" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        (
            {"views/totals.sql": "SELECT id FROM ordres"},
            "views/totals.sql: there is no table or view shop.ordres (did you mean shop.orders?)",
        ),
        (
            {"views/totals.sql": "SELECT id, nothing\nFROM orders"},
            (
                "views/totals.sql: shop.totals: column nothing does not exist at line 1, column 12"
                " (the columns are id, note)"
            ),
        ),
        (
            {"views/totals.sql": "CREATE VIEW totals AS SELECT 1"},
            (
                "views/totals.sql: expected a query, got CREATE"
                " (write only the SELECT; the file's name is the view's name; init --from does that)"
            ),
        ),
        (
            {"views/totals.sql": "/* totals */ USE shop;\nCREATE VIEW totals AS SELECT 1"},
            "views/totals.sql: expected a query, got CREATE",
        ),
        (
            {"views/totals.sql": "SET x = 1; SELECT 1 AS one"},
            "views/totals.sql: expected a query, got SET (write only the SELECT)",
        ),
        (
            {"views/totals.sql": "SELECT 1 AS one;\nSELECT 2 AS two;"},
            (
                "views/totals.sql: expected one query, got 2: the second begins in line 2"
                " (give each view its own file)"
            ),
        ),
        ({"views/totals.sql": "-- later"}, "views/totals.sql: the file is empty"),
        (
            {"views/totals.sql": "SELECT id\nFROM orders WHERE note = '${hiveconf:day}'"},
            (
                "views/totals.sql: ${hiveconf:day} in line 2 is a variable,"
                " and a view cannot keep one (write its value)"
            ),
        ),
        (
            {"views/more/totals.HQL": "SELECT 1 AS one"},
            (
                "views/more/totals.HQL: it is not read: the name of a query's file ends in .sql"
                " (rename it, or move it away)"
            ),
        ),
        ({"views/totals.sql": " ;"}, "views/totals.sql: the file is empty: expected one query"),
        (
            {"views/Totals.sql": "SELECT 1"},
            (
                "views/Totals.sql: 'Totals' cannot be a view's name:"
                " expected lower-case letters, digits and _"
            ),
        ),
        (
            {"views/more/ids.sql": "SELECT 1 AS one"},
            "views/more/ids.sql: shop.ids is also in views/ids.sql",
        ),
        (
            {"views/orders.sql": "SELECT 1 AS one"},
            "views/orders.sql: shop.orders is a table (give the view another name)",
        ),
        (
            {"views/other.toml": ""},
            (
                "views/other.toml: it describes a view without a query:"
                " there is no other.sql next to it"
            ),
        ),
        (
            {"views/ids.toml": 'database = "nowhere"'},
            (
                "views/ids.sql: there is no table or view nowhere.orders: the database does not exist"
                " (a name without a database means the view's own)"
            ),
        ),
        (
            {"views/ids.toml": 'ownr = "x"'},
            (
                "views/ids.toml: ownr is unknown; allowed here:"
                " columns, comment, comments, database, owner, properties, udfs (did you mean owner?)"
            ),
        ),
        ({"views/ids.toml": "owner = 1"}, "views/ids.toml: owner: expected a valid string, got 1"),
        (
            {"views/ids.toml": '[properties]\nfunctions = "x"'},
            "views/ids.toml: properties: functions is written by apply",
        ),
        (
            {"views/ids.toml": UDF.replace("1.0.0", "1.0-SNAPSHOT")},
            (
                "views/ids.toml: udfs: com.example:clean:1.0-SNAPSHOT is a snapshot,"
                " whose content changes: name a release"
            ),
        ),
        (
            {"views/ids.toml": UDF.replace("com.example:", "")},
            (
                "views/ids.toml: udfs: expected an artifact like group:artifact:version,"
                " got 'clean:1.0.0'"
            ),
        ),
        (
            {"views/ids.toml": UDF.replace('"com.example.Clean"', '"x; y"')},
            "views/ids.toml: udfs: 'x; y' cannot be a class's name",
        ),
        (
            {"views/ids.toml": '[columns]\nid = "bigint"\nnote = "strng"'},
            "views/ids.toml: columns: note: ",
        ),
        (
            {"views/ids.toml": '[columns]\nid = "int"'},
            "views/ids.toml: expected the column id int, got bigint",
        ),
        (
            {"views/ids.toml": '[comments]\nnote = "text"'},
            "views/ids.toml: comments: there is no column note (the columns are id)",
        ),
        ({"project.toml": PROJECT + "x = 1"}, "project.toml: x is unknown"),
        ({"project.toml": ""}, "project.toml: database is missing"),
    ],
)
def test_a_problem_names_the_file_and_the_remedy(
    tmp_path: Path, files: dict[str, str], problem: str
) -> None:
    folder = Folder.at(tmp_path, ids="SELECT id FROM orders")
    folder.write(files)

    found = folder.checked()

    assert [each for each in found if each.startswith(problem)], found


@pytest.mark.parametrize(
    "ending", [";", "; -- the end", ";;\r\n", " -- the end\n", ";\n/* the end */\n"]
)
def test_a_query_ends_before_its_semicolon(tmp_path: Path, ending: str) -> None:
    Folder.at(tmp_path, ids="")
    query = b"\xef\xbb\xbf-- ids\r\nSELECT id\r\nFROM orders" + ending.encode()
    (tmp_path / "views/ids.sql").write_bytes(query)

    (view,) = readable_project(tmp_path).views

    assert view.query.removesuffix(" -- the end") == "-- ids\nSELECT id\nFROM orders"


def test_files_of_windows_are_read(tmp_path: Path) -> None:
    folder = Folder.at(tmp_path, ids="SELECT id FROM orders")
    folder.write({"views/ids.toml": '[columns]\nid = "bigint"\n'})
    for file in ("project.toml", "schema-publisher.toml", "views/ids.toml"):
        content = (tmp_path / file).read_bytes().replace(b"\n", b"\r\n")
        (tmp_path / file).write_bytes(b"\xef\xbb\xbf" + content)

    assert folder.checked() == []


def test_the_report_has_the_problems_of_files(tmp_path: Path) -> None:
    folder = Folder.at(tmp_path, ids="USE shop", more="SELECT id FROM ids")

    planned = folder.run("plan", "--format", "markdown")
    built = folder.run("build", "--output", str(tmp_path / "dist"))

    assert (planned.exit_code, built.exit_code) == (1, 1)
    assert "expected a query, got USE" in planned.stdout
    assert "expected a query, got USE" in built.stderr


def test_views_that_read_each_other_are_refused(tmp_path: Path) -> None:
    folder = Folder.at(tmp_path, first="SELECT id FROM second", second="SELECT id FROM first")

    assert sorted(folder.checked()) == [
        f"views/{name}.sql: shop.{name}: defined by itself: shop.first → shop.second → shop.first"
        for name in ("first", "second")
    ]


def test_expected_columns_are_compared_by_name_type_and_order(tmp_path: Path) -> None:
    folder = Folder.at(tmp_path, ids="SELECT Id, Note FROM orders")
    folder.write({"views/ids.toml": '[columns]\nnote = "string"\nID = "bigint"'})
    assert folder.checked() == ["views/ids.toml: expected the columns in the order note, id"]

    folder.write({"views/ids.toml": '[columns]\nid = "bigint"'})
    assert folder.checked() == ["views/ids.toml: the column note string is not expected"]

    folder.write({"views/ids.toml": '[columns]\nid = "bigint"\nnote = "string"'})
    assert folder.checked() == []


def test_an_artifact_must_be_in_a_repository_with_its_classes(tmp_path: Path) -> None:
    folder = Folder.at(tmp_path, ids="SELECT clean(note) AS note FROM orders")
    folder.write({"views/ids.toml": UDF, "project.toml": PROJECT + 'repositories = ["jars"]\n'})
    jar = tmp_path / "jars/com/example/clean/1.0.0/clean-1.0.0.jar"

    place = "views/ids.toml: com.example:clean:1.0.0:"
    assert folder.checked() == [f"{place} it is not in {tmp_path / 'jars'}"]
    assert folder.run("check", "--offline").exit_code == 0

    jar.parent.mkdir(parents=True)
    jar.write_text("no jar")
    (problem,) = folder.checked()
    assert problem.startswith(f"{place} its jar in {tmp_path / 'jars'} cannot be read")

    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("com/example/Other.class", "")
    missing = f"{place} its jar in {tmp_path / 'jars'} has no class com.example.Clean"
    assert folder.checked() == [missing]

    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("com/example/Clean.class", "")
    assert folder.checked() == []
