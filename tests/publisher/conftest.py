"""Each test learns its own secrets, although those of a process are known to all of it."""

from __future__ import annotations

import pytest

from publisher.redaction import SECRETS, Redactor


@pytest.fixture(autouse=True)
def _secrets_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in vars(Redactor()).items():
        monkeypatch.setattr(SECRETS, name, value)
