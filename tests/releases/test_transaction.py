import json
from datetime import datetime, timedelta, timezone

import numpy as np
import pytest

from dpcore.analyses.base import Mode, Request
from dpcore.analyses.number import Query
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind
from dpcore.errors import BudgetExceeded, ClaimError, LedgerError, ParameterError
from dpcore.inference.intervals import intervals
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.transaction import release
from dpcore.mechanisms.catalog import CATALOG
from dpcore.privacy_filter import PrivacyBudget, typed
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.releases.record import Release
from dpcore.statistics.entries import Membership
from dpcore.statistics.kinds import StatisticKind
from dpcore.version import VERSION
from tests.releases.questions import matrix

NOON = datetime(2026, 1, 2, 12, tzinfo=timezone(timedelta(hours=2)))
SECRET = 43.2109876
AGE = Column(
    name="age", kind=ColumnKind.NUMBER, bounds=Interval(lower=0.0, upper=100.0), unit="years"
)


def query(kind=StatisticKind.MEAN, **changes):
    settings = {
        "kind": kind,
        "column": AGE,
        "relation": NeighboringRelation.ADD_REMOVE,
        "unit": PrivacyUnit(),
        "size": TableSize(people=100, public=False),
    }
    return Query(**settings | changes)


def request(key="laplace", *, epsilon=0.4, draw=1, asked=None):
    return Request(
        query=asked or query(), mechanism_key=key, epsilon=epsilon, delta=1e-6, draw=draw
    )


def answer(ledger, asked, *, value=SECRET, mode=Mode.RELEASE, **options):
    return release(
        asked, np.array([value]), ledger=ledger, fingerprint="table", mode=mode, now=NOON, **options
    )


@pytest.fixture
def ledger():
    opened = Ledger.in_memory()
    opened.open_account(
        "table", PrivacyBudget.of(epsilon=1.0, delta=1e-5), NeighboringRelation.ADD_REMOVE
    )
    return opened


HONEST = [
    key for key, entry in CATALOG.items() if entry.releasable and key != "truncated-published"
]


@pytest.mark.parametrize("key", HONEST)
def test_a_release_says_everything_public_about_itself(ledger, key):
    released = answer(ledger, request(key))
    mechanism = request(key).mechanism
    assert released.id.endswith("-1")
    assert released.title == "mean of age"
    assert released.unit == "years"
    assert released.created == "2026-01-02T10:00:00+00:00"
    assert released.noise == mechanism.noise
    assert released.event == mechanism.event(request(key).sensitivity).to_dict()
    assert released.cost == ledger.account("table").spent
    assert released.cost.epsilon == typed(0.4)
    assert float(released.cost.rho) >= mechanism.rho(request(key).sensitivity)
    assert released.cost.delta == (typed(1e-6) if CATALOG[key].needs_delta else 0)
    assert released.sampler.startswith("OpenDP 0.")
    assert released.statement == (
        "mean of age, values clamped between 0 and 100; people without a value left out; "
        "divided by at least 100 people"
    )
    assert released.budget == ledger.account("table").budget
    assert released.version == VERSION
    assert Release.from_json(released.to_json()) == released
    assert released.request == request(key).parameters()
    json.dumps(released.request, allow_nan=False)


@pytest.mark.parametrize("key", HONEST)
def test_noise_is_added_and_is_fresh_for_each_draw(ledger, key):
    first = answer(ledger, request(key))
    second = answer(ledger, request(key, draw=2))
    assert len({first.values, second.values, (SECRET,)}) == 3
    assert ledger.draws("table", request(key).analysis("table")) == 2


def test_the_same_request_is_answered_once_and_paid_once(ledger):
    first = answer(ledger, request())
    assert answer(ledger, request(), value=99.0) == first
    assert ledger.account("table").releases == 1


def test_equal_weights_do_not_make_another_analysis():
    names = [matrix(weights=w).analysis("table") for w in (None, (1.0,) * 3, (0.4,) * 3)]
    assert len(set(names)) == 1
    assert matrix(weights=(1.0, 1.0, 2.0)).analysis("table") not in names


