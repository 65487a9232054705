"""The picture of several quantiles: what can be told of them."""

import numpy as np
import pytest

from dpcore.data.quantities import Quantity
from dpcore.figures.answers import Quantiles, chain_picture, chain_text


def found(noise, *, total=None):
    return Quantiles(
        shares=(0.1, 0.25, 0.5, 0.9),
        values=np.array([12.0, 20.0, 30.0, 70.0]),
        noise=np.array(noise, dtype=float),
        total=total,
        bounds=(0.0, 100.0),
    )


SURE = [(10, 14), (18, 22), (29, 31), (60, 80)]


def test_the_middle_is_told_with_its_interval():
    assert chain_text(found(SURE), quantity=Quantity(unit="days"), counted="people") == (
        "50% of the people have at most 30.0 days (95% CI 29.0 to 31.0, noise only)"
    )


@pytest.mark.parametrize("sampled", [True, False])
def test_every_quantile_has_its_dot_bars_and_row(sampled):
    picture = chain_picture(
        found(SURE, total=np.array(SURE) + np.array([-5.0, 5.0]) if sampled else None),
        statement="quantiles of stay",
        quantity=Quantity(unit="days"),
        counted="people",
        truth=np.array([11.0, 19.0, 30.0, 71.0]),
    )
    names = [trace.name for trace in picture.figure.data]
    assert ("noise and sampling" in names) is sampled
    assert names[-2:] == ["released quantile", "quantile without noise"]
    assert picture.table["percent below"].tolist() == [10, 25, 50, 90]
    assert picture.title.startswith("As released: 50% of the people")
    assert "quantiles of stay" in picture.alt
