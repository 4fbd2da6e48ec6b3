"""Divides a distribution's files on the index into wheels named in this program's form, and other files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from publisher.index.protocol import IndexFile
from publisher.publishing.versioning import is_number, parse_number


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of one distribution.

    Attributes:
        ours: wheels with this program's form of name by number, lowest first; other programs may
            have made them.
        foreign: files with another form of name, so another program uploaded them.
    """

    ours: Mapping[str, IndexFile]
    foreign: Sequence[IndexFile]

    @property
    def files(self) -> Sequence[IndexFile]:
        return [*self.ours.values(), *self.foreign]

    @property
    def versions(self) -> frozenset[str]:
        """The versions of all files.

        A number is not free if its release segment is the same as that of a version in the list.
        """
        return frozenset(file.version for file in self.files)


def read_listing(distribution: str, files: Iterable[IndexFile]) -> Listing:
    ours: dict[str, IndexFile] = {}
    foreign: list[IndexFile] = []
    for file in files:
        name = f"{distribution.replace('-', '_')}-{file.version}-py3-none-any.whl"
        if is_number(file.version) and file.filename == name:
            ours[file.version] = file
        else:
            foreign.append(file)
    return Listing({n: ours[n] for n in sorted(ours, key=parse_number)}, foreign)
