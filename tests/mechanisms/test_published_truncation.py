"""What truncation as published gives away: inflation, delta, and its Renyi curve."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from dpcore.data.bounds import Interval
from dpcore.mechanisms.truncated import TruncatedLaplace, worst_delta, worst_level

WIDTHS = (1, 1.5, 2, 4, 10, 100, np.inf)
# Real epsilon over the nominal one, for sensitivity 1 and bounds that far apart.
INFLATION = {
    0.001: (1, 1.333278, 1.499875, 1.749719, 1.899595, 1.989502, 1.999001),
    0.1: (1, 1.327764, 1.487505, 1.721469, 1.855701, 1.909024, 1.909028),
    0.5: (1, 1.305363, 1.438140, 1.605414, 1.661106, 1.663593, 1.663593),
    1: (1, 1.277750, 1.379885, 1.477386, 1.489850, 1.489880, 1.489880),
    2: (1, 1.227194, 1.283110, 1.311043, 1.311541, 1.311541, 1.311541),
    5: (1, 1.129655, 1.137286, 1.137954, 1.137955, 1.137955, 1.137955),
}
# Nominal epsilon, width over sensitivity: the worst delta, and the distance of the
# value from the bound, in noise scales, where it is reached.
DELTAS = {
    (0.1, 2): (0.0042444824, 0.01631),
    (0.1, 10): (0.0106421197, 0.17373),
    (0.1, np.inf): (0.0117542695, 0.39376),
    (0.5, 2): (0.0222430487, 0.07484),
    (0.5, 10): (0.0464632315, 0.35056),
    (0.5, np.inf): (0.0468012589, 0.35952),
    (1, 2): (0.0446792671, 0.13453),
    (1, 10): (0.0729296523, 0.33467),
    (1, np.inf): (0.0729389039, 0.33478),
    (2, 2): (0.0793384704, 0.21816),
    (2, 10): (0.0968635066, 0.31283),
    (2, np.inf): (0.0968635087, 0.31283),
    (5, 2): (0.1083050652, 0.29547),
    (5, 10): (0.1094697787, 0.30157),
    (5, np.inf): (0.1094697787, 0.30157),
}


def above(width):
    return Interval(lower=0.0, upper=width)


@pytest.mark.parametrize("epsilon", INFLATION)
def test_inflation_of_the_published_scale(epsilon):
    real = [worst_level(1.0, above(width), 1 / epsilon) for width in WIDTHS]
    np.testing.assert_allclose(np.array(real) / epsilon, INFLATION[epsilon], atol=6e-7)


@pytest.mark.parametrize(("epsilon", "width"), DELTAS)
def test_worst_delta_and_where_it_is_reached(epsilon, width):
    largest, at = DELTAS[epsilon, width]
    found = worst_delta(1.0, above(width), 1 / epsilon, epsilon)
    assert found == pytest.approx(largest, abs=6e-11)
    mechanism = TruncatedLaplace(noise=1 / epsilon, bounds=above(width))

    def negative(place):
        pair = np.array([[place / epsilon], [place / epsilon + 1]])
        return -float(mechanism.pairwise_delta(*pair, epsilon=epsilon))

    # The other half is its mirror image.
    farthest = min((width - 1) * epsilon / 2, 5.0)
    best = minimize_scalar(
        negative, bounds=(0, farthest), method="bounded", options={"xatol": 1e-9}
    )
    assert best.x == pytest.approx(at, abs=2e-5)
    assert -best.fun == pytest.approx(found, rel=1e-8)
