"""Built, installed without the checkout, and started by its command."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import urllib.request
import venv
from pathlib import Path

import pytest

from dpcore.version import VERSION
from tests.browser.server import ROOT, Server
from tests.browser.tab import Tab
from tests.browser.test_classes import in_a_thread
from tests.browser.test_ledger_browser import Book
from tests.browser.visitor import table
from tests.test_notebook import TABLE

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def run(*command, cwd):
    """Run a command away from the checkout; return what it prints."""
    kept = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, env=kept, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder with the wheel and the source distribution."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    return folder


# The wheel is built of the source distribution.
@pytest.fixture(
    scope="module", params=["*.whl", pytest.param("*.tar.gz", marks=pytest.mark.exhaustive)]
)
def installed(built, tmp_path_factory, request):
    """A new environment with the program in it; packages are those of this one."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    binaries = folder / ("Scripts" if os.name == "nt" else "bin")
    python = binaries / "python"
    (packages,) = (folder / "lib").glob("python*/site-packages")
    shared = sysconfig.get_path("purelib")
    (packages / "shared.pth").write_text(shared, encoding="utf-8")
    (archive,) = built.glob(request.param)
    options = ["--no-deps", "--no-index", "--no-build-isolation", "--ignore-installed"]
    run(sys.executable, "-m", "pip", "--python", python, "install", *options, archive, cwd=folder)
    return binaries


class Installed(Server):
    """The installed app."""

    def __init__(self, folder: Path, binaries: Path, *options: str) -> None:
        self.folder = folder
        self._binaries = binaries
        super().__init__(folder, options=options)

    def command(self):
        command = [str(self._binaries / "epsilon-studio"), f"--port={self.port}", "--no-browser"]
        return [*command, *self._options]


def test_the_installed_app_does_the_main_job(installed, tmp_path):
    # A configuration that somebody has there for another app does not count.
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text("[client]\ntoolbarMode='developer'\n")
    text = table(range(100))
    with Installed(tmp_path, installed, f"--home={tmp_path / 'home'}") as server:
        in_a_thread(used(server.url, text))
        (record,) = Book(server, text).releases
        assert record.title == "mean of age"
        for path in ("", "/favicon.png", "/manifest.json", "/class"):
            with urllib.request.urlopen(server.url + path) as response:
                assert "default-src 'self'" in response.headers["content-security-policy"]
        said = server.log.read_text(encoding="utf-8")
    assert str(ROOT) not in said
    assert "asgi.py" not in said


async def used(url, text):
    async with Tab(url) as tab:
        await tab.use(text.encode())
        await tab.release()


async def released(url):
    """Release of the survey, without a browser; return the buttons before and after."""
    async with Tab(url, "release", "example=rand-hie") as tab:
        before = tab.buttons
        await tab.press(next(name for name in before if name.startswith("Release")))
        return before, tab.buttons


def test_a_demonstration_opens_a_survey_and_leaves_nothing(installed, tmp_path):
    with Installed(tmp_path, installed, "--demo") as server:
        before, after = in_a_thread(released(server.url))
    assert "Released ✓" in after - before
    assert not (tmp_path / "home").exists()


def test_the_command_says_its_version_and_checks_its_environment(installed, tmp_path):
    command = installed / "epsilon-studio"
    assert run(command, "--version", cwd=tmp_path).strip() == f"Epsilon Studio {VERSION}"
    said = run(command, "doctor", "--home", tmp_path / "home", cwd=tmp_path)
    assert "FAIL" not in said
    assert "Files of the app: complete" in said


def test_the_notebook_runs_without_the_checkout(installed, tmp_path):
    text = (ROOT / "docs" / "notebook.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.+?)```", text, re.DOTALL)
    for name in ("people.csv", "visits.csv"):
        (tmp_path / name).write_text(TABLE, encoding="utf-8")
    where = "import json, dpcore\nprint(json.dumps(dpcore.__file__))\n"
    (tmp_path / "notebook.py").write_text(where + "\n".join(blocks), encoding="utf-8")
    said = run(installed / "python", "notebook.py", cwd=tmp_path).splitlines()
    assert ROOT not in Path(json.loads(said[0])).parents
    assert "spent: ε = 0.5" in "\n".join(said)
