"""The section ``[artifacts]``: which relations get a package, and what every package is like."""

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

# Of a Project-URL (core metadata); its characters are those of RFC 3986, and our two placeholders.
_LABEL = re.compile(r"[ -+\--~]{1,32}")
_URL = re.compile(r"https?://([A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]|\{name\}|\{relation\})+")


class Artifacts(Section):
    """``prefix`` is mandatory: without one of its own, a deployment's names could be squatted on."""

    prefix: Prefix
    """Begins the name of every package: lower-case words joined by `-`.

    No prefix may be a prefix of another deployment's on the same index.
    """

    versioning: Literal["semantic", "sequential"] = "semantic"
    """`"sequential"`: 0.0.1, 0.0.2, … Sequential versions carry no compatibility promise; pin exactly."""

    immutable: bool = False
    """`true`: records hash and cannot be changed, lists are tuples.

    A change of it is a new major version of every package, and waits for
    `schema-publisher confirm-changes` if there are many: see
    [operations](operations.md#change-the-form-of-the-packages).
    """

    second_opinion: Literal["always", "sampled", "off"] = "sampled"
    """Which wheels are checked before a version is reserved for them.

    `fastavro` and Apache `avro` parse the schema, the package is compiled and imported in a limited
    process, and two values go through its codec and fastavro's. What fails is not published;
    `status` shows `cannot be packaged: second opinion: …`, and it is tried again at its next change,
    at the first snapshot with another value, and by `resync` or `republish` of the relation. `"sampled"`: those whose schema has something
    that no wheel of this process had, such as a type within a map, and of the others one of 64,
    chosen by their bytes. `"always"`: all, for more than twice the time to publish.
    `"off"`: none. Wheels of more than 4 MB are not checked.
    """

    include: tuple[str, ...] = EVERYTHING.include
    """The relations that get a package, as patterns `database.table`."""

    exclude: tuple[str, ...] = EVERYTHING.exclude
    """Relations of `include` that get none. Views that read these still get theirs."""

    signing_key_file: Path | None = None
    """With `index.kind = "static"`: an Ed25519 private key (PEM) that signs the provenance of each wheel.

    Only the service's user, or a group of its own, may read the file. With `index.kind = "twine"`
    it stops the start. See [operations](operations.md#sign-packages).
    """

    trusted_keys: tuple[str, ...] = ()
    """With `index.kind = "static"`: Ed25519 public keys, whose signature a wheel must have.

    Each is the one line between BEGIN and END that `openssl pkey -pubout` prints. With `"twine"`
    they stop the start. If there are some, a wheel that the index has and the state lacks is taken
    over only if one of them signed its provenance. The key of `signing_key_file` must be among them.
    """

    project_urls: Mapping[str, str] = Field(default_factory=dict)
    """Links that an index shows of every package, by label of up to 32 characters without a comma.

    `http://` or `https://`, and `{name}` and `{relation}` are filled in. With `http.public_url` and
    a static index, `Homepage` and `Changelog` lead to the package's own page unless they are set here.
    """

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
