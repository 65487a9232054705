"""The steps of a budget: each release, what else was charged, and the limit."""

from itertools import pairwise

import pytest

from dpcore.figures.compositions import spending_picture
from dpcore.ledger.account import Account
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from dpcore.relations import NeighboringRelation
from dpcore.releases.record import InPlan
from tests.figures.complete import assert_complete
from tests.releases.sample_releases import make_release

HALF = PrivacyCost.of(epsilon=0.5, rho=0.1)


def account(spent, **budget):
    return Account(
        fingerprint="table",
        budget=PrivacyBudget.of(**budget),
        relation=NeighboringRelation.SUBSTITUTION,
        unit_rows=1,
        spent=spent,
    )


@pytest.mark.parametrize(
    ("budget", "symbol", "steps"),
    [({"epsilon": 3.0}, "ε", [0.5, 1.0, 1.5]), ({"rho": 1.0}, "ρ", [0.1, 0.2, 0.3])],
)
def test_each_release_is_a_step_of_what_it_was_charged(budget, symbol, steps):
    plan = InPlan(name="p", releases=2, cost=HALF)
    releases = [
        make_release("a", cost=HALF, title="**mean**<b>"),
        *(make_release(name, cost=HALF, plan=plan) for name in "bc"),
    ]
    spent = PrivacyCost.of(epsilon=1.5, rho=0.3)
    picture = spending_picture(releases, account(spent, **budget))
    assert_complete(picture)
    # 0.5 or 0.1 that no release was charged comes first; the plan is charged once.
    assert list(picture.table[f"{symbol} spent so far"]) == pytest.approx([0, *steps])
    assert list(picture.table["step"][1:]) == [
        "other charges",
        "**mean**<b>",
        "plan of 2 questions",
    ]


def test_no_name_covers_another():
    releases = [make_release(str(at), cost=HALF) for at in range(20)]
    spent = PrivacyCost.of(epsilon=10.0)
    picture = spending_picture(releases, account(spent, epsilon=10.0))
    assert_complete(picture)
    assert picture.title == "20 releases spent ε = 10 of 10"
    heights = [each.y for each in picture.figure.layout.annotations if each.yanchor == "bottom"]
    assert 3 < len(heights) < 20
    assert all(below + 1.1 < above for below, above in pairwise(heights))
    few = spending_picture(releases[:3], account(PrivacyCost.of(epsilon=1.5), epsilon=2.0))
    assert len(few.figure.layout.annotations) == 3
