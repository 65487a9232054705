"""Releases for the tests, and one way to spend on them."""

from datetime import date

from dpcore.analyses.base import Mode
from dpcore.ledger.periods import BudgetPeriod
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from dpcore.relations import NeighboringRelation
from dpcore.releases.record import Release

TENTH = PrivacyCost.of(epsilon=0.1, rho=0.005)
HALF = PrivacyBudget.of(epsilon=0.25)
YEAR = BudgetPeriod(
    name="2999",
    begins=date(2026, 1, 1),
    ends=date(2999, 12, 31),
    budget=PrivacyBudget.of(epsilon=0.5),
)


def make_release(name="a-1", *, cost=TENTH, **changes):
    fields = {
        "id": name,
        "request": {"query": {"kind": "mean"}, "epsilon": 0.1},
        "title": "mean of age",
        "labels": ("mean",),
        "values": (41.25,),
        "mechanism": "laplace",
        "mechanism_label": "Laplace",
        "noise": 2.5,
        "cost": cost,
        "event": {"kind": "laplace", "parameter": 10.0},
        "relation": NeighboringRelation.SUBSTITUTION,
        "unit": "years",
        "created": "2026-01-02T03:04:05+00:00",
        "draw": 1,
        "mode": Mode.RELEASE,
        "sampler": "OpenDP",
    }
    return Release(**fields | changes)


def spend(ledger, name, *, cost=TENTH, value=41.25, fingerprint="table", labels=("mean",)):
    values = (value,) * len(labels)
    return ledger.charge(
        fingerprint, name, cost, lambda: make_release(name, cost=cost, labels=labels, values=values)
    )
