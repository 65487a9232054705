"""A mean with its standard deviation on the Release page, and a model that is stated."""

from __future__ import annotations

from html import unescape

import numpy as np

from tests.app.asking import choose, go, use_survey
from tests.app.test_pages import by_label, charts, fill
from tests.app.test_questions import release, shown
from ui.answering import spread

MODEL = "Interval that includes clamping bias, if values are"


def test_a_mean_comes_with_its_spread_and_an_interval_under_a_model(open_page, files, monkeypatch):
    use_survey(open_page)
    app = choose(open_page("release"), "Statistic", "mean and standard deviation")
    assert by_label(app.selectbox, "Mechanism").options[0] == "Laplace"
    assert (
        "costs what the mean costs"
        in by_label(app.metric, "Margin of error of the mean (95%, noise only)").help
    )
    # This margin has noise, too, which another mechanism or ε does change.
    both = next(one for one in app.metric if one.label.startswith("Noise and sampling"))
    assert "No mechanism can remove it" not in both.help
    fill(app, number_input={"ε for this release": 5.0})
    release(app)
    assert by_label(app.metric, "Private mean of age").value
    assert by_label(app.metric, "Private standard deviation of age").value
    (figure,) = charts(app)
    names = [trace["name"] for trace in figure["data"]]
    assert names == ["noise and sampling", "noise only", "released value"]
    choose(app, MODEL, "exponential")
    assert "No exponential distribution" in shown(app)
    choose(app, MODEL, "normal")
    (figure,) = charts(app)
    (stated,) = [one for one in figure["data"] if one["name"] == "if normal, unclamped"]
    low, high = stated["x"]
    assert 0 < low < high < np.inf
    claim = "from that model. If they are not, nothing is claimed."
    assert claim in shown(app)
    assert "It is asymptotic, without a guarantee: it held in" in shown(app)
    negative = "so a normal distribution has many values below 0."
    assert negative not in shown(app)
    assert "Under a stated model" not in _report(app, files)
    monkeypatch.setattr(spread, "has_negative_values", lambda *_: True)
    go(app, "release")
    by_label(app.checkbox, "State it in the documents").check().run()
    assert negative in shown(app)
    # Neither a look nor a visit elsewhere changes what is stated; its warning goes with it.
    for _ in range(2):
        report = _report(app, files)
        assert "Under a stated model" in report
        assert f"{claim} The released mean is less than 2 standard deviations above 0, " in report
        go(app, "release")
    choose(app, MODEL, "no model")
    assert "Under a stated model" not in _report(app, files)


def _report(app, files):
    go(app, "documents")
    by_label(app.selectbox, "Document").set_value("Full report").run()
    return unescape(files["Download: Full report"]())


def test_each_group_has_both_and_its_interval_follows(open_page, follow, files):
    use_survey(open_page)
    app = choose(open_page("release"), "Statistic", "mean and standard deviation")
    fill(
        app,
        selectbox={"By group": 0},
        number_input={"ε for this release": 20.0, "Assumed group size": 40},
    )
    assert "Margin of the mean, by people in a group" in shown(app)
    assert "Margin of the standard deviation, by people in a group" in shown(app)
    seen = follow(app)
    assert seen.title == "mean and standard deviation of age by region"
    assert len(seen.answer) == 8
    assert "RMSE of the mean of one group" in seen.tradeoffs
    go(app, "release")
    figure = charts(app)[0]
    titles = {note["text"] for note in figure["layout"]["annotations"]}
    assert {"<b>mean</b>", "<b>standard deviation</b>"} <= titles
    choose(app, "Number to compare", "standard deviation")
    assert not any("population sizes" in box.label for box in app.text_input)
    choose(app, "Number to compare", "mean")
    sizes = next(box for box in app.text_input if box.label.startswith("Public population sizes"))
    told = shown(sizes.set_value(", ".join(["100"] * len(sizes.label.split(",")))).run())
    assert "Stratified mean" in told
    go(app, "documents")
    by_label(app.selectbox, "Document").set_value("Full report").run()
    report = unescape(files["Download: Full report"]())
    assert "standard deviation of north" in report
