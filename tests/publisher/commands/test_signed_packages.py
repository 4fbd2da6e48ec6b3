"""A deployment that signs its packages takes over only what it signed."""

from __future__ import annotations

import io
import zipfile
from hashlib import sha256

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from codegen.package import Wheel
from publisher.index.protocol import IndexFile
from publisher.index.static import StaticIndex
from publisher.publishing.attestation import public_key_of, verify
from publisher.settings.public_keys import encode_public_key
from tests.publisher.commands.folder import Folder

OLD_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
NEW_KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))
ORDERS = "acme-schema-shop-orders"
NO_PROVENANCE = "it has no provenance signed by a trusted key"


def sign_with(folder: Folder, key: Ed25519PrivateKey, *trusted: Ed25519PrivateKey) -> None:
    file = folder.path / "signing.pem"
    file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    file.chmod(0o600)
    keys = [encode_public_key(public_key_of(each)) for each in trusted]
    folder.write_settings(artifacts=f'signing_key_file = "{file}"\ntrusted_keys = {keys}')


def lose_state(folder: Folder) -> None:
    for path in folder.path.glob("state.db*"):
        path.unlink()


def files(folder: Folder) -> list[IndexFile]:
    return list(StaticIndex(folder.path / "index").files(ORDERS))


def numbers(folder: Folder) -> list[str]:
    return [file.version for file in files(folder)]


def forge(folder: Folder, number: str) -> None:
    """Whoever can write the folder offers a wheel of ours as another version."""
    index = StaticIndex(folder.path / "index")
    (newest,) = index.files(ORDERS)
    original = zipfile.ZipFile(io.BytesIO(index.fetch(newest)))
    changed = io.BytesIO()
    with zipfile.ZipFile(changed, "w") as archive:
        for name in original.namelist():
            text = original.read(name).decode().replace(newest.version, number)
            archive.writestr(name.replace(newest.version, number), text)
    data = changed.getvalue()
    filename = newest.filename.replace(newest.version, number)
    index.upload(Wheel(ORDERS, number, filename, data, sha256(data).hexdigest()))


@pytest.fixture
def signed(folder: Folder) -> Folder:
    sign_with(folder, OLD_KEY, OLD_KEY)
    assert folder.run("snapshot").status == 0
    return folder


@pytest.mark.thorough
def test_each_package_has_a_provenance_of_the_key(signed: Folder) -> None:
    index = StaticIndex(signed.path / "index")
    (file,) = index.files(ORDERS)
    provenance = index.provenance(file)

    assert provenance is not None
    assert file.sha256 is not None
    verify(provenance, file.filename, file.sha256, [public_key_of(OLD_KEY)])
    assert not [line for line in signed.run("verify").lines if "not trusted" in str(line)]


@pytest.mark.thorough
def test_a_lost_state_takes_over_what_was_signed(signed: Folder) -> None:
    lose_state(signed)

    (report,) = signed.run("adopt").lines
    signed.run("snapshot")

    assert report["adopted"] == ["shop.ids", "shop.orders"]
    assert numbers(signed) == ["1.0.0"]


@pytest.mark.thorough
def test_a_forged_version_is_not_taken_over(signed: Folder) -> None:
    forge(signed, "9.0.0")
    lose_state(signed)

    signed.run("adopt")
    signed.run("snapshot")
    signed.run("snapshot")

    assert numbers(signed) == ["1.0.0", "9.0.0"]
    (found,) = signed.run("explain", "shop.orders").lines
    (conflict,) = [each for each in found["versions"] if each["status"] == "CONFLICT"]
    assert (conflict["number"], conflict["reasons"]) == ("9.0.0", [NO_PROVENANCE])
    drifts = [line for line in signed.run("verify").lines if line.get("distribution") == ORDERS]
    assert [drift["reason"] for drift in drifts] == [
        f"{files(signed)[1].filename} is not trusted: {NO_PROVENANCE}"
    ]


@pytest.mark.thorough
def test_a_package_that_nobody_trusted_signed_is_reported_and_published_anew(
    published: Folder,
) -> None:
    """As after the first key of a deployment that published without one, and a lost state."""
    sign_with(published, OLD_KEY, OLD_KEY)
    lose_state(published)

    (report,) = published.run("adopt").lines

    assert report["adopted"] == []
    assert "no wheel that a trusted key signed" in report["failed"][ORDERS]
    published.run("snapshot")
    assert numbers(published) == ["1.0.0", "2.0.0"]
    assert not [line for line in published.run("verify").lines if "not trusted" in str(line)]


@pytest.mark.thorough
def test_a_key_changes_nothing_that_the_state_knows(published: Folder) -> None:
    sign_with(published, OLD_KEY, OLD_KEY)

    published.run("snapshot")

    assert numbers(published) == ["1.0.0"]
    published.run("republish", "--all")
    published.run("snapshot")
    assert numbers(published) == ["1.0.0", "1.0.1"]
    assert not [
        line for line in published.run("verify").lines if line.get("distribution") == ORDERS
    ]


@pytest.mark.thorough
def test_after_a_rotation_both_keys_count_until_the_old_one_is_removed(signed: Folder) -> None:
    sign_with(signed, NEW_KEY, OLD_KEY, NEW_KEY)
    lose_state(signed)
    (report,) = signed.run("adopt").lines
    assert report["adopted"] == ["shop.ids", "shop.orders"]

    sign_with(signed, NEW_KEY, NEW_KEY)
    drifts = signed.run("verify").lines
    assert "its provenance is not signed by a trusted key" in str(drifts)


def test_a_key_that_others_can_read_stops_what_publishes_alone(signed: Folder) -> None:
    (signed.path / "signing.pem").chmod(0o644)

    refused = signed.run("snapshot")

    assert refused.status == 2
    assert "other users can read or change it (mode 0644); run chmod 600" in refused.err
    assert signed.run("plan").status == 0
