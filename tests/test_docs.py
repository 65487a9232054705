"""The documentation: short at the door, no dead link in it, and every block of Python runs."""

from __future__ import annotations

import io
import os
import re
import sqlite3
import struct
import subprocess
import sys

import pandas as pd
import pytest

import dpcore as dp
from dpcore.data.partitions.row_groups import VARIABLE as TABLES
from dpcore.data.readers.databases.sources import VARIABLE as DATABASES
from tests.browser.pictures import FOLDER, LARGEST, PICTURES, table
from tests.conftest import ROOT
from tests.test_notebook import TABLE

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FILES = [*PAGES, *(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"))]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PICTURE = re.compile(r"!\[[^\]]+\]\(([^)\s]+)\)")
MOST_LINES = 120
MEAN = pd.read_csv(io.StringIO(TABLE))["age"].mean()
# They have tests of their own.
RUN_ELSEWHERE = {"notebook.md"}


def name(path):
    return path.relative_to(ROOT).as_posix()


def blocks(path, language="python"):
    return re.findall(rf"```{language}\n(.+?)```", path.read_text(encoding="utf-8"), re.DOTALL)


def anchors(path):
    """The places in a page that a link can lead to."""
    found = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in found}


def test_files_of_the_project_exist():
    text = "\n".join(path.read_text(encoding="utf-8") for path in PAGES)
    for file in re.findall(r"`((?:dpcore|ui|tests|epsilon_studio)/[\w/.-]*)`", text):
        assert (ROOT / file).exists() or (ROOT / f"{file}.py").exists(), file


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("path", FILES, ids=name)
def test_links_to_files_lead_somewhere(path):
    for link in LINK.findall(path.read_text(encoding="utf-8")):
        if link.startswith(("http://", "https://")):
            assert link.startswith("https://"), link
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.is_file(), link
        assert not anchor or anchor in anchors(target), link


def test_every_page_can_be_found_from_the_readme_and_from_the_first_page_of_the_site():
    for first in (ROOT / "README.md", FOLDER / "index.md"):
        found, ahead = set(), [first]
        while ahead:
            page = ahead.pop()
            if page not in found and page.suffix == ".md":
                found.add(page)
                links = LINK.findall(page.read_text(encoding="utf-8"))
                ahead += [(page.parent / link.partition("#")[0]).resolve() for link in links]
        assert set(PAGES) - found <= {ROOT / "README.md", FOLDER / "index.md"}


def test_every_picture_is_taken_by_the_script_and_shown():
    shown = {
        (page.parent / picture).resolve()
        for page in PAGES
        for picture in PICTURE.findall(page.read_text(encoding="utf-8"))
    }
    assert shown == {FOLDER / f"{picture}.png" for picture in PICTURES}
    assert shown == set(FOLDER.glob("*.png"))
    assert sum(picture.stat().st_size for picture in shown) <= LARGEST
    for picture in shown:
        with picture.open("rb") as file:
            assert struct.unpack(">8x4x4xII", file.read(24)) == (1280, 900), picture.name


def test_the_table_of_the_tutorial_is_that_of_the_pictures():
    assert table().startswith("age,salary,department\n")
    assert table().count("\n") == 1201


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_asks_no_other_server(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "margin_of_error" in (tmp_path / "reference.html").read_text(encoding="utf-8")
    for page in tmp_path.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="?https?:', text), page.name


@pytest.fixture
def names(tmp_path, monkeypatch):
    """What a reader of the documentation has before a block begins."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(TABLE, encoding="utf-8")
    people = dp.open_table("people.csv").declare("age", bounds=(0, 100), missing=50)
    rows = pd.read_csv("people.csv")
    (tmp_path / "tables" / "visits").mkdir(parents=True)
    rows.to_parquet(tmp_path / "tables" / "visits" / "1.parquet", index=False)
    with sqlite3.connect(tmp_path / "clinic.db") as clinic:
        rows.assign(ward=1, id=range(len(rows))).to_sql("visits", clinic, index=False)
    clinic.close()
    monkeypatch.setenv(TABLES, str(tmp_path / "tables"))
    monkeypatch.setenv(
        DATABASES,
        "\n".join(f"{each} = sqlite:///{tmp_path}/clinic.db" for each in ("clinic", "school")),
    )
    (age,) = (column for column in people.columns if column.name == "age")
    return {"age": age, "request": people.ask("mean", "age", epsilon=1.0)}


@pytest.mark.parametrize(
    "path", [page for page in PAGES if page.name not in RUN_ELSEWHERE and blocks(page)], ids=name
)
def test_every_block_runs(path, names):
    for block in blocks(path):
        exec(compile(block, path.name, "exec"), names)  # noqa: S102 - our own
    assert names.get("value", MEAN) == pytest.approx(MEAN, abs=1e-9)
