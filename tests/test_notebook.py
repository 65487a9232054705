"""What the document on notebooks says can be done is done, block by block."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT

TABLE = "who,age\n" + "".join(f"p{i % 70},{18 + i * i % 70}\n" for i in range(200))


def test_the_blocks_run_from_top_to_bottom(tmp_path, monkeypatch):
    text = (ROOT / "docs" / "notebook.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.+?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(f"{TABLE}p1,-9\n", encoding="utf-8")
    names = {}
    for block in blocks:
        exec(compile(block, "notebook.md", "exec"), names)  # noqa: S102 - our own
    answer, losses = names["answer"], names["losses"]
    assert 0 <= answer.values[0] <= 100
    assert names["ledger"].account(names["name"]).spent.epsilon == pytest.approx(0.5)
    assert losses.maximum <= losses.worst_case == pytest.approx(0.5)
    assert names["people"].people == 70
    (mean, _) = names["people"].columns
    assert mean.name == "mean of age without -9 per who"
