"""Labels that are found in rounds: their law, their price, and their record."""

import math
from dataclasses import replace
from itertools import combinations_with_replacement, product

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr

from dpcore.data.columns import Column, ColumnKind
from dpcore.data.dataset import Dataset
from dpcore.data.preparation.contribution_bounds import RowCap, at_most
from dpcore.errors import ParameterError
from dpcore.individual.release_losses import release_losses
from dpcore.mechanisms import label_rounds
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.label_rounds import SHARES, LabelHoldings, LabelRounds, weight
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.studies.auditing.lower_bound import audit
from dpcore.studies.auditing.trials import TrialDraws, batches, claim, of_rounds, worst
from tests.releases.questions import found_labels, labels_in_rounds
from tests.terms import ADD_REMOVE, SUBSTITUTION

RELATIONS = tuple(NeighboringRelation)
LABELS = ("a", "b", "c")
OUTCOMES = np.array([*product(range(len(SHARES) + 1), repeat=len(LABELS))])
OWNED = [(), ("a",), ("b",), ("c",), ("a", "b"), ("a", "c"), ("b", "c")]
CERTAIN = 1 - 1e-9


def counted(people):
    return {each: people.count(each) for each in set(people)}


def law_of(rounds, people):
    """The probability of every outcome, round by round and label by label."""
    chance = dict.fromkeys(map(tuple, OUTCOMES.tolist()), 0.0)

    def follow(found, number, so_far):
        if number == len(SHARES):
            chance[tuple(found.get(label, 0) for label in LABELS)] += so_far
            return
        sums = {}
        for own in people:
            left = [label for label in own if label not in found]
            for label in left:
                sums[label] = sums.get(label, 0.0) + float(weight(len(left)))
        passes = {
            label: 1 - ndtr((rounds.thresholds[number] - total) / rounds.scales[number])
            for label, total in sums.items()
        }
        for which in product((False, True), repeat=len(passes)):
            shown = dict(zip(passes, which, strict=True))
            odds = math.prod(p if shown[label] else 1 - p for label, p in passes.items())
            new = {label: number + 1 for label in shown if shown[label]}
            follow(found | new, number + 1, so_far * odds)

    follow({}, 0, 1.0)
    return np.array([*chance.values()])


def small(relation, epsilon=1.0, delta=0.4):
    """So cheap a guarantee that labels of one person are often found."""
    return labels_in_rounds(relation=relation, epsilon=epsilon, delta=delta)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.4), (3.0, 0.02)])
def test_no_table_is_told_from_a_neighbor_by_more_than_its_price(relation, epsilon, delta):
    """Of up to three people with at most two of three labels, whatever they are."""
    asked, largest = small(relation, epsilon, delta), 0.0
    others = [()] if relation is ADD_REMOVE else OWNED
    laws = {}

    def known(people):
        key = tuple(sorted(people))
        if key not in laws:
            laws[key] = law_of(asked.plan.law, key)
            assert laws[key].sum() == pytest.approx(1)
        return laws[key]

    for rest in (x for n in range(3) for x in combinations_with_replacement(OWNED, n)):
        for own, other in product(OWNED, others):
            one, two = known((*rest, own)), known((*rest, other))
            for here, there in ((one, two), (two, one)):
                apart = float(np.maximum(here - math.exp(epsilon) * there, 0).sum())
                largest = max(largest, apart)
                differ = float(np.maximum(here - there, 0).sum())
                assert differ <= asked.plan.largest_chance
    assert 0.3 * delta < largest <= delta * (1 + 1e-9)


@pytest.mark.slow
def test_the_law_of_draws_is_that_of_every_round():
    law, people = small(SUBSTITUTION).plan.law, [("a", "b"), ("a", "b"), ("b",)]
    held = LabelHoldings.of(counted(people), LABELS)
    expected = law_of(law, people)
    assert np.exp(law.log_probability(OUTCOMES, held)) == pytest.approx(expected, abs=1e-12)
    draws = 1500
    drawn = law.secure_draw(held, draws) @ (16, 4, 1)
    found = np.bincount(drawn, minlength=len(expected)) / draws
    assert (np.abs(found - expected) < 6 * np.sqrt((expected + 1 / draws) / draws)).all()


