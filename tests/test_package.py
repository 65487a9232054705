"""The package: its metadata, its lock and its command agree."""

from __future__ import annotations

import re
import socket
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement

from dpcore.version import VERSION
from epsilon_studio import command, doctor, hosts, location
from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FILES = {
    "requirements.txt": PROJECT["dependencies"],
    **{
        f"requirements-{extra}.txt": listed
        for extra, listed in PROJECT["optional-dependencies"].items()
    },
}


def lines(name):
    """What a file of requirements lists by itself."""
    text = (ROOT / name).read_text(encoding="ascii")
    return [line for line in text.splitlines() if line and not line.startswith("-")]


@pytest.mark.parametrize(("name", "listed"), FILES.items())
def test_requirements_are_those_of_the_package(name, listed):
    ranges = [Requirement(line) for line in listed]
    names = [line.name + (f"[{','.join(line.extras)}]" if line.extras else "") for line in ranges]
    assert names == lines(name)


def test_what_is_pinned_is_in_range():
    ranges = {Requirement(line).name: Requirement(line) for each in FILES.values() for line in each}
    pins = [Requirement(line) for line in lines("constraints.txt")]
    for pin in pins:
        version = next(iter(pin.specifier)).version
        if pin.name in ranges:
            assert ranges.pop(pin.name).specifier.contains(version) or pin.marker, pin
    assert not {name for name in ranges if name not in {pin.name for pin in pins}}


def test_the_citation_names_this_version_and_the_five_sources():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == VERSION
    assert citation["license"] == PROJECT["license"]
    authors = [each["authors"][0]["family-names"] for each in citation["references"]]
    assert authors == ["Liu", "Wang", "Brawner", "Mount", "Smith"]


def test_the_changelog_has_known_kinds_of_changes():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    kinds = set(re.findall(r"^### (.+)$", text, re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def started(monkeypatch, *arguments):
    """What Streamlit is asked for by the command."""
    asked = []
    monkeypatch.setattr("streamlit.web.cli.main", lambda given, **_: asked.extend(given))
    assert command.main([*arguments, "--no-browser"]) == 0
    return asked


def test_the_command_runs_the_app_on_its_port(monkeypatch):
    run, app, *options = started(monkeypatch, "--port", "8700")
    assert (run, app) == ("run", str(ROOT / "asgi.py"))
    # The second one keeps Streamlit from asking a server outside for its own address.
    assert options == ["--server.port=8700", "--browser.serverAddress=localhost"]


def test_without_a_port_the_first_free_one_is_taken():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert not location.is_free(port)
        assert location.free_port(port) > port


def test_a_home_is_the_same_from_everywhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EPSILON_STUDIO_HOME", "")
    started(monkeypatch, "--home", "here")
    assert command.os.environ["EPSILON_STUDIO_HOME"] == str(tmp_path / "here")


def test_a_class_is_let_in_by_the_address_of_this_computer(monkeypatch):
    monkeypatch.setenv(hosts.VARIABLE, "studio.lan")
    monkeypatch.setattr(hosts, "own_address", lambda: "10.9.9.9")
    assert "--server.address=0.0.0.0" in started(monkeypatch, "--classroom")
    assert hosts.named() == ("studio.lan", "10.9.9.9")


def test_the_browser_opens_once_the_server_listens(monkeypatch):
    opened = []
    monkeypatch.setattr(command.webbrowser, "open", opened.append)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        command._open(port, "/lessons")  # noqa: SLF001 - waits for a server
    assert opened == [f"http://localhost:{port}/lessons"]


def test_the_checks_find_nothing_wrong_here(capsys):
    assert doctor.main() == 0
    assert "FAIL" not in capsys.readouterr().out


def test_a_check_that_fails_says_what_to_do(monkeypatch, home, capsys):
    home.write_text("no folder", encoding="utf-8")
    monkeypatch.setattr(doctor, "_requirements", lambda: ["numpy<1", "no-such-package"])
    monkeypatch.setenv("EPSILON_STUDIO_CLUSTER", "tcp://a-secret:8786")
    monkeypatch.setattr(doctor, "_is_installed", lambda _: False)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert doctor.main(taken.getsockname()[1]) == 1
    said = capsys.readouterr().out
    assert "and <1 is needed; no-such-package is missing" in said
    assert "install epsilon-studio[cluster]" in said
    assert "in use: choose another" in said
    assert "Folder of the ledger: " in said
    assert "a-secret" not in said
