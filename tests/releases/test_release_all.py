"""Several questions fixed in advance: one debit, all answers or none."""

import csv
import io
import json
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from dpcore.analyses.base import Mode, Request
from dpcore.analyses.number import Query
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind
from dpcore.errors import BudgetExceeded, ClaimError, LedgerError, ParameterError
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.renewal import begin_anew
from dpcore.ledger.transaction import release, release_all
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.releases.record import Release, charges
from dpcore.releases.table import to_csv
from dpcore.statistics.kinds import StatisticKind
from tests.releases.sample_releases import make_release

NOW = datetime(2026, 1, 2, tzinfo=UTC)
RELATION = NeighboringRelation.SUBSTITUTION
AGE = Column(name="age", kind=ColumnKind.NUMBER, bounds=Interval(lower=0.0, upper=100.0))
MEAN = Query(
    kind=StatisticKind.MEAN,
    column=AGE,
    relation=RELATION,
    unit=PrivacyUnit(),
    size=TableSize(people=100, public=False),
)
PRICE = PrivacyCost.of(epsilon=0.55, rho=0.2)


def ask(epsilon=0.3, key="laplace", **changes):
    query = replace(MEAN, **changes)
    return Request(query=query, mechanism_key=key, epsilon=epsilon, delta=1e-6)


THREE = (ask(0.3), ask(0.2), ask(0.4, kind=StatisticKind.SUM))


def run(
    ledger,
    requests=THREE,
    cost=lambda _: PRICE,
    values=None,
    mode=Mode.RELEASE,
    fingerprint="table",
):
    return release_all(
        requests,
        values or [np.array([50.0])] * len(requests),
        cost=cost,
        ledger=ledger,
        fingerprint=fingerprint,
        mode=mode,
        now=NOW,
    )


def alone(ledger, request):
    return release(
        request, np.array([50.0]), ledger=ledger, fingerprint="table", mode=Mode.RELEASE, now=NOW
    )


def untouched(ledger):
    ledger.verify()
    assert ledger.account("table").spent == PrivacyCost()
    assert [entry.kind for entry in ledger.history("table")] == ["account"]


def test_a_plan_is_one_debit_and_says_so_in_every_release(ledger):
    made = run(ledger)
    account = ledger.account("table")
    assert (account.spent, account.releases) == (PRICE, 3)
    kinds = [entry.kind for entry in ledger.history("table")]
    assert kinds == ["account", "debit", "release", "release", "release"]
    debit = ledger.history("table")[1]
    assert debit.content == {"cost": PRICE.to_json(), "plan": [one.id for one in made]}
    for asked, one in zip(THREE, made, strict=True):
        assert (one.plan.name, one.plan.releases) == (debit.request, 3)
        assert one.plan.cost == PRICE
        assert one.cost == asked.cost  # alone
        assert Release.from_json(one.to_json()) == one
    assert ledger.releases("table") == made
    ledger.verify()


def test_answers_of_a_plan_count_as_draws_and_are_found_again(ledger):
    made = run(ledger)
    for asked, one in zip(THREE, made, strict=True):
        assert ledger.draws("table", asked.analysis("table")) == 1
        assert alone(ledger, asked) == one
    assert ledger.account("table").spent == PRICE


def test_what_was_answered_is_free_and_not_in_the_plan(ledger):
    first = alone(ledger, THREE[1])
    priced = []

    def cost(requests):
        priced.append(tuple(requests))
        return PRICE

    made = run(ledger, cost=cost)
    assert priced == [(THREE[0], THREE[2])]
    assert made[1] == first
    assert first.plan is None
    assert {one.plan.releases for one in (made[0], made[2])} == {2}
    account = ledger.account("table")
    assert (account.spent, account.releases) == (first.cost + PRICE, 3)
    again = run(ledger, cost=lambda _: pytest.fail("priced again"))
    assert again == made
    assert ledger.account("table") == account


