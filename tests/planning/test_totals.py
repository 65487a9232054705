"""What plans cost as a whole: as the field's reference says, and never too little."""

from collections import Counter
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpcore.planning.plan_cost import PlanCost, cost_of_plan
from dpcore.privacy import events
from dpcore.privacy.composition import Totals, compose, step_of
from dpcore.privacy.events import LaplaceEvent, NoiseEvent
from dpcore.privacy_filter import PrivacyCost
from tests.conftest import few
from tests.planning.oracle import DRAWN, INTERVAL, LOOSE, epsilon_of
from tests.planning.planned import QUICK, of_age

DELTA = 1e-5
SIZES = 10 ** np.linspace(-1.5, 0, 7)


def held_against_the_truth(seed):
    chance = np.random.default_rng(seed)
    kinds = chance.choice(list(DRAWN), size=chance.choice([2, 3]))
    plan = [DRAWN[kind](float(chance.choice(SIZES))) for kind in kinds]
    totals = compose(plan, delta=DELTA)
    truth = epsilon_of(plan, DELTA, above=False)
    for known in (totals.basic, totals.advanced, totals.zcdp, totals.pld):
        assert known >= truth - 1e-9
    if not LOOSE & set(kinds):
        # Both err upwards, by at most one of their cells for each event.
        theirs = epsilon_of(plan, DELTA, above=True)
        cell = max(INTERVAL, step_of(Counter(plan)))
        assert totals.pld == pytest.approx(theirs, abs=len(plan) * cell)


@pytest.mark.slow
@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1))
@example(11981)  # two pure events whose levels are no whole number of coarse cells
def test_totals_of_mixed_ledgers_are_those_of_the_reference(seed):
    """Events of every kind; in coarser cells than usual, which take less time."""
    with pytest.MonkeyPatch.context() as coarser:
        coarser.setattr("dpcore.privacy.composition.MOST_CELLS", 1_000)
        held_against_the_truth(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", few(2, *range(200, 205)))
def test_totals_in_the_usual_cells_are_those_of_the_reference(seed):
    held_against_the_truth(seed)


def of_many(seed, count=300):
    """Return a long ledger of small releases, some of them made several times."""
    chance = np.random.default_rng(seed)
    kinds = ["laplace", "gaussian", "pure", "approximate"]
    sizes = chance.choice(np.geomspace(0.001, 0.06, 120), size=count)
    made = zip(chance.choice(kinds[:3] if seed else kinds, size=count), sizes, strict=True)
    return [
        replace(DRAWN[kind](float(size)), delta=1e-9)
        if kind == "approximate"
        else DRAWN[kind](float(size))
        for kind, size in made
    ]


@pytest.mark.slow
@pytest.mark.parametrize("seed", few(1, 0, 1))
def test_totals_of_long_ledgers_are_those_of_the_reference(seed):
    """A small error in each of many events would show in their total."""
    plan = of_many(seed)
    found = compose(plan, delta=DELTA).pld
    cells = INTERVAL / 10
    assert found >= epsilon_of(plan, DELTA, above=False, interval=cells)
    theirs = epsilon_of(plan, DELTA, above=True, interval=cells)
    assert found == pytest.approx(theirs, rel=5e-3)


@pytest.mark.parametrize("ratio", [0.0007, 0.0301, 0.5, 3.0])
@pytest.mark.parametrize("cells", [0.3, 7.0, 123.4])
def test_laplace_noise_has_the_loss_of_the_reference(ratio, cells):
    event, interval = LaplaceEvent.from_ratio(ratio), ratio / cells
    ours, theirs = event.loss(interval), NoiseEvent.loss(event, interval)
    levels = np.linspace(-1.2 * ratio - interval, 1.2 * ratio + interval, 41)
    for many in (1, 30):
        known = ours.self_compose(many).get_delta_for_epsilon(levels)
        wanted = theirs.self_compose(many).get_delta_for_epsilon(levels)
        assert known == pytest.approx(wanted, abs=1e-13)


def test_every_kind_that_a_ledger_holds_is_held_against_the_truth():
    assert set(DRAWN) == set(events._KINDS)  # noqa: SLF001 - there is no other list
    for kind, make in DRAWN.items():
        assert make(0.5).kind == kind


def many(count, epsilon=0.1):
    return [of_age(people=812 + k, epsilon=epsilon, key="laplace") for k in range(count)]


def test_price_is_the_tightest_total_rounded_up():
    found = cost_of_plan(many(40), delta=1e-6)
    totals = found.totals
    assert found.tightest == min(totals.basic, totals.zcdp, totals.pld)
    assert not found.adds_up
    assert found.cost.epsilon > Decimal(found.tightest)
    assert float(found.cost.epsilon) == pytest.approx(found.tightest, rel=1e-12)
    assert found.cost.delta == Decimal("0.000001")
    # In rho nothing is gained.
    assert found.cost.rho == found.added.rho


def test_price_adds_up_where_that_is_as_good():
    alone = [QUICK["mean"]]
    assert cost_of_plan(alone, delta=0.0).cost == alone[0].cost
    # A delta is not spent for a thousandth of the epsilon.
    found = cost_of_plan([*alone, QUICK["median"]], delta=1e-6)
    assert found.tightest < found.added.epsilon
    assert found.cost == found.added
    assert cost_of_plan([], delta=1e-6).cost == PrivacyCost()


def test_plan_of_gaussian_noise_is_charged_less_than_its_parts():
    parts = [replace(QUICK["gaussian"], delta=d) for d in (1e-6, 2e-6, 3e-6)]
    found = cost_of_plan(parts, delta=6e-6)
    assert found.cost.epsilon < found.added.epsilon
    assert found.cost.delta == found.added.delta
    # At no delta only the sum with its own delta is valid.
    assert cost_of_plan(parts, delta=0.0).cost == found.added


def test_price_does_not_hang_on_the_order():
    forth, back = many(5), list(reversed(many(5)))
    assert cost_of_plan(forth, delta=1e-6) == cost_of_plan(back, delta=1e-6)


def test_a_total_that_is_not_finite_is_not_charged():
    endless = Totals(basic=float("inf"), advanced=1e400, zcdp=1e400, pld=1e400)
    added = PrivacyCost.of(epsilon=1.0, delta=1e-3)
    assert PlanCost(added=added, totals=endless, delta=1e-6).cost == added
