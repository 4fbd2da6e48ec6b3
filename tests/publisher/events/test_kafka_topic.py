"""The tests that need no broker."""

from __future__ import annotations

import subprocess
import sys

ASK_THREE_TIMES = """
import threading
from publisher.events.kafka_topic import KafkaSource
from publisher.events.protocol import SourceUnavailable
source = KafkaSource("127.0.0.1:1", "t", group_id="g", options={"bootstrap_timeout_ms": 200})
for _ in range(3):
    try:
        source.poll(None, 0)
    except SourceUnavailable as unavailable:
        print(unavailable)
source.close()
print(threading.active_count(), "thread")
"""


def test_a_broker_that_does_not_run_is_unavailable_and_leaves_no_thread() -> None:
    # In a process of its own: kafka-python leaves refused sockets to the garbage collector.
    asked = subprocess.run(
        [sys.executable, "-c", ASK_THREE_TIMES], capture_output=True, text=True, check=True
    )

    *answers, threads = asked.stdout.splitlines()
    assert len(answers) == 3
    assert all("event source kafka:t does not answer" in answer for answer in answers)
    assert threads == "1 thread"
