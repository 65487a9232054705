"""The counts of a synthetic table: what a row changes, the law of the choice, and the cost."""

import json
import math
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pandas as pd
import pytest
from scipy.special import betainc

from dpcore.analyses.base import Mode, Request
from dpcore.analyses.reading import request_from
from dpcore.analyses.spanning_tree import SyntheticQuery, TreeDraw, TreePlan, pairs_of
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.errors import ParameterError
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.transaction import release
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.privacy.composition import compose
from dpcore.privacy.events import event_from
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.studies.auditing.lower_bound import audit
from dpcore.studies.auditing.trials import TrialDraws, batches, of_person, worst
from dpcore.synthesis import released_counts
from dpcore.synthesis.fitting import deal, fit, plant, whole
from dpcore.synthesis.original import exact, ties
from dpcore.synthesis.pair_distances import pair_distances
from tests.conftest import everything
from tests.terms import ADD_REMOVE, SUBSTITUTION

RELATIONS = tuple(NeighboringRelation)
DELTAS = (1e-5, 0.0)
REPLACE, DROP = MissingPolicy.REPLACE, MissingPolicy.DROP
NOW = datetime(2026, 1, 2, tzinfo=UTC)


def column(name, *labels, missing=REPLACE):
    known = labels or ("no", "yes")
    kind = ColumnKind.CATEGORY if labels else ColumnKind.YES_NO
    more = {"replacement": known[0]} if missing is REPLACE else {}
    return Column(name=name, kind=kind, labels=known, missing=missing, **more)


THREE = (column("a"), column("b"), column("c", "x", missing=DROP))
WANTED = ((), ((0, 2),), ((0, 2), (0, 1)))
AGREEING = (column("a"), column("b"), column("c"), column("d", missing=DROP))


def asked(
    columns=THREE, relation=ADD_REMOVE, *, people=4, epsilon=1.0, delta=1e-5, rows=1, wanted=()
):
    unit = PrivacyUnit(rows=rows)
    size = TableSize(people=people, public=unit.keeps_number(relation))
    query = SyntheticQuery.of(
        [(one, None) for one in columns], relation=relation, unit=unit, size=size, wanted=wanted
    )
    return Request(query=query, mechanism_key="spanning-tree", epsilon=epsilon, delta=delta)


def table(records, columns=THREE):
    frame = pd.DataFrame(list(records), columns=[one.name for one in columns], dtype="str")
    return Dataset(name="t", frame=frame, columns=columns)


def neighbors(relation, *, most=2):
    """All small tables, each with all its neighbors, as records."""
    records = [*product(("no", "yes"), ("no", "yes"), ("x", "y", None))]
    for people in range(2, most + 1):
        for rows in combinations_with_replacement(records[::2], people):
            for other in [()] if relation is ADD_REMOVE else [(one,) for one in records]:
                yield rows, (*rows[1:], *other)


def trees(number):
    """All sets of pairs that make a tree."""
    plan = asked([column(f"c{i}") for i in range(number)]).plan
    for chosen in combinations([pair for pair, _ in pairs_of(plan.shape)], number - 1):
        kept = [pair for at, pair in enumerate(chosen) if pair in plan.candidates(chosen[:at])]
        if len(kept) == number - 1:
            yield chosen


@pytest.mark.parametrize("relation", RELATIONS)
def test_no_row_changes_more_than_the_sensitivities_say(relation):
    request = asked(relation=relation, people=3)
    plan, rng = request.plan, np.random.default_rng(1)
    noisy = rng.normal(2, 3, sum(plan.shape))
    counted = {}
    largest = np.zeros(3)
    for one, other in neighbors(relation):
        values = []
        for rows in (one, other):
            if rows not in counted:
                counted[rows] = request.query.counts(table(rows))
            values.append(counted[rows])
        first, second = values
        scores = plan.scores(noisy, first)
        moved = [
            np.linalg.norm(plan.columns_of(first) - plan.columns_of(second)),
            max(
                np.linalg.norm(plan.pairs_in(first, tree) - plan.pairs_in(second, tree))
                for tree in trees(3)
            ),
            max(abs(moved - scores[pair]) for pair, moved in plan.scores(noisy, second).items()),
        ]
        largest = np.maximum(largest, moved)
    k = 1 if relation is ADD_REMOVE else 2
    assert largest[0] == pytest.approx(math.sqrt(3 * k)) == plan.columns_sensitivity.l2
    assert largest[1] == pytest.approx(math.sqrt(2 * k)) == plan.pairs_sensitivity.l2
    assert k * 0.99 < largest[2] <= plan.score_sensitivity.largest


