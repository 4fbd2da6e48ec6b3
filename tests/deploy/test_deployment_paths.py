"""docs/deployment.md, typed as written: from an empty machine to the first package, a change and an alert's cause.

What starts the service is not here: systemd, a container's runtime, Kubernetes. The tests do their part with the unit's,
the image's or the pod's own command, environment and files.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.judges import DEPLOY, program, said
from tests.deploy.newcomer import Machine
from tests.documents import ROOT, blocks, section
from tests.waiting import eventually

pytestmark = pytest.mark.slow

GUIDE = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
FIRST = {"acme_shop_orders-1.0.0-py3-none-any.whl", "acme_shop_revenue-1.0.0-py3-none-any.whl"}
THEN = {*FIRST, "acme_shop_orders-1.1.0-py3-none-any.whl"}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine.empty(tmp_path / "machine")


def test_the_way_with_systemd(machine: Machine) -> None:
    settings, first, change, second = blocks(section(GUIDE, "systemd"), "sh")
    unit = (DEPLOY / "systemd" / "schema-publisher.service").read_text(encoding="utf-8")
    [command] = re.findall(r"(?m)^ExecStart=(.+)$", unit)
    machine.type(settings)
    machine.localize("etc/schema-publisher/schema-publisher.toml")

    with machine.running(shlex.split(command), {}):
        machine.eventually_types(first)
        assert machine.downloads() == FIRST
        machine.type(change)
        machine.eventually_types(second)
        assert machine.downloads() == THEN

        away, back = blocks(section(GUIDE, "Watch it"), "sh")
        machine.type(away)
        assert eventually(lambda: machine.status("/health/ready", operations=True) == 503)
        assert machine.status("/health/live") == 200
        machine.type(back)
        assert eventually(lambda: machine.status("/health/ready", operations=True) == 200)


def test_the_way_with_compose(machine: Machine) -> None:
    token, first, change, second = blocks(section(GUIDE, "Compose"), "sh")
    image = (DEPLOY / "image" / "Containerfile").read_text(encoding="utf-8")
    inside = dict(re.findall(r"(SCHEMA_PUBLISHER__\w+)=(\S+)", image))
    service = yaml.safe_load((DEPLOY / "compose" / "compose.yaml").read_text())["services"]
    [started] = re.findall(r"(?m)^CMD (\[.+\])$", image)
    command = ["/opt/schema-publisher/bin/schema-publisher", *yaml.safe_load(started)]
    machine.type(token)
    machine.localize("deploy/compose/settings/schema-publisher.toml")
    (machine.root / "etc/schema-publisher").symlink_to(machine.root / "deploy/compose/settings")
    (machine.root / "run/secrets").symlink_to(machine.root / "deploy/compose/secrets")
    environment = {**inside, **service["schema-publisher"]["environment"]}
    # A container listens for its neighbours; a test only for itself.
    environment["SCHEMA_PUBLISHER__HTTP__HOST"] = "127.0.0.1"

    with machine.running(command, environment):
        machine.eventually_types(first)
        assert machine.downloads() == FIRST
        machine.type(change)
        machine.eventually_types(second)
        assert machine.downloads() == THEN
        assert "schema_publisher_ready 1.0" in (machine.root / "metrics.txt").read_text()
        assert machine.status("/metrics", operations=True) == 401


def test_the_way_with_helm(machine: Machine) -> None:
    first, values, second = blocks(section(GUIDE, "Helm"), "sh")
    objects = rendered()
    [deployment] = [each for each in objects if each["kind"] == "Deployment"]
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    volumes = {
        each["name"]: each["configMap"]["name"]
        for each in deployment["spec"]["template"]["spec"]["volumes"]
        if "configMap" in each
    }
    mounts = {each["name"]: each["mountPath"] for each in container["volumeMounts"]}
    for name, shown in volumes.items():
        show_volume(machine, mounts[name], data_of(objects, shown), "..1")
    image = (DEPLOY / "image" / "Containerfile").read_text(encoding="utf-8")
    [started] = re.findall(r"(?m)^CMD (\[.+\])$", image)
    command = ["/opt/schema-publisher/bin/schema-publisher", *yaml.safe_load(started)]
    environment = {each["name"]: each["value"] for each in container["env"]}
    environment["SCHEMA_PUBLISHER__HTTP__HOST"] = "127.0.0.1"

    with machine.running(command, environment):
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            asked = container[probe]["httpGet"]
            assert (asked["port"], machine.status(asked["path"])) == ("packages", 200)
        machine.eventually_types(first)
        assert machine.downloads() == FIRST

        machine.type(values)
        changed = rendered("--values", str(machine.root / "values.yaml"))
        show_volume(machine, mounts["ddl"], data_of(changed, volumes["ddl"]), "..2")
        machine.eventually_types(second)
        assert machine.downloads() == THEN


def rendered(*more: str) -> list[dict[str, Any]]:
    helm = program("helm", "`go install helm.sh/helm/v3/cmd/helm@v3.22.0` builds it")
    chart = DEPLOY / "helm" / "schema-publisher"
    image = ("--set", "image.repository=schema-publisher", "--set", "image.tag=v1")
    text = said(helm, "template", "lake", chart, "--kube-version", "1.34.0", *image, *more)
    return [each for each in yaml.safe_load_all(text) if each]


def data_of(objects: list[dict[str, Any]], name: str) -> Mapping[str, str]:
    [found] = [
        each["data"]
        for each in objects
        if each["kind"] == "ConfigMap" and each["metadata"]["name"] == name
    ]
    return dict(found)


def show_volume(machine: Machine, mount: str, files: Mapping[str, str], version: str) -> None:
    """As Kubernetes does it: files in a hidden folder, links to them, and one link that changes at once."""
    volume = machine.root / mount[1:]
    (volume / version).mkdir(parents=True)
    for name, text in files.items():
        (volume / version / name).write_text(machine.here(text))
        link = volume / name
        if not link.is_symlink():
            link.symlink_to(Path("..data") / name)
    fresh = volume / "..data_tmp"
    fresh.symlink_to(version)
    fresh.rename(volume / "..data")
