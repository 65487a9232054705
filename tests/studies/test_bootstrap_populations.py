"""Populations of simulated tables."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.studies.resampling.bootstrap_study import Normal, People
from tests.terms import UNIT


@pytest.mark.parametrize("values", [[], [2.0], [np.nan], [-np.inf]])
def test_values_outside_their_bounds(values):
    with pytest.raises(ParameterError):
        People.of(np.array(values), bounds=UNIT, name="x")


@pytest.mark.parametrize("width", [0.0, -1.0, np.inf, np.nan])
def test_width_outside_its_domain(width):
    with pytest.raises(ParameterError):
        Normal(half_width=width)