def law(plan, columns, value):
    """The probability of every order in which pairs can be chosen."""
    found, scores = {plan.wanted: 1.0}, plan.scores(columns, value)
    for _ in range(plan.choices):
        steps = {chosen: plan.candidates(chosen) for chosen in found}
        found = {
            (*chosen, pair): found[chosen] * odds
            for chosen, among in steps.items()
            for pair, odds in zip(
                among, plan.choice.probabilities([scores[one] for one in among]), strict=True
            )
        }
    return found


@pytest.mark.parametrize("wanted", WANTED[:2])
@pytest.mark.parametrize("relation", RELATIONS)
def test_the_choice_of_a_tree_reveals_no_more_than_its_price(relation, wanted):
    request = asked(relation=relation, people=3, epsilon=3.0, delta=1e-2, wanted=wanted)
    plan, noisy = request.plan, np.random.default_rng(2).normal(2, 3, 7)
    each = plan.choice.epsilon(plan.score_sensitivity)
    largest, known = 0.0, {}
    for pair in neighbors(relation):
        for rows in pair:
            if rows not in known:
                known[rows] = law(plan, noisy, request.query.counts(table(rows)))
        first, second = (known[rows] for rows in pair)
        p, q = np.array([*first.values()]), np.array([second[order] for order in first])
        assert p.sum() == pytest.approx(1) == q.sum()
        assert len(p) == (2 if wanted else 6)
        largest = max(largest, float(np.abs(np.log(p / q)).max()))
        for order in (1.5, 2.0, 8.0):
            divergence = math.log(float(np.sum(p**order * q ** (1 - order)))) / (order - 1)
            assert divergence <= order * plan.choices * each**2 / 8 + 1e-12
    assert 0.1 * each < largest <= plan.choices * each


@pytest.mark.parametrize("wanted", WANTED)
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("rows", [1, 2])
def test_its_steps_cost_what_is_charged(relation, rows, wanted):
    request = asked(relation=relation, rows=rows, wanted=wanted)
    plan, event = request.plan, request.plan.event
    parts = plan.columns_sensitivity.l2**2 / (
        2 * plan.columns_noise.noise**2
    ) + plan.pairs_sensitivity.l2**2 / (2 * plan.pairs_noise.noise**2)
    if plan.choices:
        parts += plan.choices * plan.choice.epsilon(plan.score_sensitivity) ** 2 / 8
    assert plan.rho == pytest.approx(parts)
    assert parts <= request.cost.rho
    assert 1 - 1e-6 < plan.worst_case(delta=1e-5) <= request.epsilon
    assert request.claim_holds
    assert plan.columns_sensitivity.l2 == pytest.approx(
        rows * math.sqrt(3 * (1 if relation is ADD_REMOVE else 2))
    )
    assert event_from(json.loads(json.dumps(event.to_dict()))) == event
    noise = Gaussian(noise=1 / event.ratio).epsilon(replace(plan.each, l2=1.0), delta=1e-5)
    together = compose([event, event], delta=1e-5)
    assert noise < event.loss(1e-3).get_epsilon_for_delta(1e-5) < 2 * request.epsilon
    assert max(together.pld, together.zcdp) < 2 * request.epsilon < together.basic


@pytest.mark.parametrize("wanted", WANTED)
@pytest.mark.parametrize("relation", RELATIONS)
def test_without_a_delta_no_result_moves_the_odds_by_more_than_epsilon(relation, wanted):
    """Far out, the noise moves them by its whole part, 4/5 of epsilon."""
    request = asked(relation=relation, people=3, epsilon=2.0, delta=0.0, wanted=wanted)
    plan, largest, rng = request.plan, 0.0, np.random.default_rng(3)
    assert plan.event == event_from(json.loads(json.dumps(plan.event.to_dict())))
    assert 1 - 1e-6 < plan.worst_case() / request.epsilon <= 1
    assert request.claim_holds
    assert request.cost.delta == 0
    values = {}
    tree = [
        (*wanted, *(pair for pair in tree if pair not in wanted))
        for tree in trees(3)
        if {*wanted} <= {*tree}
    ]
    for pair in [*neighbors(relation)][::7]:
        for rows in pair:
            if rows not in values:
                values[rows] = request.query.counts(table(rows))
        spread = rng.choice([1.0, 100.0])
        chosen = tree[rng.integers(len(tree))]
        drawn = TreeDraw(
            columns=rng.laplace(1, spread, sum(plan.shape)),
            chosen=chosen,
            pairs=rng.laplace(1, spread, len(plan.pairs_in(values[pair[0]], chosen))),
        )
        moved = plan.log_density(drawn, values[pair[0]]) - plan.log_density(drawn, values[pair[1]])
        largest = max(largest, abs(moved))
    assert 0.5 * request.epsilon < largest <= request.epsilon * (1 + 1e-9)


