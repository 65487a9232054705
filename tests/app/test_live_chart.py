"""How figures are sent to the browser."""

from __future__ import annotations

import base64
import json

import numpy as np
import pytest

from dpcore.figures.theme import SCALE, frame
from dpcore.figures.traces import heat, line
from dpcore.lessons.paths import LESSONS
from tests.app.figures import figures
from tests.app.test_pages import by_label, use_upload
from tests.app.test_questions import set_to
from ui import live_chart

BOX = "ε for this release"
NUMBERS = np.array([[1.0, np.nan], [3.0, 4.0]])


def unpacked(node):
    """The same with the numbers of its arrays."""
    if isinstance(node, list):
        return [unpacked(each) for each in node]
    if not isinstance(node, dict):
        return node
    if "bdata" in node:
        numbers = np.frombuffer(base64.b64decode(node["bdata"]), node["dtype"])
        shape = node.get("shape", str(numbers.size)).split(",")
        gaps = np.where(np.isnan(numbers), None, numbers)
        return gaps.reshape([int(each) for each in shape]).tolist()
    return {key: unpacked(value) for key, value in node.items() if key != "template"}


def sent(spec):
    return unpacked(json.loads(live_chart.encoded(spec)))


@pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS)
def test_a_page_sends_the_figure_that_plotly_checked(lesson):
    picture = lesson.view(lesson.first).picture
    assert sent(picture.spec) == unpacked(json.loads(picture.figure.to_json()))


def test_what_is_not_finite_is_sent_in_words_of_json():
    spec = frame(traces=[line([0.0, np.nan], [np.inf, 1.0])])
    assert sent(spec)["data"][0]["x"] == [0.0, None]
    spec = frame(traces=[heat([0, 1], [0, 1], NUMBERS, SCALE, (0, 4), hover="")])
    assert str(sent(spec)["data"][0]["z"]) == "[[1.0, None], [3.0, 4.0]]"


def test_a_figure_is_read_aloud_and_carries_no_look_of_its_own(app):
    (figure,) = figures(app)
    assert figure.alt
    assert "template" not in figure.json["layout"]


def test_the_slider_begins_at_its_box_where_the_run_that_moved_it_was_cut_short(open_page):
    """That run sets the slider; the next one finds it set, and its browser has nothing."""
    use_upload(open_page)
    app = open_page("release").run()
    slider = by_label(app.select_slider, "ε (log scale)").proto
    assert slider.options[int(slider.default[0])] == f"{by_label(app.number_input, BOX).value:g}"


def film_of(app):
    """The frames of the first figure, by the values of its slider."""
    film = json.loads(app.get("bidi_component")[0].proto.bytes)[0]["film"]
    return dict(zip(film["values"], map(str, film["changes"]), strict=True))


def test_what_is_dragged_and_what_is_typed_show_one_picture(open_page, monkeypatch):
    use_upload(open_page)
    # No frame is computed before the slider is reached.
    assert [*film_of(open_page("release"))] == [0.5]
    monkeypatch.setattr("ui.release_screen._is_wanted", lambda _: True)
    app = open_page("release")
    frames = film_of(app)
    by_label(app.select_slider, "ε (log scale)").set_value(2.0).run()
    assert by_label(app.number_input, BOX).value == 2.0
    assert film_of(app) == frames
    assert app.session_state["epsilon"] == 2.0
    # What was typed is not rounded, and has a frame of its own.
    for typed in (0.123456789, 1e-9, 700.0):
        set_to(app, "number_input", BOX, typed)
        assert by_label(app.select_slider, "ε (log scale)").value == typed
        assert {*film_of(app)} == {*frames, typed}
