"""The Helm chart: lint, schema of values, and each rendered object against Kubernetes's own schemas."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from publisher.settings import load_settings
from tests.deploy.judges import DEPLOY, ended, judge_python, program, said

pytestmark = pytest.mark.thorough

CHART = DEPLOY / "helm" / "schema-publisher"
KUBERNETES = "1.34.0"
DIGEST = "sha256:" + "0a" * 32
IMAGE = {"repository": "registry.example/schema-publisher", "digest": DIGEST}
EVERYTHING: Mapping[str, Any] = {
    "image": IMAGE,
    "secrets": {"existingSecret": "our-secrets", "operationsTokenKey": "operations-token"},
    "extraEnv": [{"name": "AWS_REGION", "value": "eu-west-1"}],
    "ingress": {
        "enabled": True,
        "className": "nginx",
        "tlsSecret": "tls",
        "annotations": {"a": "b"},
    },
    "networkPolicy": {
        "packagesFrom": [{"podSelector": {"matchLabels": {"installs": "yes"}}}],
        "operationsFrom": [{"namespaceSelector": {"matchLabels": {"name": "monitoring"}}}],
        "egress": [{"to": [{"ipBlock": {"cidr": "192.0.2.1/32"}}], "ports": [{"port": 9083}]}],
    },
    "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
    "dashboard": {"enabled": True},
    "verify": {"enabled": True},
    "persistence": {"storageClass": "fast"},
    "nodeSelector": {"disk": "ssd"},
    "tolerations": [{"key": "data", "operator": "Exists"}],
    "podAnnotations": {"a": "b"},
    "podLabels": {"team": "data"},
}
DATABASE = {"existingSecret": "our-database", "urlKey": "uri"}
REPLICAS: Mapping[str, Any] = {
    "image": IMAGE,
    "replicas": 3,
    "postgresql": DATABASE,
    "persistence": {"accessMode": "ReadWriteMany"},
    "verify": {"enabled": True},
}
_VALIDATE = """
import json, sys
import kubernetes_validate
for each in json.load(sys.stdin):
    try:
        kubernetes_validate.validate(each, sys.argv[1], strict=True)
    except kubernetes_validate.SchemaNotFoundError:
        print("no schema", each["kind"])
