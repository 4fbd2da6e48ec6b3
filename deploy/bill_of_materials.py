"""Turns pinned requirements with hashes into a CycloneDX bill of materials."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_ENTRY: Final = re.compile(r"(?m)^(?=[A-Za-z0-9])")
_HASH: Final = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_PARENT: Final = re.compile(r"(?m)^ +# +(?:via )?([A-Za-z0-9][-._A-Za-z0-9]*)(?: \(.*\))?$")


@dataclass(frozen=True, slots=True)
class Pin:
    """One requirement of a file that ``uv pip compile --generate-hashes`` wrote.

    Attributes:
        hashes: SHA-256 of each file that may be installed.
        parents: the requirements that need it.
        marker: the environments in which it is installed; "" means all of them.
    """

    name: str
    version: str
    hashes: Sequence[str]
    parents: Sequence[str]
    marker: str

    @property
    def reference(self) -> str:
        """The requirement's package URL, which scanners look up."""
        return f"pkg:pypi/{self.name}@{self.version}"


def bill_of_materials(name: str, version: str, requirements: str) -> Mapping[str, Any]:
    """The bill of materials of the distribution ``name``.

    It has no serial number and no time, so that the same release has the same bytes.

    Raises:
        ValueError: a requirement is not pinned, or has no hash.
    """
    pins = list(_pins(requirements))
    root = f"pkg:pypi/{canonicalize_name(name)}@{version}"
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": name,
                "version": version,
                "purl": root,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": [_component(pin) for pin in pins],
        "dependencies": _dependencies(canonicalize_name(name), root, pins),
    }


def _pins(requirements: str) -> Iterator[Pin]:
    for entry in _ENTRY.split(requirements):
        if not entry[:1].isalnum():
            continue  # lines before the first requirement
        line = entry.partition("\n")[0].rstrip("\\ ")
        requirement = Requirement(line)
        [specifier] = requirement.specifier or [None]
        hashes = _HASH.findall(entry)
        if specifier is None or specifier.operator != "==" or not hashes:
            raise ValueError(f"requirement is not pinned with a hash: {line}")
        yield Pin(
            canonicalize_name(requirement.name),
            specifier.version,
            hashes,
            [canonicalize_name(parent) for parent in _PARENT.findall(entry)],
            str(requirement.marker or ""),
        )


def _component(pin: Pin) -> Mapping[str, Any]:
    component: dict[str, Any] = {
        "type": "library",
        "bom-ref": pin.reference,
        "name": pin.name,
        "version": pin.version,
        "purl": pin.reference,
        "hashes": [{"alg": "SHA-256", "content": each} for each in pin.hashes],
    }
    if pin.marker:
        component["properties"] = [{"name": "python:marker", "value": pin.marker}]
    return component


def _dependencies(name: str, root: str, pins: Sequence[Pin]) -> Sequence[Mapping[str, Any]]:
    references = {name: root} | {pin.name: pin.reference for pin in pins}
    needed: dict[str, list[str]] = {reference: [] for reference in references.values()}
    for pin in pins:
        for parent in pin.parents:
            if parent in references and pin.reference not in needed[references[parent]]:
                needed[references[parent]].append(pin.reference)
    return [{"ref": each, "dependsOn": sorted(found)} for each, found in needed.items()]
