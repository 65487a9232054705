"""The picture of losses that were counted says what was counted."""

import numpy as np
import pytest

from dpcore.figures.individual.people import counted_picture
from dpcore.individual.losses import Cells, ExposedPerson, Losses


def losses(counts, *, worst=1.0, most=0.4):
    counts = np.asarray(counts, dtype=float)
    people = int(counts.sum())
    return Losses(
        worst_case=worst,
        ordered=np.linspace(0, worst * len(counts) / 1000, len(counts) + 1),
        cells=Cells(counts=counts, people=people, total=0.1 * people),
        most=(ExposedPerson(entry=7, epsilon=most),),
    )


@pytest.mark.parametrize("cells", [1000, 1777, 20_000])
def test_bars_hold_everybody_once_and_the_line_ends_at_all_of_them(cells):
    counts = np.arange(cells) % 7
    found = losses(counts)
    bars, line, marks = counted_picture(found, key="laplace").figure["data"]
    assert sum(bars["y"]) == counts.sum()
    assert line["y"][-1] == pytest.approx(100)
    assert len(line["y"]) <= 2000
    assert marks["x"][-1] == found.maximum


def test_title_tells_median_maximum_and_guarantee():
    counts = np.zeros(1000)
    counts[[99, 399]] = 60, 40
    picture = counted_picture(losses(counts), key="laplace", alike=False)
    assert picture.title == (
        "Half of the people lose at most 0.1, the most exposed 0.4; the "
        "guarantee is 1, about another change"
    )
    assert picture.figure["data"][2]["x"][0] == pytest.approx(0.1)
