"""Passwords from files and the keyring, read anew each time so that a rotated one is used."""

from __future__ import annotations

import os
from pathlib import Path

from publisher.settings.errors import SettingsError


def secret_in_file(file: Path) -> str:
    """The file's content without the white space around it.

    Raises:
        SettingsError: the file is not readable.
    """
    try:
        return file.read_text(encoding="utf-8").strip()
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else "it is not readable"
    except UnicodeDecodeError:
        why = "it is not UTF-8"
    raise SettingsError((f"index.password_file ({file}): {why}",))


def secret_in_keyring(service: str, username: str) -> str | None:
    """As twine and pip keep it: under the address of the index.

    Raises:
        SettingsError: the keyring does not open.
    """
    try:
        from keyring import get_password
        from keyring.errors import KeyringError, NoKeyringError
    except ImportError:
        return None  # there are platforms on which twine comes without it
    try:
        return get_password(service, username)
    except NoKeyringError:
        return None
    except KeyringError as error:
        raise SettingsError(
            (f"index.password: the keyring does not open: {type(error).__name__}",)
        ) from None
