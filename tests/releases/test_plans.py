"""One release of every kind of plan, from the table to the files."""

import csv
import io
import json
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from dpcore.analyses.base import Mode
from dpcore.analyses.matrix import JointQuery
from dpcore.errors import BudgetExceeded, ClaimError, ParameterError
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.transaction import release
from dpcore.postprocessing.share_constraints import ConstraintKind
from dpcore.privacy_filter import PrivacyBudget, computed, typed
from dpcore.relations import NeighboringRelation
from dpcore.releases.record import Release
from dpcore.releases.table import to_csv
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.pooled import GroupSizes
from tests.releases.questions import AGE, asked, by_group, matrix, ranks, shares, terms
from tests.statistics.columns import category

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
POOLED = asked(
    JointQuery(
        kind=StatisticKind.POOLED_VARIANCE,
        numbers=(AGE,),
        group=Grouping.of(category()),
        groups=GroupSizes(sizes=(10, 10, 10)),
        **terms(30),
    ),
    "bit",
    epsilon=0.4,
)
REQUESTS = {
    "median": ranks(people=30, epsilon=0.4),
    "quantile": ranks(q=0.9, people=30, epsilon=0.4),
    "rescaled shares": shares(people=30, epsilon=0.4),
    "projected shares": shares("laplace", ConstraintKind.PROJECT, epsilon=0.4),
    "shares all but one": shares("bit", ConstraintKind.ALL_BUT_ONE, epsilon=0.4),
    "shares in a tree": shares("folded", ConstraintKind.TREE, cells=4, epsilon=0.4),
    "shares three times": shares("truncated", syntheses=3, epsilon=0.4),
    "shares as drawn": replace(shares(epsilon=0.4), constraint=None),
    "matrix": matrix(columns=3, people=30, epsilon=0.4),
    "weighted matrix": matrix("laplace", epsilon=0.4, weights=(1.0, 2.0, 3.0)),
    "correlation": matrix(kind=StatisticKind.CORRELATION, epsilon=0.4),
    "by group": by_group(epsilon=0.4),
    "pooled": POOLED,
}


def opened(epsilon=1.0):
    ledger = Ledger.in_memory()
    budget = PrivacyBudget.of(epsilon=epsilon, delta=1e-5)
    ledger.open_account("table", budget, NeighboringRelation.SUBSTITUTION)
    return ledger


def value_of(request):
    """A value that the statistic may have: that of people who are all alike."""
    query = request.query
    if isinstance(query, JointQuery) and query.kind.pooled:
        people = np.repeat(np.arange(3.0), 10)
        return query.statistic.value(np.column_stack([40 + people, people]))
    entry = [0.5] * len(query.columns) if query.kind.of_matrix else 1.0
    if query.kind.by_group:
        entry = [40.0, 1.0]
    return query.statistic.value(np.array([entry] * query.size.people))


def answer(request, ledger, *, mode=Mode.RELEASE):
    return release(
        request, value_of(request), ledger=ledger, fingerprint="table", mode=mode, now=NOON
    )


@pytest.mark.parametrize("name", REQUESTS)
def test_a_release_of_any_kind_is_paid_once_and_kept(name):
    request, ledger = REQUESTS[name], opened()
    first = answer(request, ledger)
    assert answer(request, ledger) == first
    assert ledger.account("table").releases == 1
    assert first.cost.epsilon == typed(0.4)
    assert first.cost.rho == computed(request.plan.rho)
    assert first.cost == ledger.account("table").spent
    assert first.title == request.title
    assert first.title.startswith(request.query.title)
    assert first.unit == request.query.unit_text
    assert first.noise == request.plan.noise
    assert first.event == request.plan.event.to_dict()
    assert first.mechanism_label == request.entry.label
    again = answer(replace(request, draw=2), ledger)
    assert again.id != first.id
    with pytest.raises(BudgetExceeded):
        answer(replace(request, draw=3), ledger)
    assert ledger.account("table").releases == 2


@pytest.mark.parametrize("name", REQUESTS)
def test_records_of_any_kind_survive_json_and_csv(name):
    first = answer(REQUESTS[name], opened())
    assert Release.from_json(first.to_json()) == first
    rows = list(csv.DictReader(io.StringIO(to_csv([first]), newline="")))
    labels = [row["label"] for row in rows]
    assert labels == [*first.labels, *first.derived, *first.unsaid]
    told = [*first.values, *first.derived.values()]
    # Counts are written whole.
    written = [
        round(value) if label.startswith("people in ") else value
        for label, value in zip(labels, told, strict=False)
    ]
    assert [float(row["value"]) for row in rows[: len(told)]] == written
    for row in rows[len(told) :]:
        assert row["value"] == "too few to say"
    around = (first.intervals.noise if first.intervals else None) or {}
    for row in rows[len(first.labels) :]:
        has_interval = row["label"] in around and row["label"] in first.derived
        assert bool(row["level"]) is bool(row["noise_lower"]) is has_interval
        assert bool(row["total_upper"]) is has_interval
        assert has_interval is row["label"].startswith(("corr(", "people in "))
        assert row["id"] == first.id
    for row in rows[len(first.labels) : len(told)]:
        assert row["unit"] == ("people" if row["label"] in first.units else "")
    for row in rows[: len(first.labels)]:
        assert row["unit"] == first.unit
        assert bool(row["level"]) is (first.intervals is not None)


def test_weights_and_constraints_make_other_analyses():
    requests = [
        shares(),
        replace(shares(), constraint=None),
        shares("bit", ConstraintKind.PROJECT),
        shares("bit", ConstraintKind.ALL_BUT_ONE, remainder=0),
        shares("bit", ConstraintKind.ALL_BUT_ONE, remainder=1),
        shares(syntheses=2),
        shares("bit", ConstraintKind.TREE),
        shares("bit", ConstraintKind.TREE, branching=3),
        matrix(),
        matrix(weights=(1.0, 1.0, 2.0)),
        matrix(kind=StatisticKind.CORRELATION),
    ]
    names = {request.analysis("table") for request in requests}
    assert len(names) == len(requests)
    assert matrix(weights=(1.0,) * 3).parameters() == matrix().parameters()
    for request in requests:
        parameters = request.parameters()
        assert json.loads(json.dumps(parameters, allow_nan=False)) == parameters
        assert ("constraint" in parameters) is (request.constraint is not None)
        assert ("weights" in parameters) is (request.weights is not None)


@pytest.mark.parametrize("key", ["matrix", "rescaled shares"])
def test_a_false_claim_is_shown_at_its_real_cost_in_a_classroom_only(key):
    request = replace(REQUESTS[key], mechanism_key="truncated-published")
    ledger = opened()
    with pytest.raises(ClaimError, match="has ε = 0"):
        answer(request, ledger)
    assert ledger.account("table").releases == 0
    lesson = answer(request, ledger, mode=Mode.CLASSROOM)
    assert lesson.cost.epsilon == computed(request.plan.worst_case())
    assert float(lesson.cost.epsilon) > 0.4


def test_what_cannot_be_drawn_spends_nothing():
    ledger = opened()
    request = matrix("truncated", epsilon=0.4, weights=(1.0, 1000.0, 1.0))
    with pytest.raises(ParameterError, match="too small to truncate with"):
        answer(request, ledger)
    assert ledger.account("table").releases == 0