def agreeing(people=400):
    """Two columns that agree, one that nearly agrees with them, and one alone."""
    rng = np.random.default_rng(5)
    first = rng.random(people) < 0.4
    near = first ^ (rng.random(people) < 0.1)
    alone = np.where(
        rng.random(people) < 0.2, None, np.where(rng.random(people) < 0.5, "yes", "no")
    )
    named = [np.where(x, "yes", "no") for x in (first, first, near)]
    return table(zip(*named, alone, strict=True), AGREEING)


def test_with_hardly_any_noise_the_table_keeps_the_pairs_that_say_most():
    data = agreeing()
    request = asked(AGREEING, SUBSTITUTION, people=400, epsilon=1e5)
    value = request.value(data)
    halves = [replace(data, frame=data.frame.iloc[part]) for part in (slice(90), slice(90, None))]
    assert (sum(request.query.counts(half) for half in halves) == value).all()
    answer = request.plan.answer(value, cost=request.cost)
    drawn = request.plan.recorded(answer.labels, answer.values)
    assert drawn.chosen[0] == (0, 1)
    assert drawn.chosen[1] in {(0, 2), (1, 2)}
    assert answer.labels[:2] == ("a: no", "a: yes")
    assert answer.labels[6:9] == ("d: no", "d: yes", "d: no value")
    forest, made = generated(request, record(request, data))
    assert not forest.left_out
    assert len(made) == 400
    for one in forest.kept:
        assert np.abs(one.counts - exact(one, data)).max() < 0.5
    assert made["d"].isna().sum() == data.frame["d"].isna().sum()
    assert max(tie.apart for tie in ties(forest, data, made) if tie.kept) == 0


def record(request, data, mode=Mode.CLASSROOM):
    ledger, name = Ledger.in_memory(), "0" * 64
    budget = PrivacyBudget.of(epsilon=1e6, delta=0.5)
    ledger.open_account(name, budget, request.relation, request.unit.rows)
    value = request.value(data)
    return release(request, value, ledger=ledger, fingerprint=name, mode=mode, now=NOW)


def generated(request, answer, seed=1):
    forest = plant(released_counts.read(answer, request))
    made = deal(forest, whole(forest, fit(forest)), rng=np.random.default_rng(seed))
    return forest, made


# Without a choice, and after one that is bad on purpose.
ALL = ((0, 3), (1, 3), (2, 3))


@pytest.mark.slow
@pytest.mark.parametrize("wanted", [(), ALL])
@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("relation", RELATIONS)
def test_no_pair_is_farther_from_the_original_than_is_said(relation, delta, wanted):
    data, public = agreeing(), relation is SUBSTITUTION
    request = asked(AGREEING, relation, people=400 if public else 1, delta=delta, wanted=wanted)
    loosest, failed = 0.0, 0
    for _ in range(20):
        answer = record(request, data)
        forest, made = generated(request, answer)
        plan = request.plan
        drawn = plan.recorded(answer.labels, answer.values)
        axes = released_counts.axes_of(request.query)
        said = {frozenset(x[:2]): x for x in pair_distances(plan, drawn, axes, made)}
        assert sum(one.counted for one in said.values()) == 3
        if not plan.choices:
            assert all(one.counted or one.said == "no bound" for one in said.values())
        for tie in ties(forest, data, made):
            far = tie.apart if public else tie.apart * min(400, len(made)) / len(made)
            most = said[frozenset((tie.first, tie.second))].most
            failed += far > most
            loosest = max(loosest, far / most)
    assert failed <= 2
    assert loosest > 0.1


def test_a_pair_that_was_asked_for_bounds_no_other():
    """Columns a and b agree, but neither could be chosen with the other any more."""
    data = agreeing()
    request = asked(AGREEING, SUBSTITUTION, people=400, epsilon=1e4, wanted=ALL[:2])
    answer = record(request, data)
    drawn = request.plan.recorded(answer.labels, answer.values)
    _, made = generated(request, answer)
    found = pair_distances(request.plan, drawn, released_counts.axes_of(request.query), made)
    said = {one.first + one.second: one.said for one in found}
    assert said["ab"] == "no bound"
    assert said["ad"].startswith("at most ")
    assert said["cd"].startswith("at most ")


