"""The section ``[artifacts]``: which relations get a package, and the form of every package."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator

from publisher.selection import EVERYTHING, is_pattern
from publisher.settings.fields import Prefix
from publisher.settings.public_keys import decode_public_key
from publisher.settings.section import Section

# The characters of a Project-URL (core metadata): those of RFC 3986, and our two placeholders.
_LABEL = re.compile(r"[ -+\--~]{1,32}")
_URL = re.compile(r"https?://([A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]|\{name\}|\{relation\})+")


class Artifacts(Section):
    """The section. ``prefix`` is mandatory: strangers could take names under a common default."""

    prefix: Prefix
    """The beginning of every package's name: lower-case words joined by `-`.

    On one index, no deployment's prefix may begin with another deployment's prefix."""

    versioning: Literal["semantic", "sequential"] = "semantic"
    """`"sequential"`: 0.0.1, 0.0.2, … These versions promise no compatibility; users must pin
    exactly."""

    immutable: bool = False
    """`true`: records are hashable and cannot be changed, lists are tuples.

    A change of this setting gives every package a new major version. If there are many, they wait
    for `schema-publisher confirm-changes`: see
    [operations](operations.md#change-the-form-of-the-packages)."""

    second_opinion: Literal["always", "sampled", "off"] = "sampled"
    """Which wheels are checked before they are published.

    `fastavro` and Apache `avro` parse the schema. A limited process compiles and imports the
    package and passes two values through its codec and fastavro's. A wheel that fails is not
    published, and `status` shows `cannot be packaged: second opinion: …`. It is tried again at its
    next change, at the first snapshot with another value of this setting, and by `resync` or
    `republish` of the relation. `"sampled"`: checks each wheel whose schema has a combination of types
    that is new to this process. Of the other wheels, checks one in 64, chosen by their bytes. `"always"`:
    checks all wheels; publishing takes more than twice the time. `"off"`: checks none. Wheels of more
    than 4 MB are never checked.
    """

    include: tuple[str, ...] = EVERYTHING.include
    """Patterns `database.table` of the relations that get a package."""

    exclude: tuple[str, ...] = EVERYTHING.exclude
    """Patterns of relations in `include` that get no package. Views that read these relations still get
    packages.
    """

    signing_key_file: Path | None = None
    """An Ed25519 private key (PEM) that signs each wheel's provenance; needs `index.kind = "static"`.

    Only the service's user, or a group that contains only this user, may read the file. With `index.kind
    = "twine"` the service does not start. See [operations](operations.md#sign-packages).
    """

    trusted_keys: tuple[str, ...] = ()
    """Ed25519 public keys, to accept only wheels that one of them signed; needs `index.kind = "static"`.

    A key is the line between BEGIN and END that `openssl pkey -pubout` prints. With `index.kind =
    "twine"` the service does not start. If keys are set, they decide about wheels that the index has and
    the state lacks: the service takes over a wheel only if one of the keys signed its provenance. The key
    of `signing_key_file` must be among them.
    """

    project_urls: Mapping[str, str] = Field(default_factory=dict)
    """Links that an index shows for every package, by label. A label has up to 32 characters and no
    comma.

    URLs begin with `http://` or `https://`; `{name}` and `{relation}` are filled in. With
    `http.public_url` and a static index, `Homepage` and `Changelog` lead to the package's own page
    unless they are set here."""

    @property
    def public_keys(self) -> tuple[bytes, ...]:
        return tuple(decode_public_key(key) for key in self.trusted_keys)

    @field_validator("trusted_keys")
    @classmethod
    def _of_ed25519(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for key in value:
            decode_public_key(key)
        return value

    @field_validator("include", "exclude")
    @classmethod
    def _of_two_parts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in value:
            if not is_pattern(pattern):
                raise ValueError(
                    f"invalid pattern {pattern!r}: expected database.table; "
                    "staging.* names a whole database, *.tmp_* tables of any database"
                )
        return value

    @field_validator("project_urls")
    @classmethod
    def _linkable(cls, value: Mapping[str, str]) -> Mapping[str, str]:
        for label, url in value.items():
            if not _LABEL.fullmatch(label):
                raise ValueError(
                    f"invalid label {label!r}: expected up to 32 characters without a comma"
                )
            if not _URL.fullmatch(url):
                raise ValueError(
                    f"invalid URL {url!r}: expected http://… or https://… "
                    "with no placeholders but {name} and {relation}"
                )
        return value
