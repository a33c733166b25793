"""What deploy/ shows hangs together: settings that exist, volumes that are there, commands that start."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from stack.options import ROOT

DEPLOY = ROOT / "deploy"
README = (ROOT / "README.md").read_text()
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
DOCUMENTS = [
    document
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    for document in yaml.safe_load_all(path.read_text())
]
PODS = {
    one["metadata"]["name"]: one["spec"]["template"]["spec"]
    for one in DOCUMENTS
    if one["kind"] in {"Deployment", "Job"}
}
COMMANDS = [
    *(service.get("command") for service in COMPOSE["services"].values()),
    *(container.get("command") for pod in PODS.values() for container in pod["containers"]),
]


def told(name: str) -> bool:
    return f"| `{name}` |" in README


def test_compose_uses_settings_that_exist() -> None:
    services = [service for service in COMPOSE["services"].values() if service["image"] == "hook-portal"]
    assert all(told(name) for service in services for name in service.get("environment", {}))


def test_compose_names_services_and_volumes_that_exist() -> None:
    for service in COMPOSE["services"].values():
        assert set(service.get("depends_on", {})) <= COMPOSE["services"].keys()
        assert {volume.partition(":")[0] for volume in service.get("volumes", [])} <= COMPOSE["volumes"].keys()


def test_the_sandbox_has_no_secret_and_no_network() -> None:
    sandbox = COMPOSE["services"]["sandbox"]
    assert sandbox["network_mode"] == "none"
    assert "environment" not in sandbox
    runners = [one for pod in PODS.values() for one in pod["containers"] if one["name"] == "sandbox"]
    assert len(runners) == 2
    assert not any("envFrom" in one or "env" in one for one in runners)


def test_kubernetes_uses_settings_that_exist() -> None:
    settings = next(one for one in DOCUMENTS if one["kind"] == "ConfigMap")
    assert all(told(name) for name in settings["data"])


def test_kustomization_lists_all_files() -> None:
    files = {path.name for path in (DEPLOY / "kubernetes").iterdir()} - {"kustomization.yaml"}
    assert set(next(one for one in DOCUMENTS if one["kind"] == "Kustomization")["resources"]) == files


@pytest.mark.parametrize("name", sorted(PODS))
def test_mounts_are_volumes_of_the_pod(name: str) -> None:
    pod: dict[str, Any] = PODS[name]
    mounted = {mount["name"] for container in pod["containers"] for mount in container.get("volumeMounts", [])}
    assert mounted == {volume["name"] for volume in pod.get("volumes", [])}


@pytest.mark.parametrize(
    "command", [command for command in COMMANDS if command and command[:2] == ["python", "-m"]], ids=" ".join
)
def test_commands_name_modules_that_exist(command: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", command[2], "--help"], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0
    options = {word for word in command[3:] if word.startswith("--")}
    if command[2] != "celery":  # it tells its options per subcommand
        assert options <= set(re.findall(r"--[\w-]+", done.stdout))


def test_the_image_starts_a_web_server(tmp_path: Path) -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    command = json.loads(text[text.index("CMD ") + 4 :].replace("\\\n", ""))
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "portal.settings"}
    done = subprocess.run(
        [sys.executable, *command[1:], "--check-config"], cwd=ROOT, env=env, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
