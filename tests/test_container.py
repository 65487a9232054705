"""The container: without root, read-only, one volume; what it needs is in the image."""

from __future__ import annotations

import re

import pytest
import yaml

from dpcore.data.readers.databases import sources
from dpcore.ledger import opening
from epsilon_studio import hosts
from epsilon_studio.command import _parser
from tests.conftest import ROOT

FILE = (ROOT / "Containerfile").read_text(encoding="utf-8")
SERVICES = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]


def last(word):
    """The words after the last instruction of that name."""
    return re.findall(rf"^{word} (.+)$", FILE, re.MULTILINE)[-1]


def test_the_image_runs_without_root_and_has_one_volume():
    user = last("USER").partition(":")[0]
    assert int(user) > 0
    assert re.findall("^VOLUME (.+)$", FILE, re.MULTILINE) == ["/data"]
    assert "/_stcore/health" in FILE[FILE.index("HEALTHCHECK") :]


def test_the_command_of_the_image_is_known():
    command, *options = yaml.safe_load(last("ENTRYPOINT"))
    assert command == "epsilon-studio"
    asked = _parser().parse_args(options)
    assert (str(asked.home), str(asked.port), asked.no_browser) == ("/data", last("EXPOSE"), True)


def test_compose_keeps_the_image_locked_and_publishes_to_the_proxy_alone():
    studio = SERVICES["studio"]
    assert studio["read_only"] is True
    assert studio["cap_drop"] == ["ALL"]
    assert [port.rpartition(":")[0] for port in studio["ports"]] == ["127.0.0.1:8501"]
    assert "ports" not in SERVICES["database"]
    assert studio["depends_on"]["database"]["condition"] == "service_healthy"


def test_compose_sets_what_the_app_reads(monkeypatch):
    set_by_compose = SERVICES["studio"]["environment"]
    assert hosts.VARIABLE in set_by_compose
    monkeypatch.setenv("EPSILON_STUDIO_LEDGER", set_by_compose["EPSILON_STUDIO_LEDGER"])
    assert opening.address().startswith("postgresql://studio:")


@pytest.mark.parametrize("name", [hosts.VARIABLE, sources.VARIABLE, "EPSILON_STUDIO_LEDGER"])
def test_the_guide_names_every_setting(name):
    assert f"`{name}`" in (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