def test_an_unused_delta_does_not_make_another_analysis():
    with_delta, without = (
        Request(query=query(), mechanism_key="laplace", epsilon=0.4, delta=delta)
        for delta in (1e-6, 0.0)
    )
    assert with_delta.analysis("table") == without.analysis("table")
    assert with_delta.analysis("table") != request(epsilon=0.5).analysis("table")


def test_the_budget_stops_the_third_release(ledger):
    for draw in (1, 2):
        answer(ledger, request(draw=draw))
    with pytest.raises(BudgetExceeded, match=r"only ε = 0\.2, δ"):
        answer(ledger, request(draw=3))


def test_a_claim_that_does_not_hold_is_never_released(ledger):
    published = request("truncated-published")
    assert published.effective_epsilon > 0.4
    with pytest.raises(ClaimError, match=r"has ε = 0\.\d+ here instead of 0\.4"):
        answer(ledger, published)
    assert ledger.account("table").releases == 0


def test_the_classic_gaussian_rule_is_refused_where_it_fails(ledger):
    assert request("gaussian-classic", epsilon=8.0).claim_holds
    beyond = request("gaussian-classic", epsilon=9.0)
    assert beyond.effective_epsilon > 9
    with pytest.raises(ClaimError, match="has ε = 9\\.0"):
        answer(ledger, beyond)
    assert ledger.account("table").releases == 0


@pytest.mark.parametrize("mode", list(Mode))
def test_a_mechanism_without_secure_sampler_is_never_released(ledger, mode):
    with pytest.raises(ClaimError, match="no secure sampler"):
        answer(ledger, request("generalized"), mode=mode)
    assert ledger.account("table").releases == 0


def test_a_classroom_shows_a_false_claim_at_its_real_cost(ledger):
    lesson = answer(ledger, request("truncated-published"), mode=Mode.CLASSROOM)
    assert lesson.mode is Mode.CLASSROOM
    assert "watermark" in json.loads(lesson.to_json())
    assert float(lesson.cost.epsilon) >= request("truncated-published").effective_epsilon


@pytest.mark.parametrize(
    "changes",
    [
        {"relation": NeighboringRelation.SUBSTITUTION, "size": TableSize(people=100, public=False)},
        {"unit": PrivacyUnit(rows=2)},
    ],
)
def test_other_terms_than_the_accounts_are_refused(ledger, changes):
    with pytest.raises(LedgerError, match="same terms"):
        answer(ledger, request(asked=query(**changes)))
    assert ledger.account("table").releases == 0


def test_a_statistic_that_is_not_finite_spends_nothing(ledger):
    with pytest.raises(ParameterError, match="not a finite number"):
        answer(ledger, request(), value=float("nan"))
    assert ledger.account("table").releases == 0


def test_an_unknown_mechanism_is_refused():
    with pytest.raises(ParameterError, match="laplace, bit"):
        request("magic")


def test_intervals_follow_from_the_released_values_only(ledger):
    asked = request()
    released = answer(ledger, asked)
    around = intervals(
        asked.mechanism, asked.query.statistic, np.array(released.values), bounds=asked.query.bounds
    )
    assert released.intervals.noise["mean"] == tuple(around.noise[0])
    assert released.intervals.total["mean"] == tuple(around.total[0])


def test_counts_are_exact_and_other_answers_cover_their_rounding():
    everybody = query(StatisticKind.COUNT, membership=Membership())
    assert request(asked=everybody).sensitivity == everybody.sensitivity
    for kind in (StatisticKind.MEAN, StatisticKind.SUM, StatisticKind.VARIANCE):
        asked = request(asked=query(kind))
        exact, wide = asked.query.sensitivity.l1, asked.sensitivity.l1
        assert exact < wide < exact * (1 + 1e-5)


def test_the_ledger_holds_nothing_confidential(tmp_path):
    path = tmp_path / "home" / "ledger.sqlite3"
    ledger = Ledger.at(path)
    ledger.open_account("table", PrivacyBudget.of(epsilon=1.0), NeighboringRelation.ADD_REMOVE)
    answer(ledger, request())
    files = [entry.read_bytes() for entry in path.parent.iterdir()]
    assert any(b"mean of age" in content for content in files)
    assert not any(str(SECRET).encode() in content for content in files)
