"""The closed forms against independent libraries."""

import math

import dp_accounting
import numpy as np
import opendp.prelude as dp
import pytest
from dp_accounting.pld import privacy_loss_distribution
from dp_accounting.pld.pld_privacy_accountant import PLDAccountant

from dpcore.data.bounds import Interval
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.mechanisms.truncated import TruncatedLaplace
from dpcore.privacy.composition import compose
from dpcore.privacy.conversions import epsilon_of_rho
from dpcore.privacy.events import GaussianEvent, LaplaceEvent, PureEvent
from tests.privacy.peer_events import dp_event
from tests.terms import ONE


@pytest.mark.parametrize("noise", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("delta", [1e-6, 0.01])
def test_laplace_and_gaussian_match_dp_accounting(noise, delta):
    pld = privacy_loss_distribution.from_laplace_mechanism(noise)
    ours = Laplace(noise=noise).epsilon(ONE, delta=delta)
    assert pld.get_epsilon_for_delta(delta) == pytest.approx(ours, abs=1e-6)
    theirs = dp_accounting.get_epsilon_gaussian(noise, delta)
    ours = Gaussian(noise=noise).epsilon(ONE, delta=delta)
    assert theirs == pytest.approx(ours, rel=1e-6)
    pld = privacy_loss_distribution.from_gaussian_mechanism(noise)
    assert pld.get_epsilon_for_delta(delta) == pytest.approx(ours, abs=1e-5)


def test_two_cells_match_dp_accounting():
    pld = privacy_loss_distribution.from_laplace_mechanism(1.0).self_compose(2)
    for epsilon in (0.0, 0.4, 1.0, 1.7):
        ours = Laplace(noise=1.0).pairwise_delta([1.0, 0.0], [0.0, 1.0], epsilon=epsilon)
        assert pld.get_delta_for_epsilon(epsilon) == pytest.approx(float(ours), abs=1e-7)


def test_composed_events_match_the_accountant():
    events = [
        LaplaceEvent.from_ratio(0.2),
        GaussianEvent.from_ratio(0.3),
        LaplaceEvent.from_ratio(0.2),
    ]
    accountant = PLDAccountant().compose(dp_event(events))
    theirs = accountant.get_epsilon(1e-6)
    assert compose(events, delta=1e-6).pld == pytest.approx(theirs, rel=1e-4)
    pure = PureEvent.from_ratio(0.4)
    accountant.compose(dp_event([pure]))
    ours = compose([*events, pure], delta=1e-6).pld
    assert theirs < ours < accountant.get_epsilon(1e-6)


def test_calibration_satisfies_opendp():
    dp.enable_features("contrib")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    for epsilon in (0.1, 0.5, 1.0):
        scale = Laplace.calibrate(
            sensitivity=Sensitivity.scalar(0.3),
            epsilon=epsilon,
            bounds=Interval(lower=0.0, upper=1.0),
        ).noise
        stated = dp.m.make_laplace(*space, scale=scale).map(0.3)
        assert stated == pytest.approx(epsilon, rel=1e-12)


@pytest.mark.parametrize("rho", [0.02, 0.125, 1.0])
def test_zcdp_conversion_matches_opendp(rho):
    dp.enable_features("contrib")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    scale = 1 / math.sqrt(2 * rho)
    measurement = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*space, scale=scale))
    theirs = measurement.map(1.0).epsilon(1e-6)
    assert epsilon_of_rho(rho, 1e-6) == pytest.approx(theirs, rel=1e-9)


def test_bounded_laplace_matches_diffprivlib():
    peers = pytest.importorskip("diffprivlib.mechanisms")
    unit = Interval(lower=0.0, upper=1.0)
    theirs = peers.LaplaceTruncated(epsilon=1.0, sensitivity=0.2, lower=0, upper=1)
    ours = BoundaryInflatedLaplace.calibrate(
        sensitivity=Sensitivity.scalar(0.2), epsilon=1.0, bounds=unit
    )
    for value in (0.0, 0.3, 0.9):
        assert theirs.bias(value) == pytest.approx(float(ours.bias(value)))
        assert theirs.variance(value) == pytest.approx(float(ours.variance(value)))
    peer = peers.LaplaceBoundedDomain(epsilon=1.0, sensitivity=0.2, lower=0, upper=1)
    peer.randomise(0.5)
    repaired = TruncatedLaplace.calibrate(
        sensitivity=Sensitivity.scalar(0.2), epsilon=1.0, bounds=unit
    )
    assert np.isclose(peer._scale, repaired.noise, rtol=1e-9)  # noqa: SLF001 - no other access
