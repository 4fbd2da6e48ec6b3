"""Reads passwords from files and the keyring at each use, so that a changed password takes effect.

Each reading registers the secret for redaction, so no log, state or page shows it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel, SecretStr

from publisher.redaction import SECRETS
from publisher.settings.errors import SettingsError

# Names of Kafka's and Spark's options with secret values.
_SECRET_NAME = re.compile(
    r"password(?!_file)|passwd|secret|token(?!_file)|credential", re.IGNORECASE
)


_MIN_SECRET_PART = 12
"""Shorter parts of an address, such as ``services``, are words that other texts contain."""


class SecretUrl(SecretStr):
    """An address whose path or query is a secret; its host is not."""

    def learn(self) -> None:
        parts = urlsplit(self.get_secret_value())
        for each in re.split(r"[/?&=#]", f"{parts.path}?{parts.query}"):
            if len(each) >= _MIN_SECRET_PART:
                SECRETS.learn(unquote(each))
        if parts.password:
            SECRETS.learn(unquote(parts.password))


def text_in_file(setting: str, file: Path) -> str:
    """The file's content without the white space around it; ``setting`` names it in errors.

    Raises:
        SettingsError: the file is not readable.
    """
    try:
        return file.read_text(encoding="utf-8").strip()
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else "it is not readable"
    except UnicodeDecodeError:
        why = "it is not UTF-8"
    raise SettingsError((f"{setting}: {why}",))


def secret_in_file(setting: str, file: Path) -> str:
    """The text of a file that nobody may see; otherwise like ``text_in_file``.

    Raises:
        SettingsError: the file is not readable.
    """
    secret = text_in_file(setting, file)
    SECRETS.learn(secret)
    return secret


def require_readable(setting: str, file: Path) -> None:
    """Checks that a file can be opened; errors name ``setting``.

    Raises:
        SettingsError: the file is not readable.
    """
    try:
        with file.open("rb"):
            pass
    except OSError as error:
        raise SettingsError((f"{setting}: {error.strerror}",)) from None


def given_secret(section: str, password: SecretStr | None, file: Path | None) -> str | None:
    """A section's ``password``, or the content of ``password_file``; None without both.

    Raises:
        SettingsError: the file is not readable.
    """
    if password is not None:
        return password.get_secret_value()
    return None if file is None else secret_in_file(f"{section}.password_file ({file})", file)


def secret_in_keyring(service: str, username: str) -> str | None:
    """The password that twine and pip keep under the address of the index.

    Raises:
        SettingsError: the keyring does not open.
    """
    try:
        from keyring import get_password
        from keyring.errors import KeyringError, NoKeyringError
    except ImportError:
        return None  # on some platforms twine comes without it
    try:
        secret = get_password(service, username)
    except NoKeyringError:
        return None
    except KeyringError as error:
        raise SettingsError(
            (f"index.password: the keyring does not open: {type(error).__name__}",)
        ) from None
    if secret is not None:
        SECRETS.learn(secret)
    return secret


def learn_secrets(settings: BaseModel) -> None:
    """Registers secrets in the settings: passwords, and addresses and options that contain a password."""
    for name in type(settings).model_fields:
        _learn(name, getattr(settings, name))


def _learn(name: str, value: object) -> None:
    match value:
        case SecretUrl():
            value.learn()
        case SecretStr():
            SECRETS.learn(value.get_secret_value())
        case BaseModel():
            learn_secrets(value)
        case Mapping():
            for key, each in value.items():
                _learn(str(key), each)
        case list() | tuple():
            for each in value:
                _learn(name, each)
        case str():
            if _SECRET_NAME.search(name):
                SECRETS.learn(value)
            password = _password_in(value)
            if password is not None:
                SECRETS.learn(password)
                SECRETS.learn(unquote(password))
        case _:
            pass


def _password_in(text: str) -> str | None:
    try:
        return urlsplit(text).password
    except ValueError:
        return None