def test_the_same_question_twice_is_answered_once(ledger):
    made = run(ledger, (*THREE, THREE[0]))
    assert made[3] == made[0]
    assert ledger.account("table").releases == 3
    assert run(ledger, ()) == ()


def test_a_question_that_somebody_answers_meanwhile_is_not_charged_again(ledger):
    priced = []

    def cost(requests):
        priced.append(len(requests))
        if len(priced) == 1:
            alone(ledger, THREE[0])
        return PRICE

    made = run(ledger, cost=cost)
    assert priced == [3, 2]
    assert made[0].plan is None
    assert ledger.account("table").spent == THREE[0].cost + PRICE


@pytest.mark.parametrize("broken", range(3))
def test_one_draw_that_fails_leaves_nothing(ledger, broken):
    values = [np.array([50.0])] * 3
    values[broken] = np.array([np.nan])
    with pytest.raises(ParameterError, match="not a finite number"):
        run(ledger, values=values)
    untouched(ledger)


@pytest.mark.parametrize(
    ("price", "grants"), [(1.0, True), (1.0 + 1e-12, False), (float("inf"), False)]
)
def test_a_plan_fits_as_a_whole_or_not_at_all(ledger, price, grants):
    def cost(_):
        return PrivacyCost.of(epsilon=price)

    if grants:
        assert len(run(ledger, cost=cost)) == 3
        assert ledger.account("table").remaining.epsilon == 0
        return
    with pytest.raises(BudgetExceeded, match="the plan costs ε"):
        run(ledger, cost=cost)
    untouched(ledger)


def test_one_question_that_is_refused_refuses_the_plan(ledger):
    for refused, error in [
        (ask(key="truncated-published"), ClaimError),
        (ask(unit=PrivacyUnit(rows=2)), LedgerError),
        (ask(relation=NeighboringRelation.ADD_REMOVE), LedgerError),
    ]:
        with pytest.raises(error):
            run(ledger, (*THREE, refused))
        untouched(ledger)
    with pytest.raises(LedgerError, match="Set its budget"):
        run(Ledger.in_memory())


def test_an_answer_outside_its_plan_is_rolled_back(ledger):
    terms = {"a-1": PRICE, "a-2": PRICE}

    def compute(name, plan):
        other = replace(plan, releases=9) if name == "a-2" else plan
        return make_release(name, cost=PRICE, plan=other)

    with pytest.raises(LedgerError, match="another request"):
        ledger.charge_all("table", terms, lambda _: PRICE, compute)
    untouched(ledger)


def test_a_plan_is_carried_over_when_the_ledger_is_begun_anew(tmp_path):
    path = tmp_path / "home" / "ledger.sqlite3"
    ledger = Ledger.at(path)
    ledger.open_account("table", PrivacyBudget.of(epsilon=1.0), RELATION)
    run(ledger)
    path.write_bytes(b"")
    begin_anew(path, reason="the disk broke", now=NOW)
    assert Ledger.at(path).account("table").spent == PRICE


def test_a_plan_is_charged_once_in_a_list_of_charges(ledger):
    made = run(ledger, THREE[:2])
    single = alone(ledger, THREE[2])
    assert charges((*made, single)) == [PRICE, PrivacyCost(), single.cost]
    total = sum(charges(ledger.releases("table")), PrivacyCost())
    assert total == ledger.account("table").spent


def test_files_say_what_a_plan_was_charged_and_are_as_ever_without_one(ledger):
    made = run(ledger)
    rows = list(csv.DictReader(io.StringIO(to_csv([*made, make_release()]))))
    assert [row["plan_epsilon"] for row in rows] == ["0.55"] * 3 + [""]
    assert [row["epsilon"] for row in rows] == ["0.3", "0.2", "0.4", "0.1"]
    assert {row["plan_releases"] for row in rows} == {"3", ""}
    assert "plan" not in to_csv([make_release()])
    assert "plan" not in json.loads(make_release().to_json())
    assert json.loads(made[0].to_json())["plan"]["cost"] == PRICE.to_json()
