"""Trade-offs says what holds at its very point, of the chosen mechanism, too."""

from __future__ import annotations

import base64
import json

import numpy as np
import pytest

from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.comparing import error_curves as studies
from tests.app.test_one_person import lesson, titles
from tests.app.test_pages import by_label, charts, fill
from tests.app.test_questions import set_to, shown
from tests.app.test_still_axes import ranges
from tests.conftest import few


@pytest.fixture
def page(open_page):
    lesson(open_page, "rand-hie")
    return at(open_page("accuracy"), show="typical error")


def at(page, **settings):
    """Set the controls of the comparison."""
    labels = {"along": "x-axis", "show": "Metric", "fair": "Match by"}
    for name, value in settings.items():
        set_to(page, "selectbox", labels[name], value)
    return page


def compared(page):
    (figure,) = charts(page)
    return {trace["name"] for trace in figure["data"] if "simulated" not in trace["name"]}


def traces(page):
    (figure,) = charts(page)
    return {trace["name"]: trace for trace in figure["data"] if trace.get("name")}


def numbers(coded):
    """Return the numbers of an axis, as Plotly writes them."""
    return np.frombuffer(base64.b64decode(coded["bdata"]), coded["dtype"]).tolist()


def test_every_axis_has_the_same_headline(page):
    set_to(page, "number_input", "ε for this release", 0.00137)
    page.slider[0].set_value(0.03).run()
    for metric in ("typical error", "bias", "spread"):
        said = set()
        for along in ("true value", "epsilon", "number of people"):
            (title,) = titles(at(page, along=along, show=metric))
            said.add(title.split(": ", 1)[1])
        assert len(said) == 1, said


def test_the_chosen_mechanism_is_compared(page):
    assert CATALOG["folded"].label not in compared(page)
    set_to(page, "selectbox", "Mechanism", "folded")
    assert CATALOG["folded"].label in compared(page)
    at(page, along="who wins where")
    assert len(charts(page)) == 1
    at(page, along="epsilon")
    fill(
        page, selectbox={"Mechanism": "gaussian-classic"}, number_input={"ε for this release": 5.0}
    )
    assert CATALOG["gaussian-classic"].label not in compared(page)
    assert "has no place at the same actual ε" in shown(page)
    at(page, fair="same nominal ε")
    assert CATALOG["gaussian-classic"].label in compared(page)


def test_epsilon_moves_a_point_and_draws_no_dot_anew(page, monkeypatch):
    real, drawn = studies.simulated, []

    def counted(keys, *rest, **more):
        drawn.append(keys)
        return real(keys, *rest, **more)

    monkeypatch.setattr(studies, "simulated", counted)
    set_to(page, "number_input", "ε for this release", 0.5)
    before = traces(page)
    drawn.clear()
    for epsilon in (0.7, 3.0):
        set_to(page, "number_input", "ε for this release", epsilon)
        after = traces(page)
        assert drawn == []
        for name, trace in after.items():
            if "simulated" in name:
                assert trace["y"] == before[name]["y"]
            elif trace["mode"] == "lines":
                assert epsilon in numbers(trace["x"])
    # Of anything else the dots are others.
    at(page, show="bias")
    assert len(drawn) == 1
    set_to(page, "selectbox", "Mechanism", "folded")
    assert len(drawn) == 2
    page.slider[0].set_value(0.4).run()
    assert len(drawn) == 3
    # Beyond the usual range the axis grows, and the dots with it.
    set_to(page, "number_input", "ε for this release", 20.0)
    assert len(drawn) == 4


@pytest.mark.parametrize("along", few(1, "true value", "number of people", "epsilon"))
def test_axes_hold_still_while_epsilon_moves(page, along):
    at(page, along=along)
    seen = []
    for epsilon in (0.1, 1.0, 10.0):
        set_to(page, "number_input", "ε for this release", epsilon)
        (figure,) = charts(page)
        known = ranges(figure)
        lines = [t["y"] for t in figure["data"] if t["mode"] == "lines"]
        seen.append((json.dumps(known), json.dumps(lines)))
    assert len({known for known, _ in seen}) == 1
    if along != "epsilon":
        low, high = json.loads(seen[0][0])["yaxis"]
        assert high - low > 2, "two decades of epsilon are on it"
        assert len({lines for _, lines in seen}) == 3
    else:
        assert by_label(page.selectbox, "x-axis").value == "epsilon"
