"""The page of standard errors: claims beside measures, stations, and releases."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from tests.app.figures import figures
from tests.app.test_pages import (
    again_button,
    button,
    by_label,
    charts,
    leave_out,
    press_release,
    release_button,
    release_buttons,
    use_example,
    use_upload,
)
from tests.conftest import assert_says

AVERAGES = ("Averages of Laplace", "How normal", "Sharing a budget", "Combining results")
STATIONS = {
    "Coverage": ["said to hold 95%"],
    "Standard errors": ["standard error is 0", "of 300 intervals", "The alternative"],
    "One table": ["The average is"],
    "One shot or many": ["31% more variance"],
    "Copies": ["37% of the 500 people"],
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


@pytest.mark.parametrize(("label", "value"), [("People in a table", 2), ("Claimed ρ", 1e-4)])
def test_proof_never_prints_two_equal_numbers(page, label, value):
    by_label(page.number_input, label).set_value(value).run()
    why = next(m.value for m in page.markdown if "divergence of order 2" in m.value)
    told = re.search(r"tables is \*\*(.+?)\*\* .* 2ρ/k = (.+?)\.(?: |$)", why).groups()
    real, claim = map(number, told)
    assert real > claim


def number(text):
    """Return a number as it is printed, such as 3.2 × 10⁻⁶."""
    digits = text.replace(" × 10", "E")
    return Decimal(digits.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))


def test_interval_that_says_nothing_is_called_useless(page):
    by_label(page.number_input, "People in a table").set_value(2).run()
    assert "wider than all that is possible (100 years): useless" in words(page)


def test_noise_for_a_release_is_not_sought_beside_the_table_in_use(open_page, monkeypatch):
    use_upload(open_page, CSV)
    sought = []
    monkeypatch.setattr(
        # The page's own example seeks noise as well, by another way than this.
        "ui.resampling.standard_errors_settings.noise_is_known",
        lambda *_, **__: sought.append(1),
    )
    app = open_page("standard_errors")
    sought.clear()
    at_station(app, "Coverage")
    assert not sought
    assert not release_buttons(app)


def test_every_station_is_drawn(page):
    by_label(page.number_input, "Simulated tables").set_value(300).run()
    for name, expected in STATIONS.items():
        at_station(page, name)
        for text in expected:
            assert text in words(page), name


def test_settings_move_the_answer(page):
    by_label(page.number_input, "Bootstraps").set_value(10).run()
    assert_says(words(page), "ε ≥ 6.55", "At most ε = 6.617 for means")
    by_label(page.selectbox, "Population").set_value("normal").run()
    assert "82.1%" in words(page)


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
    assert "enough for 50 bootstraps at ε = 4.887" in looked_for.proto.text
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
    assert any("values below 0 counted as 0" in figure.alt for figure in figures(app))
    assert by_label(app.metric, "Standard error, cautious").value
    assert "every interval" not in words(app)
    released = open_page("budget").dataframe[0].value
    assert released["privacy cost"].iloc[0].startswith("ε = 0.5")
    assert "Bootstrap, corrected" in released["mechanism"].iloc[0]


def test_bootstraps_of_few_people_come_without_an_interval(open_page):
    use_upload(open_page, "".join(CSV.splitlines(keepends=True)[:21]))
    app = at_own(open_page)
    by_label(app.number_input, "Bootstraps to release").set_value(5).run()
    before = len(charts(app))
    press_release(app)
    assert by_label(app.metric, "Answer").value
    assert "Standard error, cautious" not in [metric.label for metric in app.metric]
    assert len(charts(app)) == before
    assert any("fewer than 30 people" in c.value for c in app.caption)


def test_published_noise_is_priced_at_what_it_gives_and_refused(open_page):
    use_upload(open_page, CSV)
    app = at_own(open_page)
    by_label(app.selectbox, "Their noise").set_value("published").run()
    assert release_button(app).disabled
    assert "Claimed: ε = 0.5. Really given: up to" in words(app)
    assert any("finite" in w.value for w in app.warning)


def test_one_shot_is_released_in_the_same_block(open_page):
    use_upload(open_page, CSV)
    app = at_own(open_page)
    by_label(app.selectbox, "Answer with").set_value("one shot").run()
    # 100 / 200 * sqrt(2) / 0.5, before anything is drawn.
    assert "would have 1.41" in words(app)
    press_release(app)
    assert not again_button(app).disabled


def test_share_of_a_label_is_bootstrapped_too(open_page):
    use_example(open_page)
    app = at_own(open_page)
    for place in range(len(by_label(app.selectbox, "Column").options)):
        by_label(app.selectbox, "Column").set_value(place).run()
        if by_label(app.selectbox, "Statistic").options == ["proportion", "count"]:
            break
    by_label(app.selectbox, "Statistic").set_value("count").run()
    assert ", 50 bootstraps" in words(app)
    press_release(app)
    assert by_label(app.metric, "Answer").value


def test_column_with_people_left_out_is_refused_with_the_reason(open_page):
    leave_out(use_upload(open_page, CSV), column=1)
    app = at_own(open_page)
    by_label(app.selectbox, "Column").set_value(1).run()
    assert "needs a public number of people" in words(app)


def test_own_column_stays_behind_the_wall(open_page):
    use_upload(open_page, CSV)
    app = at_own(open_page)
    closed = len(charts(app))
    by_label(app.toggle, "Show how it does on your column").set_value(True).run()
    assert len(charts(app)) == closed + 1
    by_label(app.toggle, "Simulate tables from this column").set_value(True).run()
    assert len(charts(app)) == closed + 2
    assert "44.5" not in repr(app.session_state)  # the mean of the column


def test_wrong_weights_are_explained_in_place(open_page):
    app = at_station(open_page("standard_errors"), "Combining results")
    for text, message in (
        ("0.1, x", "commas"),
        ("0, 1", "from 10⁻⁶"),
        ("1e308", "to 1,000,000"),
        ("", "commas"),
    ):
        by_label(app.text_input, "ε of each answer").set_value(text).run()
        assert message in words(app)
