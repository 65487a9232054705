"""Numbers from resamples on Individual privacy, and in the totals of the ledger."""

from __future__ import annotations

import pytest

from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from tests.app.test_pages import CSV, by_label, charts, fill, use_example, use_upload
from tests.app.test_person_totals import epsilon, look
from tests.app.test_questions import release, set_to, shown
from tests.conftest import assert_says, few
from ui import accounts

WAYS = {
    "bootstraps": "several noisy bootstraps",
    "sample": "a secret sample with noise",
    "resized": "one small resample with noise (resized bootstrap, repaired)",
}
VIEWS = ("One person", "What-if", "Publishing losses")


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    monkeypatch.setattr("ui.work._AT_FIRST", 60.0)


def choose(open_page, way):
    app = open_page("privacy_loss")
    fill(
        app,
        radio={"What is released": "a number from resamples"},
        selectbox={"Drawn from": WAYS[way]},
    )
    if way == "bootstraps":
        by_label(app.number_input, "Bootstraps to release").set_value(5).run()
    assert not app.error
    return app


def open_area(app):
    by_label(app.toggle, "Show everybody's own privacy loss").set_value(True).run()
    assert not app.error
    return app


@pytest.mark.parametrize("way", few(2, *reversed(WAYS)))
def test_everybody_and_one_person_are_shown_behind_the_wall(open_page, way):
    use_upload(open_page, CSV)
    app = choose(open_page, way)
    # Closed in Live mode: the guarantee alone is public.
    assert not charts(app)
    (promised,) = (m.value for m in app.metric if m.label.startswith("Worst case"))
    assert promised.startswith("ε = 0.")
    app = open_area(app)
    guarantee = float(by_label(app.metric, "Guarantee (DP)").value)
    most = float(by_label(app.metric, "Largest loss here").value)
    assert 0 < float(by_label(app.metric, "Average loss here").value) <= most <= guarantee
    # Bootstraps count in ρ, of which there is an ε for a δ only.
    delta = ", δ = 10⁻⁶" if way == "bootstraps" else ""
    assert promised == f"ε = {guarantee:g}{delta}"
    assert len(charts(app)) == 1
    app.session_state["chain"] = True
    assert len(charts(app.run())) == 2
    # A limit of the losses is called one, here as above.
    limit = by_label(app.metric, "Largest loss here").delta == "at most"
    own = "own epsilon at most" if limit else "own epsilon"
    listed = [d.value for d in app.dataframe if own in d.value]
    assert listed
    assert all(table[own].is_monotonic_decreasing for table in listed)
    for view, drawn in zip(VIEWS, (2, 0, 0), strict=True):
        app.session_state["individual-view"] = view
        app.run()
        assert not app.error
        assert len(charts(app)) == drawn
        assert bool(app.info) is (drawn == 0)
        if drawn:
            assert "loss is at most" in shown(app)
    app.session_state["individual-view"] = "All releases"
    assert "Nothing has been released" in app.run().info[0].value


@pytest.mark.parametrize("page", few(2, "resized", "standard_errors", "subsampling"))
def test_a_release_counts_with_everybodys_own_loss(open_page, page):
    use_example(open_page)
    app = open_page(page)
    if page == "standard_errors":
        app.session_state["se-station"] = "Your table"
        app.run()
        by_label(app.number_input, "Bootstraps to release").set_value(5).run()
    elif page == "subsampling":
        app.session_state["ss-view"] = "Release from a sample"
        app.run()
    else:
        by_label(app.radio, "Data").set_value("my column").run()
    release(app)
    app = look(open_page)
    assert "Counted at the worst case" not in " ".join(caption.value for caption in app.caption)
    charged = epsilon(app, "Account was charged")
    most = epsilon(app, "Largest total loss")
    assert 0 < epsilon(app, "Average total loss") <= most
    assert most <= charged * 1.01
    # As many people are drawn as there are: there is no table without a person.
    what_if = by_label(app.radio, "Compared with")
    what_if.set_value(what_if.options[0]).run()
    assert "in place of the own one" in " ".join(c.value for c in app.caption)
    assert epsilon(app, "Largest total loss") == most


def test_beyond_what_fits_into_memory_the_worst_case_counts(open_page, monkeypatch):
    monkeypatch.setattr("ui.individual.ledger_totals._MOST_KEPT", 0)
    monkeypatch.setattr("ui.individual.ledger_totals._FEWEST", 1)
    use_example(open_page)
    app = open_page("release")
    release(app)
    set_to(app, "number_input", "ε for this release", 0.25)
    release(app)
    app = look(open_page)
    captions = " ".join(caption.value for caption in app.caption)
    assert_says(captions, "the 1 costliest questions", "Counted at the worst case")
    assert epsilon(app, "Average total loss") >= 0.25


def test_what_has_no_finite_price_cannot_be_released():
    budget = PrivacyBudget.of(epsilon=1.0)
    endless = PrivacyCost.of(epsilon=float("inf"))
    assert accounts.beyond(budget, endless) == "cannot be released"
    assert accounts.beyond(budget, PrivacyCost.of(epsilon=2.0)) == "more than is left"
    in_rho = PrivacyBudget.of(rho=1.0)
    assert not accounts.is_endless(in_rho, endless)
    assert accounts.is_endless(in_rho, PrivacyCost.of(rho=float("inf")))
