"""The section ``[index]``: where packages go, and which of their versions stay available."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, model_validator

from publisher.settings.fields import Address, crosses_network_in_plain_text
from publisher.settings.secrets import given_secret, secret_in_keyring
from publisher.settings.section import Section

PYPI_FILE_HOSTS = ("files.pythonhosted.org", "test-files.pythonhosted.org")


class Retention(Section):
    keep_latest_per_major: Annotated[int, Field(ge=1)]
    """How many versions of each major stay available. Older versions are yanked, never deleted: pins
    still install them, and ranges skip them.
    """

    yank_after_days: Annotated[float, Field(ge=0)] = 30.0
    """A version is yanked this long after the publication of a newer version of the same major."""


class StaticIndexSettings(Section):
    kind: Literal["static"]
    """A folder, which the service serves over HTTP."""

    path: Path = Path("index")
    """The folder: on a local disk, or [on a file system of the network](operations.md#on-a-networks-file-system)."""

    retention: Retention | None = None
    """When older versions are yanked: `[index.retention]`. Without this section, they stay."""


class TwineIndexSettings(Section):
    kind: Literal["twine"]
    """Any index that accepts uploads."""

    repository_url: Address
    """Where wheels are uploaded."""

    simple_url: Address
    """Where wheels are read back."""

    username: Annotated[str | None, Field(repr=False)] = None
    """The name to log in with."""

    password: SecretStr | None = None
    """The password of `username`; `password_file` is safer.

    If neither is set, the password of `repository_url` in the keyring is used."""

    password_file: Path | None = None
    """A file that holds the password and nothing else."""

    file_hosts: tuple[str, ...] = PYPI_FILE_HOSTS
    """Further hosts, as `host` or `host:port`, from which the index's files may be fetched.

    This is needed if the index links or redirects to files on another host."""

    checks_per_second: Annotated[float, Field(gt=0)] = 50.0
    """How many packages a snapshot compares with the index, at most."""

    timeout_seconds: Annotated[float, Field(gt=0)] = 30.0
    """How long to wait for the next bytes of a response; a whole response may take three times as
    long.
    """

    allow_insecure: bool = False
    """`true` sends the password over plain `http://` to another machine."""

    retention: Retention | None = None
    """When older versions are yanked: `[index.retention]`. Without this section, they stay."""

    @model_validator(mode="after")
    def _encrypted(self) -> TwineIndexSettings:
        given = (self.username, self.password, self.password_file)
        for setting in ("repository_url", "simple_url"):
            address = getattr(self, setting)
            has_password = any(given) or urlsplit(address).password is not None
            if has_password and crosses_network_in_plain_text(address) and not self.allow_insecure:
                raise ValueError(
                    f"{setting} would send the password over plain http://; "
                    "use https://, or set index.allow_insecure = true"
                )
        return self

    def secret(self) -> str | None:
        """The current password; None without a password, or if the address contains it.

        Raises:
            SettingsError: the file is not readable, or the keyring does not open.
        """
        given = given_secret("index", self.password, self.password_file)
        if given is not None:
            return given
        if self.username is not None and urlsplit(self.repository_url).password is None:
            return secret_in_keyring(self.repository_url, self.username)
        return None


IndexSettings = Annotated[StaticIndexSettings | TwineIndexSettings, Field(discriminator="kind")]
