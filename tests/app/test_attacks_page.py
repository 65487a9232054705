"""Attacks in process: each of them, on the village and on a table of one's own."""

from __future__ import annotations

import re

import pytest

from tests.app.test_pages import button, by_label, charts, use_upload
from tests.app.test_questions import shown

CSV = "pay,sick\n" + "".join(
    f"{20_017 + 131 * i % 50_000},{'yes' if i * i % 7 in {1, 2} else 'no'}\n" for i in range(400)
)
AREA = "Show attacks on the table in use"
OWN = "the table in use"


def visit(app, name):
    app.session_state["attack"] = app.query_params["attack"] = name
    app.run()
    return app


def verdict(app):
    return app.warning[0].value, app.success[0].value


def told(app):
    """Return all that the page says, in words and in numbers."""
    metrics = [f"{m.label} {m.value}" for m in app.metric]
    boxes = [box.value for box in (*app.warning, *app.success)]
    return "\n".join([shown(app), *metrics, *boxes, str(charts(app))])


@pytest.fixture(autouse=True)
def solved_at_once(monkeypatch):
    monkeypatch.setattr("ui.work._AT_FIRST", 60.0)


@pytest.fixture
def village(open_page):
    return open_page("attacks")


def test_each_attack_says_what_it_found_and_what_stops_it(village):
    for name, many in (
        ("Differencing", 1),
        ("Averaging", 1),
        ("Reconstruction", 2),
        ("Membership", 1),
        ("Disclosed losses", 1),
        ("Floating point", 1),
        ("Timing", 2),
    ):
        app = visit(village, name)
        careless, private = verdict(app)
        assert careless.startswith("**Careless release.**")
        assert private.startswith("**The studio's release.**")
        assert "What stops it" in told(app)
        assert len(charts(app)) == many
        assert not app.get("download_button")


def test_who_is_told_the_own_loss_finds_the_exact_mean(village):
    careless, _ = verdict(visit(village, "Disclosed losses"))
    assert "off by 0, where" in careless or "e-" in careless
    (told,) = (f.value for f in village.dataframe if "the others are" in f.value)
    own, worst = (told[name] for name in told.columns[1:])
    assert own[0] != own[1]
    assert worst[0] == worst[1] >= own.max()


def test_the_game_keeps_its_score_until_it_is_another_game(village):
    app = visit(village, "Membership")
    for _ in range(2):
        button(app, "Alice is in").click().run()
    button(app, "Not in").click().run()
    assert re.search(r"\*\*[0-3] of 3\*\*", told(app))
    assert len(charts(app)) == 2
    by_label(app.number_input, "Seed").set_value(2).run()
    assert len(charts(app)) == 1


def test_own_table_is_attacked_by_the_curator_alone_and_values_stay_masked(open_page):
    use_upload(open_page, CSV, lower=0.0, upper=100_000.0)
    app = open_page("attacks")
    by_label(app.radio, "Table under attack").set_value(OWN).run()
    assert not charts(app)
    by_label(app.toggle, AREA).set_value(True).run()
    assert charts(app)
    assert "to the last digit" in told(app)
    pays = {f"{int(line.split(',')[0]):,}" for line in CSV.splitlines()[1:]}
    for name in ("Differencing", "Membership"):
        said = told(visit(app, name))
        assert not {pay for pay in pays if pay in said}
        assert "person 1" in said
    said = told(visit(app, "Disclosed losses"))
    assert "switch on “Show values”" in said
    assert not charts(app)
    careless, private = verdict(visit(app, "Reconstruction"))

    (found,) = re.findall(r"reveal ([\d.]+)% of the column", careless)
    (share,) = re.findall(r"is right about ([\d.]+)%", private)
    (limit,) = re.findall(r"expect more than ([\d.]+)%", private)
    assert float(found) >= 95
    assert float(share) <= float(limit)
    assert not app.get("download_button")
    assert not [name for name in app.query_params if name.startswith("own-")]
    by_label(app.toggle, "Show values").set_value(True).run()
    assert re.search(r"person 1 adds|person 1 has", told(visit(app, "Differencing")))
