"""Writes the commands that install a package from this index only, with a pin that fits its versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from codegen.metadata import Extra
from publisher.web.versions import ListedVersion

Pin = Literal["compatible", "sequential", "yanked", "exact"]


@dataclass(frozen=True, slots=True)
class PinChoice:
    """A way to pin the package.

    Attributes:
        pin: the version specifier, such as ``~=2.0``.
        gets: the changes that an update with this pin brings.
        when: who should choose this pin.
    """

    pin: str
    gets: str
    when: str


@dataclass(frozen=True, slots=True)
class ExtraChoice:
    """An extra of the package and the library that it installs. ``purpose`` is empty if unknown."""

    name: str
    library: str
    purpose: str


@dataclass(frozen=True, slots=True)
class Installation:
    """How to install one version, or versions like it.

    Attributes:
        usage: the line that imports the package's classes; empty if unknown.
        choices: the possible pins, if there are several.
        extras: the package's extras.
        with_extra: the commands that install the package with its first extra.
        exact: the pin of exactly this version.
    """

    pip: str
    uv: str
    usage: str
    pin: Pin
    exact: str
    choices: tuple[PinChoice, ...]
    extras: tuple[ExtraChoice, ...]
    with_extra: str


def installation(
    name: str,
    versions: Sequence[ListedVersion],
    simple_url: str,
    usage: str,
    extras: Sequence[Extra] = (),
    *,
    is_exact: bool = False,
) -> Installation | None:
    """How to install the newest of ``versions``, if possible an unyanked one; None without versions.

    ``usage`` is the line that imports the package's classes, or empty if unknown. ``is_exact`` pins
    exactly this version.
    """
    offered = [version for version in versions if version.yanked is None] or versions
    if not offered:
        return None
    newest = offered[0]
    pin: Pin = "exact" if is_exact and newest.yanked is None else _pin(newest)
    exact = f"=={newest.number}"
    pinned = f"=={_minor(newest.number)}.*" if pin == "compatible" else exact
    # The command ignores the reader's configuration, whose other indexes could also have the name.
    command = f"pip --isolated install --index-url {simple_url}"
    return Installation(
        pip=f'{command} "{name}{pinned}"',
        uv=_uv_settings(name, f"{name}{pinned}", simple_url),
        usage=usage,
        pin=pin,
        exact=exact,
        choices=_choices(newest.number) if pin == "compatible" else (),
        extras=tuple(
            ExtraChoice(each.name, each.requirement, _PURPOSES.get(each.name, ""))
            for each in extras
        ),
        with_extra=f'pip install "{extras[0].requirement}"\n{command} "{name}[{extras[0].name}]{pinned}"'
        if extras
        else "",
    )


_PURPOSES = {
    "arrow": "Parquet, Arrow, pandas and Polars",
    "spark": "data frames of Spark",
    "snappy": "Avro files with the codec snappy",
    "zstandard": "Avro files with the codec zstandard",
}


def _choices(number: str) -> tuple[PinChoice, ...]:
    minor = _minor(number)
    return (
        PinChoice(
            f"=={minor}.*",
            "corrections of documentation and code",
            "usually: no update changes a field",
        ),
        PinChoice(
            f"~={minor}",
            "new fields, too",
            "if new data should reach the program without an edit",
        ),
        PinChoice(f"=={number}", "nothing", "if a build must stay as it is"),
    )


def _pin(version: ListedVersion) -> Pin:
    if version.yanked is not None:
        return "yanked"
    return "sequential" if version.number.startswith("0.") else "compatible"


def _minor(number: str) -> str:
    return ".".join([*number.split("."), "0"][:2])


def _uv_settings(name: str, requirement: str, simple_url: str) -> str:
    return (
        "[[tool.uv.index]]\n"
        'name = "schemas"\n'
        f'url = "{simple_url}"\n'
        "explicit = true\n\n"
        "[tool.uv.sources]\n"
        f'{name} = {{ index = "schemas" }}\n\n'
        "[project]\n"
        f'dependencies = ["{requirement}"]'
    )
