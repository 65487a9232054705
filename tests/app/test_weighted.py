"""Weighted means and shares: asked, released, followed over the pages."""

from __future__ import annotations

from tests.app.asking import COLUMNS, PEOPLE, choose, go, use_survey
from tests.app.test_pages import by_label, charts, fill
from tests.app.test_questions import release, shown


def test_a_weighted_mean_is_asked_released_and_followed(open_page, follow):
    use_survey(open_page)
    app = choose(open_page("release"), "Statistic", "weighted mean")
    assert by_label(app.selectbox, "Weighted by").value == 1
    assert by_label(app.number_input, "Assumed number of people").value == PEOPLE
    assert by_label(app.number_input, "Assumed SD, share of the range").value == 0.25
    fill(
        app,
        number_input={
            "ε for this release": 20.0,
            "Assumed number of people": 40,
            "Assumed mean weight": 80.0,
        },
    )
    fill(app, number_input={"Assumed design effect": 1.2})
    assert by_label(app.metric, "Margin, 40 rows").value.startswith("± ")
    text = shown(app)
    assert "At a design effect of 1.2 and a mean weight of 80, noise adds" in text
    assert "Largest own privacy loss of a person, by weight: 150: ε = 20" in text
    accuracy = shown(go(app, "accuracy"))
    assert "of a group of 40 with mean weight 80." in accuracy
    seen = follow(go(app, "release"))
    assert seen.title == "mean of age, weighted by weight"
    assert {"age in use", "weight in use"} <= set(seen.exposed)
    told = shown(go(app, "release"))
    assert "intervals for the population use public bounds alone" in told
    assert "At a design effect of 1.2 and a mean weight of 80, noise adds" in told


def test_a_weighted_share_by_group_has_sums_and_totals(open_page):
    use_survey(open_page)
    app = choose(open_page("release"), "Column", COLUMNS.index("smoker"))
    app = choose(app, "Statistic", "weighted share")
    fill(
        app,
        selectbox={"Who counts": "yes", "By group": 0},
        number_input={"ε for this release": 20.0},
    )
    assert by_label(app.number_input, "Assumed SD, share of the range").value == 0.5
    app = release(app)
    table = next(d.value for d in app.dataframe if "number" in d.value)
    assert {"sum of weights in south", "weighted total in west"} <= set(table["number"])
    assert "weighted share in north" in set(table["number"])
    assert "Compare two groups" in shown(app)
    sizes = next(box for box in app.text_input if box.label.startswith("Public population sizes"))
    count = len(sizes.label.split(","))
    app = sizes.set_value(", ".join(["300"] * count)).run()
    assert "Stratified weighted share:" in shown(app)
    sizes.set_value("300, -1").run()
    assert "Name" in app.info[-1].value
    app = go(app, "privacy_loss")
    for toggle in app.toggle:
        toggle.set_value(True).run()
    app.session_state["closer-weights"] = True
    told = shown(app.run())
    assert f"5 of {PEOPLE} people have no value that counts in this release" in told
    assert any("37.5 to 75 (" in str(chart) for chart in charts(app))
