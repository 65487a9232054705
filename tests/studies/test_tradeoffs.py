"""Closed forms, experiment and map of the trade-offs agree with each other."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.analyses.number import Query
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind
from dpcore.errors import ParameterError
from dpcore.mechanisms.catalog import CATALOG
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.kinds import StatisticKind
from dpcore.studies.comparing import error_curves
from dpcore.studies.comparing.compared_points import ErrorSetting
from dpcore.studies.comparing.error_curves import ErrorMetric, Fairness

AGE = Column(name="age", kind=ColumnKind.NUMBER, bounds=Interval(lower=0.0, upper=100.0))


def setting(kind=StatisticKind.MEAN, people=100, **changes):
    query = Query(
        kind=kind,
        column=AGE,
        relation=NeighboringRelation.SUBSTITUTION,
        unit=PrivacyUnit(),
        size=TableSize(people=people, public=False),
    )
    known = {"epsilon": 0.5, "delta": 1e-6, "place": 0.1}
    return ErrorSetting(query=query, **(known | changes))


@pytest.mark.parametrize("fairness", Fairness)
@pytest.mark.parametrize("metric", ErrorMetric)
def test_simulation_agrees_with_the_closed_form(fairness, metric):
    at = setting()
    few = np.geomspace(0.05, 5, 5)
    keys, rng = fairness.mechanisms, np.random.default_rng(3)
    curves = error_curves.against_epsilon(at, keys, few)
    settings = [replace(at, epsilon=float(e)) for e in few]
    dots = error_curves.simulated(keys, few, settings, metric, draws=40_000, rng=rng)
    for curve, dot in zip(curves, dots, strict=True):
        # ``error`` is two standard errors: this allows four and a half.
        assert np.all(np.abs(dot.value - curve.of(metric)) <= 2.25 * dot.error + 1e-12)


def test_error_is_bias_and_spread_together():
    for curve in error_curves.against_position(setting(), Fairness.TRUE.mechanisms, 21):
        assert curve.rmse**2 == pytest.approx(curve.bias**2 + curve.spread**2)


def test_same_nominal_epsilon_is_not_what_truncation_gives():
    (curve,) = error_curves.against_epsilon(
        setting(), ("truncated-published",), np.array([0.01, 1.0])
    )
    # Bounds are 100 sensitivities apart.
    assert curve.epsilon / [0.01, 1.0] == pytest.approx([1.98, 1.48988], abs=0.01)


def test_more_people_mean_less_error():
    for curve in error_curves.against_people(
        setting(), Fairness.TRUE.mechanisms, np.array([10.0, 100.0, 1000.0])
    ):
        assert np.all(np.diff(curve.rmse) < 0)


def test_points_without_settings_are_refused():
    with pytest.raises(ParameterError, match="one setting"):
        error_curves.simulated(
            ["laplace"],
            np.array([0.5, 1.0]),
            [setting()],
            ErrorMetric.BIAS,
            draws=10,
            rng=np.random.default_rng(0),
        )


@settings(deadline=None, max_examples=25)
@given(
    st.sampled_from([key for key, entry in CATALOG.items() if entry.claim_holds]),
    st.floats(1e-3, 50),
    st.floats(0, 1),
)
def test_the_point_of_the_page_is_read_off_no_grid(key, epsilon, place):
    at = setting(epsilon=epsilon, place=place)
    (here,) = error_curves.at_setting(at, [key])
    mechanism = at.mechanism(key)
    assert float(here.rmse[0]) == pytest.approx(float(mechanism.mse(at.position)) ** 0.5)
    assert float(here.bias[0]) == pytest.approx(float(mechanism.bias(at.position)))


@settings(deadline=None, max_examples=20)
@given(st.floats(0.1, 10), st.sampled_from([ErrorMetric.RMSE, ErrorMetric.SPREAD]))
def test_axes_that_hold_still_hold_every_usual_epsilon(epsilon, metric):
    ends = [setting(epsilon=end) for end in (0.1, 10.0)]
    keys = Fairness.TRUE.mechanisms
    low, high = error_curves.error_range(ends, keys, metric)
    for curve in error_curves.against_position(setting(epsilon=epsilon), keys, 5):
        assert np.all(low * (1 - 1e-9) <= curve.of(metric))
        assert np.all(curve.of(metric) <= high * (1 + 1e-9))


def test_places_are_the_same_for_every_epsilon():
    ends = {
        setting(kind=kind, epsilon=epsilon).window
        for epsilon in (0.1, 1.0, 10.0)
        for kind in (StatisticKind.SUM,)
    }
    assert len(ends) == 1
