"""Each test has its own secrets, although the secrets of a process are global."""

from __future__ import annotations

import pytest

from publisher.redaction import SECRETS, Redactor


@pytest.fixture(autouse=True)
def _secrets_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in vars(Redactor()).items():
        monkeypatch.setattr(SECRETS, name, value)
