"""The signing key of the settings: refusals before anything is signed."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
)

from publisher.daemon.adapters import (
    build_index,
    build_index_to_read,
    build_policy,
)
from publisher.daemon.signing import build_sign
from publisher.publishing.attestation import public_key_of, verify
from publisher.settings import Settings, SettingsError, load_settings
from publisher.settings.public_keys import encode_public_key

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = encode_public_key(public_key_of(KEY))
OTHER = encode_public_key(public_key_of(Ed25519PrivateKey.from_private_bytes(bytes(32))))


def pem(
    key: Ed25519PrivateKey | ec.EllipticCurvePrivateKey = KEY,
    encryption: KeySerializationEncryption | None = None,
) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption or NoEncryption())


def settings_with(folder: Path, *, content: bytes, mode: int = 0o600, rest: str = "") -> Settings:
    file = folder / "signing.pem"
    file.write_bytes(content)
    file.chmod(mode)
    config = folder / "schema-publisher.toml"
    config.write_text(
        f'[artifacts]\nprefix = "acme"\nsigning_key_file = "{file}"\n{rest}\n[catalog]\nkind = "ddl"\n'
    )
    return load_settings(config)


def test_the_key_of_the_file_signs(tmp_path: Path) -> None:
    settings = settings_with(tmp_path, content=pem(), rest=f'trusted_keys = ["{PUBLIC}"]')
    sign = build_sign(settings)

    assert sign is not None
    verify(sign("a.whl", "0" * 64), "a.whl", "0" * 64, build_policy(settings).trusted_keys)


@pytest.mark.parametrize("mode", [0o400, 0o600, 0o440])
def test_a_private_file_is_accepted(tmp_path: Path, mode: int) -> None:
    assert build_sign(settings_with(tmp_path, content=pem(), mode=mode)) is not None


@pytest.mark.parametrize("mode", [0o604, 0o602, 0o620, 0o644])
def test_a_file_that_others_can_read_or_change_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(SettingsError, match=rf"mode {mode:04o}\); run chmod 600"):
        build_sign(settings_with(tmp_path, content=pem(), mode=mode))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"secret text",
        pem()[:60],
        pem(ec.derive_private_key(7, ec.SECP256R1())),
        pem(encryption=BestAvailableEncryption(b"password")),
        b"A" * 100_000,
    ],
)
def test_another_key_or_text_is_refused_and_not_shown(tmp_path: Path, content: bytes) -> None:
    settings = settings_with(tmp_path, content=content)

    with pytest.raises(SettingsError, match="expected an Ed25519 private key") as refused:
        build_sign(settings)

    assert "secret text" not in str(refused.value)


def test_a_missing_file_is_refused_where_it_is_needed_only(tmp_path: Path) -> None:
    settings = settings_with(tmp_path, content=pem())
    (tmp_path / "signing.pem").unlink()

    with pytest.raises(SettingsError, match="No such file"):
        build_index(settings)
    build_index_to_read(settings)


def test_a_key_that_is_not_trusted_itself_is_refused_with_its_public_key(tmp_path: Path) -> None:
    settings = settings_with(tmp_path, content=pem(), rest=f'trusted_keys = ["{OTHER}"]')

    with pytest.raises(SettingsError) as refused:
        build_sign(settings)

    assert f'add its public key to artifacts.trusted_keys: "{PUBLIC}"' in str(refused.value)


def test_a_malformed_trusted_key_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="expected an Ed25519 public key"):
        settings_with(tmp_path, content=pem(), rest='trusted_keys = ["AAAA"]')


@pytest.mark.parametrize("setting", ['signing_key_file = "key"', f'trusted_keys = ["{PUBLIC}"]'])
def test_an_index_that_takes_no_provenance_is_refused(tmp_path: Path, setting: str) -> None:
    config = tmp_path / "schema-publisher.toml"
    config.write_text(
        f'[artifacts]\nprefix = "acme"\n{setting}\n[catalog]\nkind = "ddl"\n[index]\nkind = "twine"\n'
        'repository_url = "https://a.example/"\nsimple_url = "https://a.example/"\n'
    )

    with pytest.raises(SettingsError, match=r'need index\.kind = "static"'):
        build_index_to_read(load_settings(config))
