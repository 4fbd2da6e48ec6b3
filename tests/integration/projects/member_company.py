"""Coral's example: the view CompanyEngLevels over Member and Company, with its function's class in a jar."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from deploy.jars import downloaded_jars
from deploy.jdk import find_jdk, run_tool
from publisher.commands.cli import app

CLASS = "com.linkedin.standardization.Standardize"
ARTIFACT = "com.linkedin.standardization:standardization-udfs:1.0.0"
_PATH = "com/linkedin/standardization/standardization-udfs/1.0.0/standardization-udfs-1.0.0.jar"
_SOURCE = """\
package com.linkedin.standardization;

public class Standardize extends org.apache.hadoop.hive.ql.exec.UDF {
    public String evaluate(String position) {
        return position == null ? null : position.replaceAll("^Sr ", "Senior ").replaceAll("Eng$", "Engineer");
    }
}
"""

LEVELS = """\
SELECT Company.Name, STANDARDIZE(Position) AS StdPosition, COUNT(*) AS Cnt
FROM Member JOIN Company ON Member.CompanyId = Company.Id
WHERE INSTR(STANDARDIZE(Position), 'Engineer') > 0
GROUP BY Company.Name, STANDARDIZE(Position)
"""
LEVELS_DESCRIBED = f"""\
comment = "Engineers at each level"

[[udfs]]
artifact = "{ARTIFACT}"
functions = {{ STANDARDIZE = "{CLASS}" }}

[columns]
Name = "string"
StdPosition = "string"
Cnt = "bigint"
"""
SENIORS = "SELECT Name, Cnt FROM companyenglevels WHERE StdPosition = 'Senior Engineer';\n"

_SETTINGS = """\
[catalog]
kind = "hive"
uri = "{uri}"

[artifacts]
prefix = "acme"

[index]
kind = "static"
path = "index"

[state]
url = "sqlite:///state.db"

[translation.udfs]
"{class_name}" = {{ returns = "string" }}
"""


@dataclass(frozen=True, slots=True)
class ProjectFolder:
    """A project in ``path``, whose views go to ``database``."""

    path: Path
    database: str

    def write(self, files: dict[str, str]) -> None:
        for place, text in files.items():
            file = self.path / place
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def run(self, *arguments: str) -> Result:
        command, *options = arguments
        return CliRunner().invoke(app, ["project", command, str(self.path), *options])

    def answer(self, *arguments: str, status: int = 0) -> dict[str, Any]:
        """The JSON that a command prints."""
        result = self.run(*arguments, "--format", "json")
        assert result.exit_code == status, result.output
        found: dict[str, Any] = json.loads(result.stdout)
        return found

    def endings(self, *arguments: str, status: int = 0) -> dict[str, str]:
        """The ending of each view that ``apply`` names."""
        found = self.answer("apply", *arguments, status=status)["views"]
        return {each["relation"].split(".")[1]: each["ending"] for each in found}

    def drifted(self) -> dict[str, str]:
        result = self.run("drift", "--format", "json")
        found = json.loads(result.stdout)["drifted"]
        assert result.exit_code == bool(found), result.output
        return {each["relation"].split(".")[1]: each["what"] for each in found}


def member_company(path: Path, database: str, uri: str, *, dialect: str = "hive") -> ProjectFolder:
    """The project, with a repository that has the function's jar."""
    project = ProjectFolder(path, database)
    udf_jar(path / "repository")
    project.write(
        {
            "project.toml": (
                f'name = "members"\ndatabase = "{database}"\nowner = "people-data"\n'
                f'dialect = "{dialect}"\nrepositories = ["{(path / "repository").as_uri()}"]\n'
            ),
            "schema-publisher.toml": _SETTINGS.format(uri=uri, class_name=CLASS),
            "views/companyenglevels.sql": LEVELS,
            "views/companyenglevels.toml": LEVELS_DESCRIBED,
            "views/seniors.sql": SENIORS,
        }
    )
    return project


def udf_jar(repository: Path) -> Path:
    """The jar of the function, in the layout of Maven."""
    jar = repository / _PATH
    jar.parent.mkdir(parents=True)
    classes, source = repository / "classes", repository / "Standardize.java"
    source.write_text(_SOURCE)
    jdk = find_jdk()
    libraries = os.pathsep.join(map(str, downloaded_jars(jdk, "hive")))
    compiled = ["-proc:none", "-nowarn", "--release", "11", "-d", str(classes), "-cp", libraries]
    run_tool([str(jdk.javac), *compiled, str(source)], "report this: the function does not compile")
    with zipfile.ZipFile(jar, "w") as archive:
        for each in sorted(classes.rglob("*.class")):
            archive.write(each, each.relative_to(classes))
    return jar


MEMBERS: Sequence[str] = (
    "INSERT INTO {0}.company VALUES (1, 'Acme'), (2, 'Beta')",
    "INSERT INTO {0}.member VALUES (1, 'Ada', 1, 'Sr Engineer'), (2, 'Bob', 1, 'Sr Eng')",
    "INSERT INTO {0}.member VALUES (3, 'Cid', 2, 'Senior Engineer'), (4, 'Dan', 2, 'Baker')",
)
