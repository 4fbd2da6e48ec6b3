"""Builds the receivers of notifications from their settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, assert_never

from lakeschema.catalog.relations import Catalog
from publisher.daemon.notifying import Deployment, Notifier, Receiver
from publisher.daemon.owners import owners_of
from publisher.events.signed_messages import UnusableSecret, read_secrets
from publisher.notifications import cloud_events, slack
from publisher.notifications.facts import Kind, trial
from publisher.notifications.messages import Message, Told
from publisher.notifications.pacing import Pace
from publisher.notifications.posting import NotAccepted, Posted, post, signed_headers
from publisher.notifications.recording import Interest, Notices
from publisher.runtime import Clock, Runtime, SystemClock
from publisher.selection import OWNER
from publisher.settings import NotificationSettings, Settings, SettingsError, StaticIndexSettings
from publisher.settings.secrets import secret_in_file

_WALL: Final = SystemClock()


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook. Reads its address and secrets for each message, so that an operator can change them."""

    settings: NotificationSettings
    clock: Clock = _WALL

    def compose(self, message: Message) -> bytes:
        match self.settings.kind:
            case "slack":
                return slack.slack_message(message)
            case "cloudevents":
                return cloud_events.cloud_event(message)
            case other:
                assert_never(other)

    def send(self, id_: str, body: bytes) -> Posted:
        chosen = self.settings
        try:
            url, secrets = chosen.address(), signing_secrets(chosen)
        except SettingsError as error:
            return NotAccepted(str(error))
        is_slack = chosen.kind == "slack"
        content_type = slack.CONTENT_TYPE if is_slack else cloud_events.CONTENT_TYPE
        signed = signed_headers(id_, body, secrets, self.clock.wall())
        return post(url, body, {**signed, "content-type": content_type}, chosen.timeout_seconds)


def signing_secrets(receiver: NotificationSettings) -> Sequence[bytes]:
    """The secrets that sign messages; empty if the settings name no file.

    Raises:
        SettingsError: the file cannot be read, or has no usable secret.
    """
    if receiver.secret_file is None:
        return ()
    setting = f"notification.{receiver.name}.secret_file ({receiver.secret_file})"
    try:
        return read_secrets(secret_in_file(setting, receiver.secret_file))
    except UnusableSecret as error:
        raise SettingsError((f"{setting}: {error}",)) from None


def build_notices(settings: Settings) -> Notices:
    return Notices(
        [
            Interest(each.name, frozenset(Kind(event) for event in each.events))
            for each in settings.notification
        ]
    )


def build_notifier(settings: Settings, runtime: Runtime, catalog: Catalog) -> Notifier:
    """The senders of all receivers.

    Pass a ``catalog`` that does not record outages: failed notifications must not make the service unready.
    """
    receivers = [_receiver(each) for each in settings.notification]
    ask = partial(owners_of, catalog, owner_property=OWNER)
    deployment = Deployment(source_of(settings), _pages(settings), ask)
    return Notifier(runtime, receivers, deployment)


def _receiver(chosen: NotificationSettings) -> Receiver:
    return Receiver(
        chosen.name,
        Webhook(chosen),
        Pace(chosen.burst, chosen.window_seconds),
        frozenset(chosen.owners),
        chosen.give_up_after_seconds,
    )


def source_of(settings: Settings) -> str:
    """The deployment's address, or else a name made from the prefix of its packages."""
    return settings.http.public_url or f"urn:schema-publisher:{settings.artifacts.prefix}"


def _pages(settings: Settings) -> str:
    has_pages = settings.http.enabled and isinstance(settings.index, StaticIndexSettings)
    return (settings.http.public_url or "").rstrip("/") if has_pages else ""


def send_test(settings: Settings, receiver: NotificationSettings) -> Posted:
    """Sends a test message at once."""
    webhook, fact = Webhook(receiver), trial()
    facts: Sequence[Told] = [Told(fact.id, fact.kind, "", fact.details, _WALL.wall())]
    return webhook.send(fact.id, webhook.compose(Message(fact.id, source_of(settings), facts)))
