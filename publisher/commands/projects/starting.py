"""Writes an example project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template

from publisher.commands.failures import NO, OUTSIDE_FAILED, USAGE_ERROR, Refused
from publisher.commands.projects.reading import PROJECT_NAME

_EXAMPLE = Path(__file__).with_name("example")
_PLACES = {
    "github/views.yml": ".github/workflows/views.yml",
    "gitignore.txt": ".gitignore",
    "gitlab-ci.yml": ".gitlab-ci.yml",
}
"""Files whose names begin with a dot in the project; in the source they are not hidden."""


def write_example(folder: Path, name: str) -> Sequence[Path]:
    """Writes the example into a new or empty folder; a ``.git`` in it is allowed.

    Raises:
        Refused: the folder has other files, or the name is not valid for a project.
    """
    if not PROJECT_NAME.fullmatch(name):
        why = f"{name!r} cannot be a project's name: expected lower-case letters, digits and -"
        raise Refused(USAGE_ERROR, why, "add --name NAME")
    try:
        if folder.exists() and any(path.name != ".git" for path in folder.iterdir()):
            raise Refused(NO, f"{folder} is not empty", "name a new folder")
        for place, text in _files(name).items():
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Refused(OUTSIDE_FAILED, f"{folder}: {error.strerror}") from error
    return [folder / place for place in _files(name)]


def _files(name: str) -> Mapping[str, str]:
    found = {}
    for path in sorted(_EXAMPLE.rglob("*.*")):
        place = path.relative_to(_EXAMPLE).as_posix()
        text = Template(path.read_text(encoding="utf-8")).substitute(name=name)
        found[_PLACES.get(place, place)] = text
    return found
