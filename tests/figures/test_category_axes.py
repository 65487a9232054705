"""Axes of labels: a category axis in every figure, whatever the labels look like."""

from __future__ import annotations

import ast
import string

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.data.quantities import Quantity
from dpcore.figures import synthesis, traces
from dpcore.figures.answers import (
    CrossNumbers,
    GroupNumbers,
    cross_picture,
    groups_picture,
    parts_picture,
)
from dpcore.figures.coefficients import coefficients_picture
from dpcore.figures.covariances import covariance_picture
from dpcore.figures.group_answers import GroupPanel, panels_picture
from dpcore.figures.individual import people
from dpcore.figures.label_grid import LabelGrid
from dpcore.figures.lessons import Fault, claims_picture, faults_picture, votes_picture
from dpcore.figures.neighbors import Scene, people_picture, reach_picture
from dpcore.figures.theme import ROWS, categories, frame
from dpcore.individual.losses import GroupLosses
from dpcore.inference.intervals import Intervals
from dpcore.studies.teaching.explorable import EXPLORABLE
from dpcore.studies.teaching.neighbors import worst_neighbor
from dpcore.studies.teaching.small_tables import RecordChange, TableSetting
from tests.conftest import ROOT, few

LABELS = ("1", "2", "2024-01", "1.10", "other")
COUNT = len(LABELS)
NUMBERS = np.array([100.0, 90.0, 80.0, 70.0, 300.0])
AROUND = np.stack([NUMBERS - 5, NUMBERS + 5], axis=-1)
EYE = np.eye(COUNT)


def parts(*, truth=None):
    return parts_picture(
        LABELS,
        NUMBERS,
        Intervals(level=0.95, noise=AROUND, total=AROUND),
        statement="histogram of g",
        noun="count",
        quantity=Quantity(unit="people", whole=True),
        truth=truth,
        sampled=True,
    )


def group_numbers(*silent):
    ratios, noise = NUMBERS.copy(), AROUND.copy()
    ratios[list(silent)] = noise[list(silent)] = np.nan
    return GroupNumbers(
        groups=LABELS, ratios=ratios, noise=noise, total=noise, counts=NUMBERS, counts_noise=AROUND
    )


def groups(*silent):
    return groups_picture(
        group_numbers(*silent),
        statement="mean of x by g",
        noun="mean",
        quantity=Quantity(unit="years"),
        counted="people",
        truth=None,
    )


def crossed():
    counts = np.add.outer(NUMBERS, NUMBERS)
    found = CrossNumbers(
        grid=LabelGrid(titles=("g", "h"), labels=(LABELS, LABELS[::-1])),
        counts=counts,
        noise=np.stack([counts - 5, counts + 5], axis=-1),
        total=None,
    )
    return cross_picture(found, statement="number", unit="people", truth=None)


def exposed():
    each = {"people": 9, "mean": 0.1, "median": 0.1, "ninth_decile": 0.2}
    several = [GroupLosses(label=label, maximum=0.5, **each) for label in LABELS]
    return people.groups_picture(several, by="g", key="laplace")


def cells():
    return synthesis.SyntheticCounts(
        title="g", names=LABELS, released=NUMBERS, ends=AROUND, synthetic=NUMBERS, level=0.95
    )


def scene():
    statistic = EXPLORABLE["mean"]
    setting = TableSetting(bounds=Interval(lower=0.0, upper=100.0), groups=2)
    rows = np.stack([np.linspace(0, 100, COUNT)] * 2 + [np.zeros(COUNT)], axis=-1)
    return Scene(
        rows=rows,
        names=LABELS,
        statistic=statistic,
        setting=setting,
        change=RecordChange.SUBSTITUTION,
        neighbor=worst_neighbor(statistic, rows, setting, RecordChange.SUBSTITUTION),
        selected=None,
    )


def faults():
    several = [Fault(name=name, epsilon=2.0, bias=0.1, key="bit") for name in LABELS]
    return faults_picture(several, promised=1.0)


def claims():
    levels = dict(zip(LABELS, NUMBERS.tolist(), strict=True))
    return claims_picture("Claims", levels, claimed="1", ends=(0.0, 300.0), what="count")


def means():
    column = GroupPanel(name="x", quantity=Quantity(), numbers=group_numbers(1))
    return panels_picture((column, column), statement="means", counted="people")


FIGURES = {
    "bars": parts,
    "bars with the truth": lambda: parts(truth=NUMBERS),
    "groups": groups,
    "groups, the first two without a dot": lambda: groups(0, 1),
    "cross table": crossed,
    "means of several columns": means,
    "coefficients": lambda: coefficients_picture(LABELS, NUMBERS, AROUND),
    "covariance matrix": lambda: covariance_picture(LABELS, EYE, EYE),
    "exposure of groups": exposed,
    "kept counts": lambda: synthesis.kept_picture(cells(), unit="people"),
    "original counts": lambda: synthesis.original_picture(cells(), NUMBERS, unit="people"),
    "reach of each person": lambda: reach_picture(scene(), 20.0),
    "people of a small table": lambda: people_picture(scene()),
    "predictions": lambda: votes_picture(LABELS, [1, 2, 3, 4, 5], right=0),
    "claims": claims,
    "faults": faults,
}
"""Figures with labels on an axis, the labels of a person's own table first."""
WITHOUT = {
    "crowd_picture": "a crowd of equals, drawn over its size",
    "distances_picture": "names of columns are words beside places",
    "ellipses_picture": "labels are titles of panels",
    "margin_picture": "the question is in the text alone",
    "margins_picture": "questions are words above panels",
    "odometer_picture": "titles are words beside points",
    "prices_picture": "procedures of a study",
}
"""Figures that take names and draw no label of a table on an axis, with the reason."""


