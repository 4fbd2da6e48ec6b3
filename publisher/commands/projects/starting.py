"""Writes a new project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template

from lakeschema.catalog.relations import Dialect
from publisher.commands.failures import NO, OUTSIDE_FAILED, USAGE_ERROR, Refused
from publisher.commands.projects.converting import Converted
from publisher.commands.projects.reading import PROJECT_NAME

_EXAMPLE = Path(__file__).with_name("example")
_PLACES = {
    "github/views.yml": ".github/workflows/views.yml",
    "gitignore.txt": ".gitignore",
    "gitlab-ci.yml": ".gitlab-ci.yml",
}
"""Files whose names begin with a dot in the project; in the source they are not hidden."""


_FOLDER = """\
# The tables of a folder, so that the example needs no server. For apply, name a metastore instead:
# kind = "hive"
# uri = "thrift://metastore.example:9083"
[catalog]
kind = "ddl"
path = "tables"
"""
_METASTORE = """\
# The metastore that has the tables, and gets the views.
[catalog]
kind = "hive"
uri = "thrift://metastore.example:9083"
"""
_SAMPLES = ("tables/", "views/")


def write_project(
    folder: Path, name: str, dialect: Dialect, views: Converted | None = None
) -> Sequence[Path]:
    """Writes a project into a new or empty folder; a ``.git`` in it is allowed.

    Its views are ``views``, or an example's. Returns the files.

    Raises:
        Refused: the folder has other files, or the name is not valid for a project.
    """
    if not PROJECT_NAME.fullmatch(name):
        why = f"{name!r} cannot be a project's name: expected lower-case letters, digits and -"
        raise Refused(USAGE_ERROR, why, "add --name NAME")
    files = _files(name, dialect, views)
    try:
        if folder.exists() and any(path.name != ".git" for path in folder.iterdir()):
            raise Refused(NO, f"{folder} is not empty", "name a new folder")
        for place, text in files.items():
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise Refused(OUTSIDE_FAILED, f"{folder}: {error.strerror}") from error
    return [folder / place for place in files]


def _files(name: str, dialect: Dialect, views: Converted | None) -> Mapping[str, str]:
    values = {
        "name": name,
        "dialect": dialect.value,
        "database": "example" if views is None else views.database,
        "catalog": (_FOLDER if views is None else _METASTORE).rstrip(),
    }
    found = {}
    for path in sorted(_EXAMPLE.rglob("*.*")):
        place = path.relative_to(_EXAMPLE).as_posix()
        if views is None or not place.startswith(_SAMPLES):
            text = Template(path.read_text(encoding="utf-8")).substitute(values)
            found[_PLACES.get(place, place)] = text
    return found if views is None else {**found, **views.files}
