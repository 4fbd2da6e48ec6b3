"""How to install a package: commands that use only this index, with a pin that fits its versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from publisher.web.versions import ListedVersion

Pin = Literal["compatible", "sequential", "yanked"]


@dataclass(frozen=True, slots=True)
class Installation:
    """``minor`` is the newest version's, such as ``1.4``; ``usage`` is empty if the import is unknown."""

    pip: str
    uv: str
    usage: str
    pin: Pin
    minor: str


def installation(
    name: str, versions: Sequence[ListedVersion], simple_url: str, usage: str
) -> Installation | None:
    """How to install the newest of ``versions``, if possible an unyanked one; None without versions.

    ``usage`` is the line that imports the relation's class, or empty if unknown.
    """
    offered = [version for version in versions if version.yanked is None] or versions
    if not offered:
        return None
    newest = offered[0]
    pin = _pin(newest)
    minor = _minor(newest.number)
    requirement = f"{name}=={minor}.*" if pin == "compatible" else f"{name}=={newest.number}"
    return Installation(
        # Isolated, because another index in the reader's configuration could also have the name.
        pip=f'pip --isolated install --index-url {simple_url} "{requirement}"',
        uv=_uv_settings(name, requirement, simple_url),
        usage=usage,
        pin=pin,
        minor=minor,
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