def ticks(axis):
    """Return the words at the places of an axis, empty where Plotly writes numbers."""
    if axis.tickvals is None or axis.ticktext is None:
        return {}
    return dict(zip(axis.tickvals, axis.ticktext, strict=True))


def axes_of(figure):
    """Return each axis that has labels, with its positions as labels."""
    found = {}
    for trace in figure.data:
        for side in "xy":
            name = f"{side}axis{(getattr(trace, f'{side}axis') or side)[1:]}"
            positions = [at for at in trace[side] if at is not None]
            axis = figure.layout[name]
            text = ticks(axis)
            if any(isinstance(at, str) for at in positions):
                assert axis.type == "category", name
                found.setdefault(name, []).extend(positions)
            elif set(text.values()) == set(LABELS):
                # Places with words beside them: Plotly has no text to guess from.
                found.setdefault(name, []).extend(text[at] for at in positions)
    return found


@pytest.mark.parametrize("name", few(9, *FIGURES))
def test_labels_that_look_like_numbers_are_categories(name):
    figure = FIGURES[name]().figure
    found = axes_of(figure)
    assert found
    for key, positions in found.items():
        axis = figure.layout[key]
        if axis.type == "category":
            order = axis.categoryarray
            assert axis.categoryorder == "array"
            assert sorted(axis.range) == [-0.5, len(order) - 0.5]
        else:
            order = axis.ticktext
            assert min(axis.range or (-1, COUNT)) < 0
        assert set(order) == set(LABELS)
        assert list(order) in (list(LABELS), list(LABELS[::-1]))
        assert set(positions) <= set(LABELS)


def test_group_without_a_dot_has_its_words_at_its_own_place():
    figure = groups(0, 1).figure
    assert [note.x for note in figure.layout.annotations] == [0, 1]
    assert list(figure.layout.xaxis.categoryarray) == list(LABELS)


def test_a_long_answer_stands_whole_beside_its_bar():
    long = [f"an answer with a long beginning, which ends in the number {i}" for i in range(3)]
    votes = votes_picture(long, [1, 2, 3], right=0).figure
    assert list(votes.layout.yaxis.categoryarray) == list(votes.data[0].y) == long
    shown = [text.split("<br>") for text in votes.layout.yaxis.ticktext]
    assert [" ".join(lines) for lines in shown] == [f"✓ {long[0]}", *long[1:]]
    assert max(len(line) for lines in shown for line in lines) < 40


LABEL = st.text(string.digits + ".-:e ab", min_size=1, max_size=8)


@given(labels=st.lists(LABEL, min_size=1, max_size=6, unique=True), up=st.booleans())
def test_text_on_any_axis_is_a_category_in_the_order_of_the_marks(labels, up):
    counts = list(range(len(labels)))
    trace = traces.bars(labels, counts) if up else traces.rows(labels, counts, labels, "red")
    figure = go.Figure(frame(traces=[trace], yaxis={} if up else ROWS))
    axis = figure.layout.xaxis if up else figure.layout.yaxis
    assert axis.type == "category"
    assert list(axis.categoryarray) == labels
    ends = [-0.5, len(labels) - 0.5]
    assert list(axis.range) == (ends if up else ends[::-1])


def test_dates_that_are_declared_stay_dates():
    drawn = frame(traces=[traces.bars(["2024-01"], [1])], xaxis={"type": "date"})
    assert drawn["layout"]["xaxis"]["type"] == "date"


@pytest.mark.parametrize(
    ("drawn", "axis", "message"),
    [
        ([traces.bars(["a"], [1]), traces.bars([1], [1])], {}, "numbers and text"),
        ([traces.bars(["a"], [1])], categories(["b"]), "does not declare: "),
    ],
)
def test_positions_that_fit_no_axis_are_refused(drawn, axis, message):
    with pytest.raises(ValueError, match=message):
        frame(traces=drawn, xaxis=axis)


# What takes labels, by the types of its arguments.
LABELLED = (
    "Sequence[str]",
    "Mapping[str",
    "GroupPanel",
    "Comparison",
    "Growth",
    "Fault",
    "GroupLosses",
    "Numbers",
    "Price]",
    "Scene",
    "SyntheticCounts",
)


def modules():
    for path in sorted((ROOT / "dpcore/figures").rglob("*.py")):
        yield path, ast.parse(path.read_text())


def takes_labels(node):
    arguments = [*node.args.args, *node.args.kwonlyargs]
    kinds = [ast.unparse(each.annotation) for each in arguments if each.annotation]
    return any(kind in text for kind in LABELLED for text in kinds)


def test_every_figure_that_takes_labels_is_drawn_here():
    tested = (ROOT / "tests/figures/test_category_axes.py").read_text()
    public = {
        node.name
        for _, tree in modules()
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and node.name.endswith("_picture")
        and not node.name.startswith("_")
        and takes_labels(node)
    }
    assert {name for name in public if f"{name}(" not in tested} == set(WITHOUT)


def test_only_the_theme_says_what_a_category_axis_is():
    words = {"category", "categoryorder", "categoryarray", "multicategory"}
    found = {
        path.name
        for path, tree in modules()
        for node in ast.walk(tree)
        if (isinstance(node, ast.Constant) and node.value in words)
        or (isinstance(node, ast.keyword) and node.arg in words)
    }
    assert found == {"theme.py"}
