import io
import json
import logging

import pytest

from publisher.logs import JsonFormatter, log_to


def logged(message: str, **extra: object) -> dict[str, object]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    logger = logging.getLogger("publisher.test_logs")
    logger.propagate = False
    logger.addHandler(handler)

    logger.warning(message, extra=extra)
    logger.removeHandler(handler)

    (line,) = stream.getvalue().splitlines()
    entry = json.loads(line)
    assert isinstance(entry, dict)
    return entry


def test_a_log_is_one_object_with_its_fields() -> None:
    entry = logged("package published", distribution="acme-a", seconds=0.1)

    assert entry["event"] == "package published"
    assert entry["level"] == "warning"
    assert entry["distribution"] == "acme-a"
    assert entry["seconds"] == 0.1


def test_an_untrusted_text_stays_on_its_line() -> None:
    entry = logged("view broken", reason="a\nb\u202ec\x1b[31m")

    assert entry["reason"] == "a\nb\u202ec\x1b[31m"


def test_every_log_of_the_process_goes_to_one_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    monkeypatch.setattr(root, "level", root.level)
    stream = io.StringIO()

    log_to(stream)
    logging.getLogger("publisher.anything").info("heard")
    logging.getLogger("kafka.client").info("too chatty")

    assert [json.loads(line)["event"] for line in stream.getvalue().splitlines()] == ["heard"]
