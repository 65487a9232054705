"""What plans cost as a whole: as the field's reference says, and never too little."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld

from dpcore.budget_filter import PrivacyCost
from dpcore.planning.totals import Price, price_of
from dpcore.privacy.composition import Totals, compose
from dpcore.privacy.events import GaussianEvent, LaplaceEvent
from tests.planning.planned import QUICK, of_age

DELTA = 1e-5
_MADE = {
    LaplaceEvent: pld.from_laplace_mechanism,
    GaussianEvent: pld.from_gaussian_mechanism,
}


def reference(events, interval, *, above):
    """Return the epsilon of the library, rounded to the one side or the other."""
    whole = None
    for event in events:
        one = _MADE[type(event)](
            event.parameter,
            value_discretization_interval=interval,
            pessimistic_estimate=above,
        )
        whole = one if whole is None else whole.compose(one)
    return whole.get_epsilon_for_delta(DELTA)


@pytest.mark.parametrize("seed", range(60))
def test_totals_are_those_of_the_reference_and_never_below_the_truth(seed):
    chance = np.random.default_rng(seed)
    events = [
        (LaplaceEvent, GaussianEvent)[kind].of(10 ** chance.uniform(-1.5, 0))
        for kind in chance.integers(2, size=chance.choice([2, 3]))
    ]
    totals = compose(events, delta=DELTA)
    interval = max(totals.pld, 0.1) / 400
    theirs = reference(events, interval, above=True)
    truth = reference(events, interval, above=False)
    assert truth <= totals.pld + 1e-9
    # Both err upwards, by their own cells; theirs are wider here.
    assert totals.pld <= theirs + 1e-9
    assert theirs - totals.pld <= 0.02 * totals.pld
    for other in (totals.basic, totals.advanced, totals.zcdp):
        assert other >= truth - 1e-9


def many(count, epsilon=0.1):
    return [
        of_age(people=812 + k, epsilon=epsilon, key="laplace") for k in range(count)
    ]


def test_price_is_the_tightest_total_rounded_up():
    found = price_of(many(40), delta=1e-6)
    totals = found.totals
    assert found.tightest == min(totals.basic, totals.zcdp, totals.pld)
    assert not found.adds_up
    assert found.cost.epsilon > Decimal(found.tightest)
    assert float(found.cost.epsilon) == pytest.approx(found.tightest, rel=1e-12)
    assert found.cost.delta == Decimal("0.000001")
    # In rho nothing is gained.
    assert found.cost.rho == found.added.rho
    assert found.saved == pytest.approx(4.0 - found.tightest)


def test_price_adds_up_where_that_is_as_good():
    alone = [QUICK["mean"]]
    assert price_of(alone, delta=0.0).cost == alone[0].cost
    # A delta is not spent for a thousandth of the epsilon.
    found = price_of([*alone, QUICK["median"]], delta=1e-6)
    assert found.tightest < found.added.epsilon
    assert found.cost == found.added
    assert price_of([], delta=1e-6).cost == PrivacyCost()


def test_plan_of_gaussian_noise_is_charged_less_than_its_parts():
    parts = [replace(QUICK["gaussian"], delta=d) for d in (1e-6, 2e-6, 3e-6)]
    found = price_of(parts, delta=6e-6)
    assert found.cost.epsilon < found.added.epsilon
    assert found.cost.delta == found.added.delta
    # At no delta only the sum with its own delta is valid.
    assert price_of(parts, delta=0.0).cost == found.added


def test_price_does_not_hang_on_the_order():
    forth, back = many(5), list(reversed(many(5)))
    assert price_of(forth, delta=1e-6) == price_of(back, delta=1e-6)


def test_a_total_that_is_not_finite_is_not_charged():
    endless = Totals(basic=float("inf"), advanced=1e400, zcdp=1e400, pld=1e400)
    added = PrivacyCost.of(epsilon=1.0, delta=1e-3)
    assert Price(added=added, totals=endless, delta=1e-6).cost == added
