"""The picture of a cross table: what it says of its cells."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.data.quantities import Quantity
from dpcore.figures.answers import CrossNumbers, cross_picture
from dpcore.figures.label_grid import LabelGrid
from dpcore.figures.theme import SCALE
from tests.figures.test_figures import luminance


def found(first, off=2.0, *, total=None):
    counts = np.array([[first, 20.0, 3.0], [10.0, 5.0, -1.0]])
    return CrossNumbers(
        grid=LabelGrid(titles=("one", "one"), labels=(("<a>", "b"), ("x", "y", "z"))),
        counts=counts,
        noise=np.stack([np.maximum(counts - off, 0), np.maximum(counts + off, 0)], axis=-1),
        total=total,
    )


@pytest.mark.parametrize("sampled", [True, False])
def test_every_cell_has_its_count_and_interval_in_figure_and_table(sampled):
    total = np.tile([0.0, 50.0], (2, 3, 1)) if sampled else None
    truth = np.arange(6.0).reshape(2, 3)
    picture = cross_picture(
        found(30.0, total=total), statement="number", unit="people", truth=truth
    )
    (cells,) = picture.figure.data
    assert list(cells.y) == ["&lt;a&gt;", "b"]
    assert cells.customdata[1][0] == "10<br>without noise<br>3"
    plain = cross_picture(found(30.0, total=total), statement="number", unit="people", truth=None)
    assert plain.figure.data[0].text[1][0] == '<span style="color:black">10<br>8 to 12</span>'
    assert plain.figure.data[0].text[1][2] == '<span style="color:white">−1<br>0 to 1</span>'
    assert ("(51 with sampling)" in plain.alt) is sampled
    assert "people without noise" not in plain.table
    table = picture.table
    assert len(table) == 6
    assert ("with sampling, upper" in table) is sampled
    assert table["people without noise"].tolist() == truth.ravel().tolist()
    assert table.iloc[5]["noise, upper"] == "1"
    assert picture.title.startswith("As released, most people")


@pytest.mark.parametrize("color", SCALE)
def test_words_of_cells_are_readable_on_every_color(color):
    place, behind = color
    counts = np.array([0.0, 100 * place, 100.0])
    grid = LabelGrid(titles=("one",), labels=(("x", "y", "z"),))
    drawn = grid.drawing(
        counts, np.stack([counts, counts], axis=-1), Quantity(whole=True), truth=None
    )
    lights = sorted((luminance(behind), float("color:white" in drawn["traces"][0]["text"][0][1])))
    assert (lights[1] + 0.05) / (lights[0] + 0.05) > 4.4


def test_totals_are_sums_before_rounding_and_have_no_color():
    numbers = replace(found(30.4), totals=True)
    figure = cross_picture(numbers, statement="number", unit="people", truth=None).figure
    (cells,) = figure.data
    assert (cells.x[-1], cells.y[-1]) == ("total", "total")
    assert [row[-1] for row in cells.customdata] == ["53", "14", "67"]
    assert [*cells.customdata[-1]] == ["40", "25", "2", "67"]
    assert np.isnan(np.array(cells.z, dtype=float)[:, -1]).all()
