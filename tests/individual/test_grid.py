"""The cells that losses are counted in."""

import numpy as np
import pytest

from dpcore.individual.losses import LossGrid

ENDS = [1.0, 0.3, 7.1e-5, 2.0**-20, 19.7, 1e300, 1e-300]


@pytest.mark.parametrize("cells", [1, 7, 1_000, 20_000])
@pytest.mark.parametrize("end", ENDS)
def test_cells_hold_their_upper_edge_and_not_their_lower(end, cells):
    grid = LossGrid.of(end=end, cells=cells)
    rng, edges = np.random.default_rng(3), grid.edges
    around = [edges, np.nextafter(edges[1:], 0), np.nextafter(edges[:-1], np.inf)]
    losses = np.concatenate([*around, rng.uniform(0, end, 500)])
    expected = np.diff(np.searchsorted(np.sort(losses), edges[1:], side="right"), prepend=0)
    np.testing.assert_array_equal(grid.counts(losses), expected)


def test_the_cells_of_half_a_grid_are_halves_of_its_cells():
    whole, half = (LossGrid.of(end=end, cells=1_000) for end in (2.0, 1.0))
    np.testing.assert_array_equal(whole.edges[:501], half.edges[::2])