def test_what_it_cannot_be_asked_is_refused():
    for columns, said in (
        ((THREE[0],), "2 to 20 different"),
        ((THREE[0], THREE[0]), "different"),
        ((column("a", *map(str, range(21))), column("b", *map(str, range(21)))), "400 cells"),
    ):
        with pytest.raises(ParameterError, match=said):
            asked(columns)
    with pytest.raises(ParameterError, match="cycle with “b” with “c”"):
        asked(wanted=((0, 1), (0, 2), (1, 2)))
    with pytest.raises(ParameterError, match="cycle"):
        asked(wanted=((0, 1), (0, 1)))
    with pytest.raises(ParameterError, match="guarantee stands"):
        asked().query.values(table([("no", "no", "x")]))
    with pytest.raises(ParameterError, match="public number"):
        asked(relation=SUBSTITUTION, people=9).value(table([("no", "no", "x")]))


@pytest.mark.parametrize("wanted", WANTED)
@pytest.mark.parametrize("delta", DELTAS)
def test_the_same_press_is_charged_once_and_read_back(tmp_path, delta, wanted):
    request = asked(AGREEING, people=1, delta=delta, wanted=wanted)
    data, name = agreeing(), "0" * 64
    budget = PrivacyBudget.of(epsilon=2, delta=10 * delta)
    ledger, value = Ledger.at(tmp_path / "ledger.sqlite3"), request.value(data)
    ledger.open_account(name, budget, ADD_REMOVE)
    told = {"fingerprint": name, "mode": Mode.RELEASE, "now": NOW}
    answers = [release(request, value, ledger=ledger, **told) for _ in range(2)]
    assert answers[0] == answers[1]
    again = Ledger.at(tmp_path / "ledger.sqlite3")
    again.verify()
    (stored,) = again.releases(name)
    assert again.account(name).spent == request.cost
    assert stored == answers[0]
    assert request_from(stored.request, data) == request
    assert len(released_counts.read(stored, request)) == 7
    assert {*wanted} <= {*request.plan.recorded(stored.labels, stored.values).chosen}
    forest, made = generated(request, stored)
    assert made.equals(generated(request, stored)[1])
    assert {frozenset(one.names) for one in forest.pairs} == {
        frozenset("abcd"[at] for at in pair)
        for pair in request.plan.recorded(stored.labels, stored.values).chosen
    }


def faulty(request, times):
    """The same plan, whose noise on pairs is too small by a factor."""
    plan = request.plan
    plan.__dict__["pairs_noise"] = replace(plan.pairs_noise, noise=plan.pairs_noise.noise * times)
    return request


@pytest.mark.slow
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("delta", [1e-3, 0.0])
@pytest.mark.parametrize(("times", "refuted"), [(1.0, False), (0.1, True)])
def test_an_audit_refutes_a_release_with_too_little_noise_alone(relation, times, refuted, delta):
    people = 400 if relation is SUBSTITUTION else 1
    pairs = worst, lambda request: of_person(request, agreeing(), 0, 399)
    for pair in pairs if everything() else pairs[:1]:
        trial = pair(faulty(asked(AGREEING, relation, people=people, delta=delta), times))
        drawn = TrialDraws.together(batches(trial, 160))
        assert audit(trial, drawn, confidence=0.99).refuted is refuted


def one_run_bound(right, guesses, *, canaries, delta, confidence=0.99):
    """The largest ε that one run refutes (Steinke, Nasr and Jagielski 2023, theorem 5.2)."""

    def chance(epsilon):
        p = 1 / (1 + math.exp(-epsilon))
        tail = lambda v: 1.0 if v <= 0 else float(betainc(v, guesses - v + 1, p))  # noqa: E731
        own = tail(right)
        lost = max((tail(right - i) - own) / i for i in range(1, right + 1))
        return own + 2 * canaries * delta * lost

    levels = np.arange(0, 8, 0.02)
    held = [level for level in levels if chance(level) <= 1 - confidence]
    return max(held, default=0.0)


def refuted_in_one_run(times, seed):
    """Audit one release: of 400 records, each alone in its cell, which half is there?"""
    columns = [column(name, *map(str, range(19))) for name in ("a", "b")]
    request = faulty(asked(columns, people=1, delta=1e-6), times)
    plan, there = request.plan, np.random.default_rng(seed).random(400) < 0.5
    assert isinstance(plan, TreePlan)
    answer = plan.answer(there.astype(float), cost=request.cost)
    noisy = plan.recorded(answer.labels, answer.values).pairs
    order = np.argsort(noisy)
    right = int(there[order[-100:]].sum() + (~there[order[:100]]).sum())
    return one_run_bound(right, 200, canaries=400, delta=1e-6) > request.epsilon


@pytest.mark.slow
@pytest.mark.parametrize(("times", "refuted"), [(1.0, False), (0.02, True)])
def test_one_run_audits_it(times, refuted):
    assert refuted_in_one_run(times, 8) == refuted
