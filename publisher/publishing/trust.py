"""Checks by a wheel's provenance that this deployment published the wheel.

The verifier of signatures is slow to import, so only deployments with keys import it.
"""

from __future__ import annotations

from collections.abc import Sequence

from publisher.index.protocol import IndexFile, IndexRefused, PackageIndex


class UntrustedProvenance(Exception):
    """The provenance does not prove that a trusted key published the file; the message says why."""


def check_provenance(
    index: PackageIndex, file: IndexFile, sha256: str | None, trusted_keys: Sequence[bytes]
) -> None:
    """Checks a wheel's provenance; without keys, it accepts everything.

    ``sha256`` is the hash of the wheel's bytes, or None if unknown.

    Raises:
        UntrustedProvenance: no trusted key signed that a file of this name has these bytes.
        IndexUnavailable: the index did not answer.
    """
    if not trusted_keys:
        return
    from publisher.publishing.attestation import verify

    if sha256 is None:
        raise UntrustedProvenance("the page does not state the SHA-256 that the signature covers")
    try:
        provenance = index.provenance(file)
    except IndexRefused as error:
        raise UntrustedProvenance(f"its provenance cannot be read: {error.reason}") from error
    if provenance is None:
        raise UntrustedProvenance("it has no provenance signed by a trusted key")
    verify(provenance, file.filename, sha256, trusted_keys)
