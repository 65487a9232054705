"""Traces are the only words in which figures speak to Plotly."""

from __future__ import annotations

import ast

import numpy as np
import plotly.graph_objects as go
import pytest

from dpcore.figures import traces
from dpcore.figures.theme import STYLES, frame
from dpcore.figures.traces import histogram, with_edge
from dpcore.individual.losses import Losses
from tests.conftest import ROOT

KINDS = {"scatter", "bar", "box", "heatmap", "contour", "line", "rect"}
STEPS = ("add_scatter", "add_bar", "add_trace", "add_shape", "add_annotation")
ELSEWHERE = {"traces.py": "here Plotly is spelled out", "theme.py": "the watermark"}
STYLE = STYLES["bit"]
ENDS = np.array([0.0, 1.0, 10.0])


def constant(node):
    return node.value if isinstance(node, ast.Constant) else None


def spelled_out(path):
    """Return the lines that draw in Plotly's own words."""
    found, text = [], path.read_text()
    if not any(word in text for word in ('"type"', "go.", *STEPS)):
        return found
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            kinds = {constant(v) for k, v in pairs if constant(k) == "type"}
            found += [node.lineno] if kinds & KINDS else []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            called, of = node.func.attr, getattr(node.func.value, "id", "")
            if (of == "go" and called != "Figure") or called.startswith(STEPS):
                found.append(node.lineno)
    return found


def test_only_traces_spell_out_plotly():
    folders = (ROOT / name for name in ("dpcore", "ui", "pages"))
    paths = [path for folder in folders for path in folder.rglob("*.py")]
    found = {path.name: spelled_out(path) for path in paths}
    assert {name for name, lines in found.items() if lines} == set(ELSEWHERE)


def test_bars_of_a_histogram_touch_and_stand_in_the_middle_of_their_axis():
    drawn = traces.histogram([3, 4], ENDS, hover="")
    assert (drawn["x"].tolist(), drawn["width"].tolist()) == ([0.5, 5.5], [1.0, 9.0])
    whole = traces.histogram([3], np.array([1.0, 100.0]), hover="", log=True)
    assert (whole["x"], whole["width"]) == (10.0, 99.0)


def test_every_trace_is_known_to_plotly():
    x, y = ENDS, ENDS**2
    drawn = [
        traces.line(x, y, "a", STYLE, fill=traces.FAINT, steps=True, marker={}),
        traces.points(x, y, marker=traces.ring("black"), error_y=traces.interval(y, x)),
        traces.area(x, y, x, STYLE.color),
        traces.lollipop(0.0, 0.3, STYLE, hover="%{y}", text="on a bound"),
        *traces.landmark(1.0, 2.0, "here", "dot"),
        traces.bars(x, y, hover=""),
        traces.rows(["a", "b"], [1, 2], ["1", "2"], STYLE.color, yaxis="y2"),
        traces.box([0], np.arange(5.0)[np.newaxis], "people", STYLE.color),
        traces.regions([0, 1], [0], np.array([[0, 1]]), ["red", "blue"]),
        traces.border([0, 1], [0, 1], np.eye(2).tolist(), 0.5, STYLE.color),
    ]
    shapes = [
        traces.vertical(1.0, "limit", STYLE, xanchor="left"),
        traces.now(0.5),
        traces.level(2.0, "promised"),
        traces.band(0.0, 1.0, traces.FAINT, STYLE),
    ]
    notes = [traces.note("a", 0, 0), traces.note("b", 0, 0, ax=10, ay=0)]
    figure = go.Figure(frame(traces=drawn, shapes=shapes, annotations=notes))
    assert [note.showarrow for note in figure.layout.annotations] == [False, True]


@pytest.mark.parametrize("worst", [0.2, 0.4999, 1.7])
@pytest.mark.parametrize("edges", [np.geomspace(0.01, 10, 61), np.linspace(0, 2.04, 41)])
def test_no_bar_of_losses_stands_beyond_the_worst_case(edges, worst):
    losses = Losses.of(np.append(worst * np.linspace(0.1, 1, 30), worst * (1 + 1e-15)))
    moved = with_edge(edges, worst)
    assert (np.diff(moved) > 0).all()
    counts = losses.histogram(moved)
    bar = histogram(counts, moved, hover="", log=edges[0] > 0)
    right = bar["x"] + bar["width"] / 2
    assert right[counts > 0].max() <= worst * (1 + 1e-6)
    assert counts.sum() == losses.people - np.count_nonzero(losses.ordered <= moved[0])
