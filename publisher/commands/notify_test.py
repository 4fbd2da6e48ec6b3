"""The command ``notify-test``: sends a test message to receivers of notifications."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from publisher.commands.arguments import Config, Json
from publisher.commands.failures import NO, USAGE_ERROR, Refused

if TYPE_CHECKING:
    from publisher.daemon.probes import Probe
    from publisher.settings import NotificationSettings, Settings


def notify_test(
    receiver: Annotated[
        str | None, typer.Argument(help="The name of a [[notification]]; by default all of them.")
    ] = None,
    config: Config = None,
    *,
    json: Json = None,
) -> None:
    """Sends a test message to the receivers of notifications; exit status 1 if one does not accept it.

    May run while the service runs. If a message fails, it is not sent again.
    """
    from publisher.commands.output.choice import output_for
    from publisher.settings import load_settings

    settings = load_settings(config)
    chosen = [each for each in settings.notification if receiver in {None, each.name}]
    if not chosen:
        known = ", ".join(each.name for each in settings.notification)
        raise Refused(
            USAGE_ERROR,
            "the settings name no receiver"
            if receiver is None
            else f"the settings name no receiver {receiver!r}",
            f"known: {known}" if known else "add a [[notification]]: docs/notifications.md",
        )
    output = output_for(json)
    all_accepted = True
    for each in chosen:
        probe = _try(settings, each)
        output.probe(probe)
        all_accepted = all_accepted and probe.is_usable
    raise typer.Exit(0 if all_accepted else NO)


def _try(settings: Settings, receiver: NotificationSettings) -> Probe:
    from publisher.daemon.notification_adapters import send_test
    from publisher.daemon.probes import Probe
    from publisher.notifications.posting import NotAccepted

    part = f"notification.{receiver.name}"
    match send_test(settings, receiver):
        case NotAccepted(why=why):
            return Probe(part, is_usable=False, found=why)
        case _:
            return Probe(part, is_usable=True, found="the message was accepted")