def test_weights_of_a_person_are_no_longer_than_one_and_sums_are_exact():
    labels = np.arange(1, 10**5)
    each = weight(labels)
    parts = (each * 2**20).astype(object)
    pairs = zip(map(int, parts), labels.tolist(), strict=True)
    assert all(part**2 * n <= 4**20 < (part + 1) ** 2 * n for part, n in pairs)
    assert (each * 2**20 == np.floor(each * 2**20)).all()


@pytest.mark.parametrize("most", [1, 2, 7, 100])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-9), (1.0, 1e-6), (8.0, 0.3)])
def test_thresholds_hold_for_any_number_of_own_labels_and_are_the_least(most, epsilon, delta):
    rounds = LabelRounds.calibrate(epsilon=epsilon, delta=delta, most=most, length=1.0)
    held = np.arange(1, most + 1)
    for scale, threshold, share in zip(rounds.scales, rounds.thresholds, SHARES, strict=True):
        alone = ndtr((weight(held) - threshold) / scale)
        some = -np.expm1(held * np.log1p(-alone))
        assert some.max() == pytest.approx(share * delta / 2, rel=1e-6)
        assert some.max() <= share * delta / 2
    whole = Gaussian(noise=1 / rounds.mu)
    rest = epsilon + math.log1p(-delta / 2)
    assert whole.pairwise_delta([0.0], [1.0], epsilon=rest) == pytest.approx(delta / 2, rel=1e-9)


def test_weights_of_neighbors_differ_by_the_sensitivity():
    """Of every pair of sets of labels among four, with one of them left or all."""
    for relation in RELATIONS:
        asked, moved = labels_in_rounds(relation=relation, cap=3), 0.0
        owned = [own for own in product((0, 1), repeat=6) if sum(own) <= 3]
        sums = [np.array(own) * (weight(sum(own)) if any(own) else 0.0) for own in owned]
        for own in sums:
            for other in [np.zeros(6)] if relation is ADD_REMOVE else sums:
                moved = max(moved, float(np.linalg.norm(own - other)))
        known = asked.sensitivity
        assert moved <= known.l2
        assert moved == pytest.approx(known.l2, rel=1e-5)


def test_a_label_needs_no_more_people_than_said_whatever_else_they_have():
    law = labels_in_rounds(cap=3, relation=ADD_REMOVE, epsilon=4.0, delta=1e-3).plan.law
    for labels in (1, 3):
        enough = law.people_needed(0.5, labels)
        assert law.released(enough - 1, labels) < 0.5 <= law.released(enough, labels)
    # Others of their labels are found by many, or by nobody else.
    for others in (0, 50):
        people = {("a", "b", "c"): 8, ("b", "c"): others}
        chance = np.exp(law.log_probability(OUTCOMES, LabelHoldings.of(people, LABELS)))
        found = chance[OUTCOMES[:, 0] > 0].sum()
        assert law.released(8, 3) - 1e-9 <= found <= law.released(8, 1) + 1e-9


def capped(rows, most=2):
    frame = pd.DataFrame(rows, columns=["who", "town"]).astype("str")
    who = Column(name="who", kind=ColumnKind.IDENTIFIER)
    town = Column(name="town", kind=ColumnKind.CATEGORY)
    source = Dataset(name="visits", frame=frame, columns=(who, town))
    return at_most(source, RowCap(owners=("who",), most=most), key=b"k" * 16)


ROWS = [
    ("ann", "x"),
    ("ann", "x"),
    ("bob", "y"),
    ("bob", "x"),
    ("cy", "y"),
    ("cy", "x"),
    ("di", ""),
]


