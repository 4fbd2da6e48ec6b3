import io
import json
import logging

import pytest

from publisher.logs import JsonFormatter, SeldomFromOthers, log_to
from publisher.redaction import SECRETS


def logged(message: str, error: Exception | None = None, **extra: object) -> dict[str, object]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    logger = logging.getLogger("publisher.test_logs")
    logger.propagate = False
    logger.addHandler(handler)

    logger.warning(message, extra=extra, exc_info=error)
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


def test_a_known_secret_is_not_logged() -> None:
    SECRETS.learn("swordfish-5791")
    try:
        raise ValueError("denied: swordfish-5791")  # noqa: TRY301
    except ValueError as error:
        parts = ["c3dvcmRmaXNoLTU3OTE=", {"swordfish-5791": 1}]
        entry = logged("denied swordfish-5791", error, why=error, parts=parts)

    assert "swordfish" not in json.dumps(entry)
    assert "c3dvcmRmaXNo" not in json.dumps(entry)
    assert entry["parts"] == ["***=", {"***": 1}]


def test_every_log_of_the_process_goes_to_one_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    monkeypatch.setattr(root, "level", root.level)
    stream = io.StringIO()

    log_to(stream)
    logging.getLogger("publisher.anything").info("heard")
    logging.getLogger("kafka.client").info("too chatty")

    assert [json.loads(line)["event"] for line in stream.getvalue().splitlines()] == ["heard"]


def record_of(logger: str, line: int = 1, error: Exception | None = None) -> logging.LogRecord:
    info = None if error is None else (type(error), error, error.__traceback__)
    return logging.LogRecord(logger, logging.ERROR, "a.py", line, "it failed", None, info)


def raised() -> Exception:
    try:
        raise OSError("no route to host")  # noqa: TRY301  (an error with a traceback)
    except OSError as error:
        return error


def test_a_librarys_traceback_becomes_one_field() -> None:
    entry = json.loads(JsonFormatter().format(record_of("thrift.transport", error=raised())))

    assert entry["error"] == "OSError: no route to host"
    assert "trace" not in entry


def test_our_own_traceback_is_kept() -> None:
    entry = json.loads(JsonFormatter().format(record_of("publisher.engine", error=raised())))

    assert "test_logs.py" in entry["trace"]


def test_of_a_librarys_statement_one_line_a_minute_passes() -> None:
    moments = iter([0.0, 1.0, 1.0, 61.0])
    seldom = SeldomFromOthers(lambda: next(moments))

    assert seldom.filter(record_of("kafka.client"))
    assert not seldom.filter(record_of("kafka.client"))
    assert seldom.filter(record_of("kafka.client", line=2))
    assert seldom.filter(record_of("kafka.client"))
    assert all(seldom.filter(record_of("publisher.engine")) for _ in range(3))
