"""An account with releases of many kinds, and a plan, about a table made up here."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache

import numpy as np

from dpcore.analyses.base import Mode
from dpcore.analyses.number import Query
from dpcore.documents.gathering import Background, planned, released
from dpcore.figures.privacy_label import LabelFacts
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.sharper_answers import sharper_request
from dpcore.ledger.transaction import release, release_all
from dpcore.planning.analysis_plan import AnalysisPlan, PlannedQuery
from dpcore.planning.plan_cost import cost_of_plan
from dpcore.privacy_filter import PrivacyBudget
from dpcore.statistics.kinds import StatisticKind
from tests.releases.questions import AGE, asked, by_group, chained, matrix, ranks, terms
from tests.statistics.columns import category, dataset, number
from tests.terms import SUBSTITUTION

MEMBERS = 817
"""How many rows the table has; public under substitution alone."""
SAID = 300
"""The public minimum where the number of people is private."""
NOW = datetime(2026, 11, 23, tzinfo=UTC)
DRAWN = np.random.default_rng(7)
CELLS = {
    "age": DRAWN.uniform(18, 90, MEMBERS),
    "region": DRAWN.choice(["north", "south"], MEMBERS, p=[0.37, 0.63]),
    "a": DRAWN.uniform(0, 1, MEMBERS),
    "b": DRAWN.uniform(0, 1, MEMBERS),
}


@cache
def table():
    columns = (AGE, category(), *(number(name, 1.0) for name in "ab"))
    return dataset(columns, **{name: list(cells) for name, cells in CELLS.items()})


def questions(relation=SUBSTITUTION):
    """Questions of many mechanisms, whose number of people is what may be known."""
    people = MEMBERS if relation is SUBSTITUTION else SAID
    known = {"relation": relation, "people": people}

    def of_age(kind=StatisticKind.MEAN, key="laplace", **changes):
        return asked(Query(kind=kind, column=AGE, **terms(**known)), key, **changes)

    return (
        of_age(epsilon=0.5),
        of_age(key="bit", epsilon=0.25),
        of_age(StatisticKind.SUM, key="gaussian", epsilon=0.5, delta=1e-7),
        of_age(key="folded", epsilon=0.3),
        of_age(key="truncated", epsilon=0.3),
        of_age(key="averaged", epsilon=0.3),
        ranks(epsilon=0.4, **known),
        chained(relation=relation, people=people),
        by_group(relation=relation, epsilon=1.0),
        matrix(epsilon=0.4, **known),
    )


def facts(relation, account):
    return LabelFacts(
        budget=account.budget,
        spent=account.spent,
        relation=relation,
        unit=questions(relation)[0].unit,
        number=MEMBERS if relation is SUBSTITUTION else None,
        releases=account.releases,
    )


def behind(relation, ledger, dataset=None):
    return Background(
        facts=facts(relation, ledger.account("f")),
        dataset=dataset or table(),
        everybody=False,
        entries=ledger.history("f"),
        today="2026-11-23",
    )


def opened(relation):
    ledger = Ledger.in_memory()
    ledger.open_account("f", PrivacyBudget.of(epsilon=20, delta=1e-5), relation)
    return ledger


@cache
def answered(relation=SUBSTITUTION, *, together=False):
    """Return what was released, one by one or as a plan."""
    ledger, requests = opened(relation), questions(relation)
    values = [request.value(table()) for request in requests]
    shared = {"ledger": ledger, "fingerprint": "f", "mode": Mode.RELEASE, "now": NOW}
    if together:
        release_all(requests, values, cost=lambda new: cost_of_plan(new, delta=1e-6).cost, **shared)
    else:
        for request, value in zip(requests, values, strict=True):
            release(request, value, **shared)
    ledger.change_budget("f", PrivacyBudget.of(epsilon=21, delta=1e-5), "asked for")
    return released(ledger.releases("f"), behind(relation, ledger))


def charge(ledger, request, dataset=None):
    """Release an answer on the account of a table."""
    value = request.value(table() if dataset is None else dataset)
    return release(request, value, ledger=ledger, fingerprint="f", mode=Mode.RELEASE, now=NOW)


@cache
def sharpened():
    """Return an answer that was sharpened, and another one."""
    ledger = opened(SUBSTITUTION)
    mean, clamped, *_ = questions()
    first = charge(ledger, mean)
    charge(ledger, clamped)
    charge(ledger, sharper_request(first, mean, 2.0))
    return released(ledger.releases("f"), behind(SUBSTITUTION, ledger))


@cache
def meant(relation=SUBSTITUTION):
    """Return what is planned."""
    basket = AnalysisPlan(
        items=tuple(map(PlannedQuery.of, questions(relation))), total=5.0, delta=1e-6
    )
    return planned(basket, behind(relation, opened(relation)))
