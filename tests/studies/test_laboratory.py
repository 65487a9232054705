"""Two worlds of a mechanism, and what its promise is worth."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import trapezoid

from dpcore.errors import ParameterError
from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.teaching.laboratory import (
    CLAMPED,
    PUBLISHED,
    REPAIRED,
    UNIT,
    Setup,
    acceptance,
    measure,
    tries,
    two_worlds,
)
from tests.conftest import few

PURE = [key for key, entry in CATALOG.items() if not entry.needs_delta]


def setups(keys):
    return st.builds(
        Setup,
        key=st.sampled_from(keys),
        epsilon=st.floats(0.1, 5.0),
        place=st.floats(0.0, 1.0),
        shift=st.floats(0.02, 1.0),
    )


@given(setups(list(CATALOG)))
@settings(max_examples=60, deadline=None)
def test_other_world_lies_within_the_bounds_and_the_sensitivity(setup):
    assert 0 <= setup.other <= 1
    assert setup.other != setup.place
    assert abs(setup.other - setup.place) <= setup.shift * (1 + 1e-12)


@given(setups(PURE))
@settings(max_examples=80, deadline=None)
def test_evidence_never_exceeds_the_level_of_the_pair(setup):
    meter = measure(setup)
    assert two_worlds(setup).largest <= meter.here * (1 + 1e-9) + 1e-9
    assert meter.here <= meter.real * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("key", [PUBLISHED, REPAIRED, CLAMPED, "laplace"])
@pytest.mark.parametrize("place", [0.0, 0.3, 1.0])
def test_evidence_reaches_the_level_of_the_pair(key, place):
    setup = Setup(key=key, epsilon=0.7, place=place, shift=0.2)
    assert two_worlds(setup).largest == pytest.approx(measure(setup).here, rel=1e-9)


@pytest.mark.parametrize("key", CATALOG)
def test_density_and_atoms_make_a_law(key):
    setup = Setup(key=key, epsilon=3.0, place=0.4, shift=0.1)
    worlds = two_worlds(setup, 20_001)
    for position, density, atoms in (
        (0.4, worlds.first, [atom.first for atom in worlds.atoms]),
        (0.5, worlds.second, [atom.second for atom in worlds.atoms]),
    ):
        drawn = ~np.isnan(density)
        mass = trapezoid(density[drawn], worlds.x[drawn]) + sum(atoms)
        low, high = setup.mechanism().cdf(worlds.x[[0, -1]], position)
        assert mass == pytest.approx(high if setup.entry.bounded else high - low, abs=1e-3)


@pytest.mark.parametrize(("epsilon", "parts"), few(1, (0.1, 2), (1.0, 10), (2.0, 10)))
def test_meter_delta_is_the_maximum_of_the_closed_form(epsilon, parts):
    shift = 1 / parts
    scale = shift / epsilon
    alpha = np.linspace(0.0, 1 / scale - epsilon, 200_001)
    z0 = acceptance(alpha * scale, scale, UNIT)
    z1 = acceptance(np.minimum(alpha * scale + shift, 1.0), scale, UNIT)
    y = np.log(z1 / z0) / 2
    delta = (2 - np.exp(-alpha) - np.exp(-y)) / (2 * z0)
    delta -= (np.exp(y) - np.exp(-alpha)) / (2 * z1)
    meter = measure(Setup(key=PUBLISHED, epsilon=epsilon, place=0.5, shift=shift))
    assert meter.delta == pytest.approx(delta[y > 0].max(), rel=1e-8)


@pytest.mark.parametrize(
    "wrong",
    [
        {"key": "none"},
        {"epsilon": 0.0},
        {"epsilon": math.nan},
        {"place": -0.1},
        {"place": math.nan},
        {"shift": 0.0},
        {"shift": 1.1},
        {"shift": math.nan},
    ],
)
def test_setup_outside_its_domain_is_refused(wrong):
    right = {"key": PUBLISHED, "epsilon": 1.0, "place": 0.0, "shift": 0.1}
    with pytest.raises(ParameterError):
        Setup(**(right | wrong))


@pytest.mark.parametrize(
    ("value", "noise", "expected"), [(0, 0.2, 2.01), (0.3, 10, 20.6), (0, 100, 201)]
)
def test_tries_until_a_draw_is_kept(value, noise, expected):
    assert tries(value, noise, UNIT) == pytest.approx(expected, rel=3e-3)


@pytest.mark.parametrize("noise", [0.0, -1.0, math.inf, math.nan])
def test_acceptance_needs_a_scale(noise):
    with pytest.raises(ParameterError):
        acceptance(0.3, noise, UNIT)
