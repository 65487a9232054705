"""Axes hold still while epsilon moves, so that pictures can be compared."""

from __future__ import annotations

import pytest

from tests.app.test_one_person import WORLDS, lesson, look, titles
from tests.app.test_pages import charts
from tests.app.test_questions import release, set_to
from tests.conftest import few


def ranges(figure):
    layout = figure["layout"]
    return {
        name: layout[name].get("range") for name in layout if name.startswith(("xaxis", "yaxis"))
    }


@pytest.mark.parametrize("statistic", few(1, "mean", "median"))
def test_repeated_draws_are_compared_on_one_scale(open_page, statistic):
    lesson(open_page, "rand-hie")
    app = open_page("release")
    set_to(app, "selectbox", "Statistic", statistic)
    seen = []
    for epsilon in (1.0, 0.1):
        set_to(app, "number_input", "ε for this release", epsilon)
        release(app)
        (figure,) = [c for c in charts(app) if "simulated" in str(c["layout"]["yaxis"])]
        assert any("Released again and again" in title for title in titles(app))
        seen.append((ranges(figure), figure["data"][0]["y"]))
    assert seen[0][0] == seen[1][0]
    assert all(range_ is not None for range_ in seen[0][0].values())
    assert seen[0][1] != seen[1][1]


def scales(app, labels):
    """Return axes and lines of the first picture, for each of several epsilons."""
    kind, label, epsilons = labels
    axes, lines = [], []
    for epsilon in epsilons:
        set_to(app, kind, label, epsilon)
        figure = charts(app)[0]
        axes.append(ranges(figure))
        lines.append([trace["y"] for trace in figure["data"]])
    return axes, lines


def held_still(app, labels):
    axes, lines = scales(app, labels)
    assert all(known == axes[0] for known in axes)
    assert all(end is not None for known in axes for end in known.values())
    assert all(line != lines[0] for line in lines[1:])


@pytest.mark.parametrize("mechanism", few(1, "truncated-published", "bit", "gaussian"))
def test_the_worlds_of_the_lab_hold_still(open_page, mechanism):
    lab = open_page("lab")
    set_to(lab, "selectbox", "Mechanism", mechanism)
    held_still(lab, ("slider", "Claimed ε", (1.0, 0.1, 5.0)))


def test_the_laws_of_one_person_hold_still(open_page):
    lesson(open_page, "rand-hie")
    app = look(open_page("privacy_loss"), WORLDS)
    held_still(app, ("number_input", "ε for this release", (1.0, 0.1, 5.0)))
    assert "lie beyond the picture" not in titles(app)[0]
    set_to(app, "number_input", "ε for this release", 0.01)
    assert "lie beyond the picture" in titles(app)[0]


def opened(open_page, page, **chosen):
    app = open_page(page)
    for key, choice in chosen.items():
        app.session_state[key.replace("_", "-")] = choice
    app.run()
    return app


@pytest.mark.parametrize("measure", few(1, "Coverage", "Typical error", "Bias"))
def test_every_epsilon_of_study_2_is_seen_on_one_scale(open_page, measure):
    app = opened(open_page, "study2", study2_measure=measure)
    held_still(app, ("selectbox", "ε of the figure", (0.1, 0.5, 1.0)))


@pytest.mark.parametrize(
    ("view", "control"),
    few(
        1,
        ("Claim and truth", ("number_input", "ε on the sample", (1.0, 0.1, 5.0))),
        ("Profiles", ("slider", "Sensitivity / noise", (1.0, 0.1, 4.0))),
        ("Does it pay?", ("number_input", "Final ε", (0.5, 0.01, 50.0))),
    ),
)
def test_secret_samples_are_seen_on_one_scale(open_page, view, control):
    held_still(opened(open_page, "subsampling", ss_view=view), control)


@pytest.mark.parametrize(
    ("station", "control"),
    few(
        1,
        ("Which ε holds", ("number_input", "ε of the repair", (0.1, 0.2, 0.5))),
        ("Errors", ("number_input", "Z", (12.0, 15.0, 20.0))),
    ),
)
def test_the_resized_bootstrap_is_seen_within_powers_of_ten(open_page, station, control):
    held_still(opened(open_page, "resized", resized_station=station), control)
