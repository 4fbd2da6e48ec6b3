"""What an index really holds of a file."""

from __future__ import annotations

import hashlib

from publisher.index.protocol import IndexFile, PackageIndex


def sha256_of(index: PackageIndex, file: IndexFile) -> str:
    """The hash that the page states or, where it states none, that of the downloaded bytes."""
    return file.sha256 or hashlib.sha256(index.fetch(file)).hexdigest()
