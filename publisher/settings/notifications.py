"""The section of the receivers of notifications."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from publisher.settings.errors import SettingsError
from publisher.settings.event_sources import SourceName
from publisher.settings.fields import crosses_network_in_plain_text, require_address
from publisher.settings.secrets import SecretUrl, text_in_file
from publisher.settings.section import Section

NoticeKind: TypeAlias = Literal["major", "broken", "held"]


class NotificationSettings(Section):
    """A receiver of notifications."""

    name: SourceName
    """The receiver's name in the log, in errors and for `notify-test`. Another name is another
    receiver."""

    kind: Literal["slack", "cloudevents"]
    """`"slack"`: JSON of Slack's incoming webhooks, which Mattermost and other chats accept too.
    `"cloudevents"`: CloudEvents 1.0 as structured JSON."""

    url: SecretUrl | None = None
    """The webhook's address. It often contains a secret: `url_file` is safer."""

    url_file: Path | None = None
    """A file that holds the webhook's address and nothing else. It is read for each message."""

    events: Annotated[tuple[NoticeKind, ...], Field(min_length=1)] = ("major", "broken", "held")
    """The events that the receiver gets messages about. `"major"`: a major version was published. `"broken"`:
    a relation cannot be derived any more. `"held"`: deletions wait for a person.
    """

    owners: tuple[str, ...] = ()
    """Only relations of these owners. Held deletions have no owner, so this receiver gets no messages
    about them. Not set: all relations.
    """

    secret_file: Path | None = None
    """A file with the secret that signs each message as
    [Standard Webhooks](https://www.standardwebhooks.com) says, of at least 16 bytes: `whsec_` and
    base64, or a text. With two lines, both secrets sign each message."""

    allow_insecure: bool = False
    """Allows an `http://` address of another machine."""

    timeout_seconds: Annotated[float, Field(gt=0, le=60)] = 10.0
    """The limit for one attempt."""

    burst: Annotated[int, Field(ge=1, le=1000)] = 10
    """How many messages with a single fact are sent within `window_seconds`. Further facts are collected
    and sent together.
    """

    window_seconds: Annotated[float, Field(gt=0, le=86_400)] = 300.0
    """How long facts are collected for one message."""

    give_up_after_seconds: Annotated[float, Field(gt=0)] = 86_400.0
    """A message that the receiver does not accept in this time is dropped."""

    @model_validator(mode="after")
    def _has_one_address(self) -> Self:
        if (self.url is None) == (self.url_file is None):
            raise ValueError("set either url or url_file")
        if self.url is not None:
            self._check(self.url.get_secret_value())
        return self

    def address(self) -> str:
        """The webhook's address.

        Raises:
            SettingsError: the file is not readable, or has no usable address.
        """
        if self.url is not None:
            return self.url.get_secret_value()
        assert self.url_file is not None
        setting = f"notification.{self.name}.url_file ({self.url_file})"
        url = SecretUrl(text_in_file(setting, self.url_file))
        url.learn()
        try:
            self._check(url.get_secret_value())
        except ValueError as error:
            raise SettingsError((f"{setting}: {error}",)) from None
        return url.get_secret_value()

    def _check(self, url: str) -> None:
        """Raises: ValueError: the address is malformed, or others could read the messages."""
        require_address(url)
        if crosses_network_in_plain_text(url) and not self.allow_insecure:
            raise ValueError(
                "others could read the messages: use https://, or set allow_insecure = true"
            )
