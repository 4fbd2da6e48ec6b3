"""Traces at a real OTLP receiver: the tree of one event, and a receiver that is away."""

from __future__ import annotations

import builtins
import gzip
import http.server
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from publisher.daemon.event_traces import EventTraces
from publisher.daemon.service import Service
from publisher.daemon.tracing_adapters import build_traces
from publisher.settings import SettingsError, load_settings
from publisher.spans import NO_TRACES
from tests.publisher.daemon.simulated import T
from tests.publisher.daemon.test_service import TABLE, configured
from tests.waiting import eventually


@dataclass(frozen=True, slots=True)
class Sent:
    """``parent`` is the id of the parent span, or empty."""

    name: str
    trace: bytes
    id: bytes
    parent: bytes
    began: int
    ended: int
    about: Mapping[str, str]


@dataclass
class Collector:
    url: str = ""
    spans: list[Sent] = field(default_factory=list)
    services: set[str] = field(default_factory=set)

    def take(self, body: bytes) -> None:
        request = ExportTraceServiceRequest.FromString(body)
        for resource in request.resource_spans:
            named = {each.key: each.value.string_value for each in resource.resource.attributes}
            self.services.add(named["service.name"])
            for scope in resource.scope_spans:
                self.spans += [
                    Sent(
                        span.name,
                        span.trace_id,
                        span.span_id,
                        span.parent_span_id,
                        span.start_time_unix_nano,
                        span.end_time_unix_nano,
                        {
                            each.key.removeprefix("schema_publisher."): each.value.string_value
                            for each in span.attributes
                        },
                    )
                    for span in scope.spans
                ]


@pytest.fixture
def collector() -> Iterator[Collector]:
    found = Collector()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            packed = self.headers.get("Content-Encoding") == "gzip"
            found.take(gzip.decompress(body) if packed else body)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    found.url = f"http://127.0.0.1:{server.server_address[1]}/v1/traces"
    yield found
    server.shutdown()
    server.server_close()
    thread.join()


def publish_a_change(tmp_path: Path, endpoint: str) -> None:
    """A service publishes a table's change that an event told it of, then it ends."""
    ddl = tmp_path / "ddl" / "all.sql"
    ddl.parent.mkdir()
    ddl.write_text(TABLE)
    more = f'[[events]]\nkind = "ddl-folder"\n[tracing]\nenabled = true\nendpoint = "{endpoint}"\n'
    config = configured(tmp_path, more)
    with Service(load_settings(config), config) as service:
        counted = service.engine.counters.values
        assert eventually(lambda: counted().get("published", 0) >= 1)
        assert eventually(lambda: service.engine.seconds_since_snapshot() is not None)
        ddl.write_text(TABLE + "ALTER TABLE orders ADD COLUMNS (note STRING);")
        assert eventually(lambda: counted().get("published", 0) >= 2)


def test_one_event_is_one_tree_from_its_hearing_to_the_list(
    tmp_path: Path, collector: Collector
) -> None:
    publish_a_change(tmp_path, collector.url)

    (root,) = [s for s in collector.spans if s.about.get("version") and s.name == "event"]
    tree = [span for span in collector.spans if span.trace == root.trace]
    children = [span for span in tree if span is not root]
    assert [s.name for s in sorted(children, key=lambda s: (s.began, s.ended))] == [
        "hear",
        "read",
        "derive",
        "generate",
        "upload",
        "list",
    ]
    assert all(span.parent == root.id for span in children)
    assert all(root.began <= span.began <= span.ended <= root.ended for span in children)
    assert {span.about["relation"] for span in tree} == {"shop.orders"}
    assert root.about["outcome"] == "published"
    assert (root.about["package"], root.about["version"]) == ("acme-schema-shop-orders", "1.1.0")
    about = {span.name: span.about for span in children}
    assert about["derive"]["outcome"] == "derived"
    assert about["generate"]["version"] == "1.1.0"
    assert about["generate"]["outcome"] == "minor"
    assert collector.services == {"schema-publisher"}


def test_a_receiver_that_is_away_does_not_stop_publishing(tmp_path: Path) -> None:
    publish_a_change(tmp_path, "http://127.0.0.1:9/v1/traces")


def outcomes(collector: Collector) -> list[tuple[str, str]]:
    return [(s.name, s.about["outcome"]) for s in collector.spans if "outcome" in s.about]


def test_an_event_during_the_work_on_the_last_one_has_its_trace_too(collector: Collector) -> None:
    traces = EventTraces(collector.url)
    traces.hear([T], "log", {}, 1000.0)
    with traces.stage("read", [T]):
        traces.hear([T], "log", {T: 1500.0}, 2000.0)
    traces.end(T, "published", "p", "1.0.0")
    with traces.stage("read", [T]) as stage:
        stage.note(T, "unchanged")
    traces.end(T, "")
    traces.end(T, "published")
    traces.close()

    assert outcomes(collector) == [
        ("read", "done"),
        ("event", "published"),
        ("read", "unchanged"),
        ("event", "unchanged"),
    ]
    roots = [span for span in collector.spans if span.name == "event"]
    assert [span.began for span in roots] == [1_000 * 10**9, 1_500 * 10**9]


def test_a_failed_stage_says_so_without_the_errors_text(collector: Collector) -> None:
    traces = EventTraces(collector.url)
    traces.hear([T], "log", {}, 1000.0)
    with pytest.raises(ZeroDivisionError), traces.stage("upload", [T]):
        raise ZeroDivisionError("a secret")
    traces.end(T, "")
    traces.close()

    assert ("upload", "failed: ZeroDivisionError") in outcomes(collector)


def test_without_the_extra_the_error_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = load_settings(configured(tmp_path, "[tracing]\nenabled = true\n"))
    real = builtins.__import__

    def absent(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("opentelemetry"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *rest, **more)

    monkeypatch.delitem(sys.modules, "publisher.daemon.event_traces")
    monkeypatch.setattr(builtins, "__import__", absent)

    with pytest.raises(SettingsError, match=r"pip install '.\[tracing\]'"):
        build_traces(settings)


def test_traces_are_off_by_default(tmp_path: Path) -> None:
    assert build_traces(load_settings(configured(tmp_path))) is NO_TRACES