"""


def helm() -> str:
    return program("helm", "`go install helm.sh/helm/v3/cmd/helm@v3.22.0` builds it")


def rendered(values: Mapping[str, Any], folder: Path) -> list[dict[str, Any]]:
    file = folder / "values.yaml"
    file.write_text(yaml.safe_dump(dict(values)))
    text = said(helm(), "template", "lake", CHART, "--kube-version", KUBERNETES, "--values", file)
    return [each for each in yaml.safe_load_all(text) if each]


def of_kind(objects: Sequence[dict[str, Any]], kind: str) -> dict[str, Any]:
    [found] = [each for each in objects if each["kind"] == kind]
    return found


@pytest.mark.parametrize(
    ("values", "count"),
    [({"image": IMAGE}, 8), (EVERYTHING, 13), (REPLICAS, 9)],
    ids=["least", "everything", "replicas"],
)
def test_kubernetes_accepts_every_object(
    values: Mapping[str, Any], count: int, tmp_path: Path
) -> None:
    objects = rendered(values, tmp_path)
    python = judge_python()

    unknown = said(python, "-c", _VALIDATE, KUBERNETES, text=json.dumps(objects))

    monitored = {"no schema PrometheusRule", "no schema ServiceMonitor"}
    assert set(unknown.splitlines()) == (monitored if "serviceMonitor" in values else set())
    assert len(objects) == count


def test_kubernetes_refuses_a_misspelt_key(tmp_path: Path) -> None:
    objects = rendered({"image": IMAGE}, tmp_path)
    of_kind(objects, "Deployment")["spec"]["replicsa"] = 1

    found = ended(judge_python(), "-c", _VALIDATE, KUBERNETES, text=json.dumps(objects))

    assert found.returncode != 0
    assert "replicsa" in found.stderr


def test_helm_lints_the_chart(tmp_path: Path) -> None:
    file = tmp_path / "values.yaml"
    file.write_text(yaml.safe_dump(dict(EVERYTHING)))

    said(helm(), "lint", "--strict", CHART, "--values", file)


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({}, "/image/repository"),
        ({"image": {"repository": "r"}}, "/image"),
        ({"image": {"repository": "r", "digest": "sha256:short"}}, "/image/digest"),
        ({"image": IMAGE, "replica": 2}, "replica"),
        ({"image": IMAGE, "replicas": 2}, "/postgresql/existingSecret"),
        ({"image": IMAGE, "persistence": {"enabled": False}}, "/postgresql/existingSecret"),
        ({"image": IMAGE, "replicas": 2, "postgresql": DATABASE}, "/persistence"),
        ({"image": IMAGE, "ddl": {"../shop.sql": ""}}, "../shop.sql"),
        ({"image": IMAGE, "service": {"port": 80}}, "/service/port"),
        ({"image": IMAGE, "secrets": {"operationsTokenKey": "t"}}, "secrets.existingSecret"),
    ],
)
def test_a_wrong_value_is_refused_by_its_name(
    values: Mapping[str, Any], named: str, tmp_path: Path
) -> None:
    file = tmp_path / "values.yaml"
    file.write_text(yaml.safe_dump(dict(values)))

    found = ended(helm(), "template", "x", CHART, "--kube-version", KUBERNETES, "--values", file)

    assert found.returncode != 0
    assert named in found.stderr


def test_the_state_has_one_writer(tmp_path: Path) -> None:
    objects = rendered(EVERYTHING, tmp_path)
    deployment = of_kind(objects, "Deployment")["spec"]

    assert (deployment["replicas"], deployment["strategy"]) == (1, {"type": "Recreate"})
    claim = of_kind(objects, "PersistentVolumeClaim")
    assert claim["spec"]["accessModes"] == ["ReadWriteOnce"]
    assert claim["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}


def test_several_replicas_share_a_database_and_a_volume(tmp_path: Path) -> None:
    objects = rendered(REPLICAS, tmp_path)
    deployment = of_kind(objects, "Deployment")["spec"]
    [container] = deployment["template"]["spec"]["containers"]

    assert (deployment["replicas"], deployment["strategy"]) == (3, {"type": "RollingUpdate"})
    assert of_kind(objects, "PersistentVolumeClaim")["spec"]["accessModes"] == ["ReadWriteMany"]
    [url] = [each for each in container["env"] if each["name"].endswith("__STATE__URL")]
    assert url["valueFrom"]["secretKeyRef"] == {"name": "our-database", "key": "uri"}
    job = of_kind(objects, "CronJob")["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    assert "affinity" not in job


def test_replicas_with_an_index_server_need_no_volume(tmp_path: Path) -> None:
    objects = rendered({**REPLICAS, "persistence": {"enabled": False}}, tmp_path)
    deployment = of_kind(objects, "Deployment")["spec"]

    assert deployment["strategy"] == {"type": "RollingUpdate"}
    [volume] = [v for v in deployment["template"]["spec"]["volumes"] if v["name"] == "state"]
    assert "emptyDir" in volume
    assert "PersistentVolumeClaim" not in {each["kind"] for each in objects}


@pytest.mark.parametrize("kind", ["Deployment", "CronJob"])
def test_a_pod_may_do_nothing_but_its_work(kind: str, tmp_path: Path) -> None:
    spec = of_kind(rendered(EVERYTHING, tmp_path), kind)["spec"]
    pod = (spec if kind == "Deployment" else spec["jobTemplate"]["spec"])["template"]["spec"]
    [container] = pod["containers"]

    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["automountServiceAccountToken"] is False
    assert container["image"] == f"registry.example/schema-publisher@{DIGEST}"
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_the_job_gets_no_requests_of_the_service(tmp_path: Path) -> None:
    objects = rendered(EVERYTHING, tmp_path)
    selector = of_kind(objects, "Service")["spec"]["selector"]
    job = of_kind(objects, "CronJob")["spec"]["jobTemplate"]["spec"]["template"]

    assert not selector.items() <= job["metadata"]["labels"].items()
    served = of_kind(objects, "Deployment")["spec"]["template"]["metadata"]["labels"]
    assert selector.items() <= served.items()


def test_the_operations_port_is_closed_unless_somebody_is_named(tmp_path: Path) -> None:
    def opened(values: Mapping[str, Any]) -> set[str]:
        policy = of_kind(rendered(values, tmp_path), "NetworkPolicy")
        return {port["port"] for rule in policy["spec"]["ingress"] for port in rule["ports"]}

    assert opened({"image": IMAGE}) == {"packages"}
    assert opened(EVERYTHING) == {"packages", "operations"}
    paths = of_kind(rendered(EVERYTHING, tmp_path), "Ingress")["spec"]["rules"][0]["http"]["paths"]
    assert [path["backend"]["service"]["port"] for path in paths] == [{"name": "packages"}]


def test_alerts_and_dashboard_are_those_of_the_repository(tmp_path: Path) -> None:
    objects = rendered(EVERYTHING, tmp_path)

    rules = of_kind(objects, "PrometheusRule")["spec"]
    assert rules == yaml.safe_load((DEPLOY / "alerts.yml").read_text(encoding="utf-8"))
    [shown] = [
        each["data"]["schema-publisher.json"]
        for each in objects
        if each["kind"] == "ConfigMap" and "schema-publisher.json" in each["data"]
    ]
    assert shown == (DEPLOY / "dashboard.json").read_text(encoding="utf-8")


def test_the_default_settings_load_with_the_containers_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
    objects = rendered({"image": IMAGE}, tmp_path)
    [container] = of_kind(objects, "Deployment")["spec"]["template"]["spec"]["containers"]
    for each in container["env"]:
        monkeypatch.setenv(each["name"], each["value"])
    config = tmp_path / "schema-publisher.toml"
    config.write_text(values["settings"])

    loaded = load_settings(config)

    mounted = {each["name"]: each["mountPath"] for each in container["volumeMounts"]}
    assert loaded.catalogs
    assert loaded.state.file is not None
    assert str(loaded.state.file.parent) == mounted["state"]
    assert values["settings"].count(f'path = "{mounted["ddl"]}"') == 1


def test_the_values_fit_their_schema_but_for_the_image_that_only_a_user_knows() -> None:
    values = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
    schema = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft7Validator(schema)

    wrong = {tuple(error.absolute_path) for error in validator.iter_errors(values)}
    filled = {**values, "image": {**values["image"], **IMAGE}}

    assert wrong == {("image",), ("image", "repository")}
    assert list(validator.iter_errors(filled)) == []
    assert values.keys() == schema["properties"].keys() - {"global"}


def test_the_chart_has_the_version_of_the_release() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
    project = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text())["project"]

    assert {chart["version"], chart["appVersion"]} == {project["version"]}
