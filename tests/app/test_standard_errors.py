"""The page of standard errors: claims beside measures, stations, and releases."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.app.figures import figures
from tests.app.test_pages import button, by_label, charts, press_release, release_button, use_upload
from tests.conftest import assert_says

AVERAGES = ("Averages of Laplace", "How normal", "Sharing a budget", "Combining results")
STATIONS = {
    "Coverage": ["Nominal 95% intervals"],
    "Standard errors": ["standard error is 0", "of 300 intervals", "The alternative"],
    "One table": ["The average is"],
    "One shot or many": ["31% more variance"],
    "Copies": ["37% of the 500 rows"],
    "Averages of Laplace": ["One Laplace draw has variance 2", "fewer than 8.92"],
    "How normal": ["From 9 draws on"],
    "Sharing a budget": ["1.115 instead of 1"],
    "Combining results": ["it is 181"],
}
CSV = "age,smoker\n" + "".join(
    f"{20 + i % 50},{'yes' if i % 3 == 0 else 'no'}\n" for i in range(200)
)


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    monkeypatch.setattr("ui.work._AT_FIRST", 60.0)


def words(app):
    blocks = [*app.markdown, *app.metric, *app.warning, *app.info]
    cells = [" ".join(map(str, d.value.to_numpy().ravel())) for d in app.dataframe]
    texts = [f"{getattr(b, 'label', '')} {b.value}" for b in blocks]
    return " ".join([*texts, *cells]).replace("\\", "")


def at_station(app, name):
    app.session_state["se-station"] = "Averages" if name in AVERAGES else name
    if name in AVERAGES:
        app.session_state["se-average"] = name
    return app.run()


def at_own(open_page):
    """Open the page with the part about the table in use."""
    app = open_page("standard_errors")
    app.session_state["se-station"] = "Your table"
    return app.run()


@pytest.fixture
def page(open_page):
    return at_station(open_page("standard_errors"), "Claim")


def test_claim_measure_and_repair_stand_side_by_side(page):
    shown = words(page)
    for number in ("ε = 4.887", "ε ≥ 5.168", "80.4%", "98%", "31%", "1.668 ×", "0.02061"):
        assert number in shown
    assert_says(
        shown,
        "At most ε = 5.278 for means, 6.74",
        "δ is at least 3.266 × 10⁻⁶ instead of 10⁻⁶",
        "95% intervals cover **80.4%**",
    )


def number(text):
    """Return a number as it is printed, such as 3.2 × 10⁻⁶."""
    digits = text.replace(" × 10", "E")
    return Decimal(digits.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))


def test_every_station_is_drawn(page):
    by_label(page.number_input, "Simulated tables").set_value(300).run()
    for name, expected in STATIONS.items():
        at_station(page, name)
        for text in expected:
            assert text in words(page), name


def test_long_work_shows_progress_stops_and_goes_on(open_page, monkeypatch):
    monkeypatch.setattr("ui.work._AT_FIRST", -1.0)
    monkeypatch.setattr("ui.work._PATIENCE", -1.0)
    app = at_station(open_page("standard_errors"), "Claim")
    # What is claimed, and what intervals do, does not wait for what is added up.
    assert "80.4%" in words(app)
    assert "ε ≥" not in words(app)
    for _ in range(5):  # each run of the page takes it a piece or two further
        if "ε ≥" not in words(app):
            app.run()
    assert "ε ≥" in words(app)
    assert "1.668 ×" not in words(app)
    (looked_for,) = app.get("progress")
    assert "50 bootstraps for ε = 4.887" in looked_for.proto.text
    button(app, "Stop").click().run()
    assert "stopped before" in words(app)
    monkeypatch.setattr("ui.work._PATIENCE", 60.0)
    button(app, "Go on").click().run()
    app.run()
    assert "1.668 ×" in words(app)


def test_corrected_bootstrap_of_an_upload_is_released_into_the_ledger(open_page):
    use_upload(open_page, CSV)
    app = at_own(open_page)
    by_label(app.number_input, "Bootstraps to release").set_value(5).run()
    if by_label(app.selectbox, "Answer with").value != "several noisy bootstraps":
        pytest.fail("bootstraps come first")
    assert not release_button(app).disabled
    before = len(charts(app))
    press_release(app)
    assert len(charts(app)) == before + 1
    assert any("values clamped between 0 and" in figure.alt for figure in figures(app))
    assert by_label(app.metric, "Standard error (conservative)").value
    assert "every interval" not in words(app)
    released = open_page("budget").dataframe[0].value
    assert released["privacy cost"].iloc[0].startswith("ε = 0.5")
    assert "Bootstrap, corrected" in released["mechanism"].iloc[0]


def test_published_noise_is_priced_at_what_it_gives_and_refused(open_page):
    use_upload(open_page, CSV)
    app = at_own(open_page)
    by_label(app.selectbox, "Noise").set_value("published").run()
    assert release_button(app).disabled
    assert "Claimed: ε = 0.5. Actual: at most" in words(app)
    assert any("finite" in w.value for w in app.warning)


def test_own_column_stays_behind_the_wall(open_page):
    use_upload(open_page, CSV)
    app = at_own(open_page)
    closed = len(charts(app))
    by_label(app.toggle, "Show the coverage for your column").set_value(True).run()
    assert len(charts(app)) == closed + 1
    by_label(app.toggle, "Simulate tables from this column").set_value(True).run()
    assert len(charts(app)) == closed + 2
    assert "44.5" not in repr(app.session_state)  # the mean of the column
