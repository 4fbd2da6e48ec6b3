"""The receivers of notifications in the settings: one usable address each, and no secret shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from publisher.redaction import SECRETS
from publisher.settings import Settings, SettingsError, load_settings
from publisher.settings.effective import HIDDEN, effective_settings
from tests.publisher.settings.test_loading import MINIMAL, settings_file

TOKEN = "XyZ0123456789abcdef"


def loaded(tmp_path: Path, *receivers: str) -> Settings:
    text = "".join(f"[[notification]]\n{receiver}\n" for receiver in receivers)
    return load_settings(settings_file(tmp_path, MINIMAL + text))


def receiver(address: str, name: str = "team") -> str:
    return f'name = "{name}"\nkind = "slack"\n{address}'


@pytest.mark.parametrize(
    "address",
    [
        'url = "https://hooks.example/x"',
        'url = "http://localhost:8080/x"',
        'url = "http://127.0.0.1/x"',
        'url = "http://chat.example/x"\nallow_insecure = true',
    ],
)
def test_an_address_that_nobody_else_reads_is_usable(tmp_path: Path, address: str) -> None:
    (found,) = loaded(tmp_path, receiver(address)).notification

    assert found.address().startswith("http")
    assert found.events == ("major", "broken", "held")


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("", "set either url or url_file"),
        ('url = "https://a.example"\nurl_file = "f"', "set either url or url_file"),
        (f'url = "http://chat.example/{TOKEN}"', "use https://, or set allow_insecure"),
        (f'url = "ftp://chat.example/{TOKEN}"', "expected http://HOST"),
        ('url = "https://a.example"\nevents = []', "notification.0.events"),
        ('url = "https://a.example"\nevents = ["minor"]', "expected one of broken, held, major"),
        ('url = "https://a.example"\nurls = 1', "notification.0.urls"),
    ],
)
def test_an_unusable_receiver_is_refused_without_its_secret(
    tmp_path: Path, address: str, why: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        loaded(tmp_path, receiver(address))

    assert why in str(caught.value)
    assert TOKEN not in str(caught.value)


def test_two_receivers_have_two_names(tmp_path: Path) -> None:
    same = receiver('url = "https://a.example"')

    with pytest.raises(SettingsError, match="two receivers are called team"):
        loaded(tmp_path, same, same)


def test_the_address_of_a_file_is_read_each_time_and_checked(tmp_path: Path) -> None:
    file = tmp_path / "url"
    (found,) = loaded(tmp_path, receiver('url_file = "url"')).notification
    with pytest.raises(SettingsError, match=r"notification\.team\.url_file"):
        found.address()
    file.write_text("https://a.example/one\n")
    assert found.address() == "https://a.example/one"
    file.write_text("http://a.example/two")

    with pytest.raises(SettingsError, match="use https://"):
        found.address()


def test_only_the_secret_part_of_an_address_is_redacted(tmp_path: Path) -> None:
    settings = loaded(tmp_path, receiver(f'url = "https://hooks.example/services/T0/{TOKEN}"'))

    shown = {each.key: each.value for each in effective_settings(settings, {}, {})}

    assert shown["notification.0.url"] == HIDDEN
    text = f"https://hooks.example/services: {TOKEN}"
    assert SECRETS.redact(text) == "https://hooks.example/services: ***"
