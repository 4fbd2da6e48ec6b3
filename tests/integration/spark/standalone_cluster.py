"""Spark's own cluster manager with two workers that, to Spark, are two hosts.

A local cluster's executors share one host, and Spark starts no speculative attempt on the host of
the first one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark

from deploy.ports import free_ports

HOSTS = ("127.0.0.2", "127.0.0.3")


@contextmanager
def standalone_cluster(folder: Path) -> Iterator[str]:
    """The master's address; each worker has one core and 1 GiB."""
    folder.mkdir()
    port, *pages = free_ports(2 + len(HOSTS))
    address = f"spark://127.0.0.1:{port}"
    with ExitStack() as running:
        master = ("master.Master", "--host", "127.0.0.1", "--port", str(port))
        running.enter_context(_daemon(folder, *master, "--webui-port", str(pages[0])))
        for host, page in zip(HOSTS, pages[1:], strict=True):
            worker = ("worker.Worker", "--host", host, "--cores", "1", "--memory", "1500M")
            where = ("--work-dir", str(folder / host), "--webui-port", str(page))
            running.enter_context(_daemon(folder, *worker, *where, address))
        yield address


@contextmanager
def _daemon(folder: Path, name: str, *arguments: str) -> Iterator[None]:
    home = Path(pyspark.__file__).parent
    environment = os.environ | {
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_DIRS": str(folder),
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": "-XX:+UseSerialGC",
        "PYSPARK_PYTHON": sys.executable,
    }
    command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *arguments]
    with (folder / f"{name}-{len(list(folder.iterdir()))}.log").open("wb") as log:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