def test_people_count_by_the_labels_that_they_have_together():
    data = capped(ROWS)
    query = replace(labels_in_rounds().query, column=data.columns[-1])
    assert query.value(data) == {("x",): 1, ("x", "y"): 2}
    with pytest.raises(ParameterError, match="number of rows"):
        replace(query, unit=PrivacyUnit(cap=3)).value(data)
    with pytest.raises(ParameterError, match="one label"):
        replace(query, unit=PrivacyUnit())


def test_frequent_labels_are_found_and_nothing_else_is_said():
    asked = labels_in_rounds(relation=ADD_REMOVE)
    value = {("x", "y"): 500, ("z",): 600, ("x", "alone"): 1}
    made = asked.plan.answer(value, cost=asked.cost)
    assert made.labels == ("x", "y", "z")
    assert set(made.values) <= {1.0, 2.0, 3.0}
    assert made.intervals is None
    nothing = asked.plan.answer({("alone",): 1}, cost=asked.cost)
    assert (nothing.labels, nothing.unsaid) == ((), ("labels",))
    assert asked.plan.answer({}, cost=asked.cost).unsaid == ("labels",)


@pytest.mark.parametrize("relation", RELATIONS)
def test_everybody_with_a_label_loses_the_guarantee_at_most(relation):
    data = capped(ROWS)
    asked = labels_in_rounds(relation=relation)
    asked = replace(asked, query=replace(asked.query, column=data.columns[-1]))
    query = asked.query

    def losses(change):
        return release_losses(
            asked.plan,
            query.statistic,
            query.values(data),
            rows=query.rows(data),
            people=data.people,
            relation=change,
        ).own.tolist()

    outside = 0.0 if relation is ADD_REMOVE else asked.epsilon
    assert losses(relation) == [asked.epsilon] * 3 + [outside]
    if relation is ADD_REMOVE:
        # It is no guarantee for another record instead.
        assert losses(SUBSTITUTION) == [math.inf] * 3 + [asked.epsilon]


def test_more_changes_than_neighbors_have_are_no_part_of_a_guarantee():
    plan = found_labels(relation=ADD_REMOVE).plan
    assert plan.pairwise_epsilon([5.0, 5.0], [4.0, 5.0], delta=plan.delta) == pytest.approx(1.0)
    assert plan.pairwise_epsilon([5.0, 5.0], [4.0, 6.0], delta=plan.delta) == math.inf


@pytest.mark.slow
@pytest.mark.parametrize("relation", RELATIONS)
def test_an_audit_does_not_refute_the_promise(relation):
    honest = worst(labels_in_rounds(relation=relation, delta=0.01))
    drawn = TrialDraws.together(batches(honest, 400))
    assert not audit(honest, drawn, confidence=0.99).refuted


@pytest.mark.slow
@pytest.mark.parametrize("relation", RELATIONS)
def test_an_audit_finds_each_fault(relation, monkeypatch):
    rng = np.random.default_rng(1)
    monkeypatch.setattr(label_rounds, "covering", lambda *known: known[2])
    monkeypatch.setattr(label_rounds, "drawn_by", lambda scale, sums: rng.normal(sums, scale))
    asked = labels_in_rounds(relation=relation, cap=16, delta=0.01)
    plan, names = asked.plan, tuple("abcdefghijklmnop")
    # Weights that are not divided: 16 labels move sums four times as far.
    whole = replace(plan.law, scales=tuple(scale / 4 for scale in plan.law.scales))
    broken = replace(asked)
    broken.__dict__["plan"] = replace(plan, law=whole)
    # A threshold that forgets that labels of one person alone get noise, too.
    low = replace(plan.law, thresholds=(*plan.law.thresholds[:2], 1.0))
    others = {("x",): 20, ("y",): 20}
    gone = {("x",): 21} if relation is SUBSTITUTION else {}
    alone = others | {names: 1}, others | gone
    faults = (
        worst(broken),
        of_rounds(replace(plan, law=low), alone, claim(asked), ("with", "without")),
    )
    found = [
        audit(each, TrialDraws.together(batches(each, 4000)), confidence=CERTAIN).refuted
        for each in faults
    ]
    assert found == [True, True]
