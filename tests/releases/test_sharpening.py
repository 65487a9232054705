"""Sharper answers: the joint law of two answers, its audit, and what the ledger charges."""

import math
import random
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

from dpcore.analyses import secure, sharpening
from dpcore.analyses.base import Mode, Request
from dpcore.analyses.number import Query
from dpcore.analyses.reading import request_from
from dpcore.analyses.sharpening import EarlierAnswer, noise_within, sharper_noise
from dpcore.data.bounds import Interval
from dpcore.data.dataset import Dataset
from dpcore.errors import BudgetExceeded, LedgerError, ParameterError
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.sharper_answers import obstacle, sharper_request
from dpcore.ledger.transaction import release
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.mechanisms.boundary_inflated_geometric import BoundaryInflatedGeometric
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.privacy.composition import compose
from dpcore.privacy.events import event_from
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from dpcore.releases.record import Release, charges, in_force, sharper
from dpcore.statistics.kinds import StatisticKind
from dpcore.studies.auditing.lower_bound import audit
from dpcore.studies.auditing.trials import Trial, TrialDraws
from dpcore.studies.meaning.attacker import Guarantee
from tests.conftest import few
from tests.releases.questions import AGE, apart, chained, crossed, terms
from tests.releases.test_rebuilding import REQUESTS
from tests.terms import SUBSTITUTION

CERTAIN = 1 - 1e-9
PAIRS = [(0.2, 0.5), (0.9, 1.0), (0.3, 2.5)]
PLACES = np.arange(-250, 251)
NOW = datetime(2026, 1, 2, tzinfo=UTC)
TABLE = Dataset(
    name="t", frame=pd.DataFrame({"age": ["10", "20", "30", "40", "50"]}), columns=(AGE,)
)


def geometric(rate):
    q = math.exp(-rate)
    return (1 - q) / (1 + q) * np.exp(-rate * abs(PLACES))


def conditional(noise, a, b):
    """The law of the sharper noise, as the sampler makes it, over PLACES."""
    d = abs(noise)
    same = math.exp(-(b - a) * d) * math.sinh(a) / math.sinh(b)
    other = np.exp(-b * abs(PLACES) - a * abs(noise - PLACES))
    return same * (noise == PLACES) + (1 - same) * other / other.sum()


def joint(a, b, shift=0):
    """Probability of each pair of answers (first, second) around a value, by enumeration.

    As they are drawn: the first with its noise, the second given the first.
    """
    first = geometric(a)
    table = first[:, None] * np.array([conditional(int(d), a, b) for d in PLACES])
    return np.roll(table, (shift, shift), axis=(0, 1))


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_the_second_answer_alone_has_the_law_of_a_single_one(a, b):
    inner = abs(PLACES) <= 60
    np.testing.assert_allclose(joint(a, b).sum(axis=0)[inner], geometric(b)[inner], atol=1e-12)


@pytest.mark.parametrize(("a", "b"), PAIRS)
@pytest.mark.parametrize("shift", [-3, 1, 2])
def test_the_pair_reveals_no_more_than_the_second_answer(a, b, shift):
    inner = slice(190, 311)
    here, there = joint(a, b)[inner, inner], joint(a, b, shift)[inner, inner]
    loss = np.log(here) - np.log(there)
    assert abs(loss).max() <= b * abs(shift) * (1 + 1e-9)
    # The loss is that of the second answer, whatever the first one was.
    assert abs(loss - loss[0]).max() < 1e-8


def test_three_answers_reveal_no_more_than_the_last():
    rates, shift, few = (0.3, 0.5, 1.1), 1, range(-4, 5)
    first = geometric(rates[0])

    def probability(transcript, f):
        d = [y - f for y in transcript]
        p = first[d[0] + 250]
        for before, after, a, b in zip(d, d[1:], rates, rates[1:], strict=False):
            p *= conditional(before, a, b)[after + 250]
        return p

    losses = [
        math.log(probability((x, y, z), 0) / probability((x, y, z), shift))
        for x in few
        for y in few
        for z in few
    ]
    assert max(map(abs, losses)) <= rates[-1] * (1 + 1e-9)


def test_given_the_first_answer_alone_the_second_reveals_more():
    a, b = 0.5, 1.0
    given = np.log(conditional(-20, a, b)) - np.log(np.roll(conditional(-21, a, b), 1))
    assert given.min() == pytest.approx(-(a + b), rel=1e-6)


def seeded(seed):
    return random.Random(seed).getrandbits  # noqa: S311 - a test is to be the same each time


def agrees(counts, expected):
    """A chi-square test that fails once in a million."""
    kept = expected > 8
    off = ((counts - expected)[kept] ** 2 / expected[kept]).sum()
    return chi2.sf(off, kept.sum()) > 1e-6


@pytest.mark.parametrize("noise", few(1, 0, 3, -4))
def test_sharper_noise_is_drawn_from_its_conditional_law(noise):
    bits, number = seeded(noise), 4000
    rates = (Fraction(1, 3), Fraction(7, 10))
    drawn = [sharper_noise(noise, rates, bits) for _ in range(number)]
    counts = np.bincount(np.array(drawn) + 250, minlength=501)
    assert agrees(counts, number * conditional(noise, *map(float, rates)))


@pytest.mark.parametrize(
    "ends", [(-2, 30), (None, 1), (-1, 1), (3, None), (-9, -2), (4, 4), (0, 0), (-3, 0)]
)
def test_noise_is_drawn_again_within_what_was_rounded_or_clamped_together(ends):
    bits, number, rate = seeded(5), 4000, Fraction(1, 4)
    low, high = ends
    drawn = np.array([noise_within(low, high, rate, bits) for _ in range(number)])
    law = geometric(0.25)
    inside = ((-math.inf if low is None else low) <= PLACES) & (
        (math.inf if high is None else high) >= PLACES
    )
    law = np.where(inside, law, 0)
    assert inside[drawn + 250].all()
    assert agrees(np.bincount(drawn + 250, minlength=501), number * law / law.sum())


BOUNDS = Interval(lower=0.0, upper=10.0)
MECHANISMS = {
    "laplace": Laplace(noise=2.0),
    "bit": BoundaryInflatedLaplace(noise=2.0, bounds=BOUNDS),
    "bit-discrete": BoundaryInflatedGeometric(noise=2.0, bounds=BOUNDS),
}


def pairs(f, rates, number, *, independent=False, seed=0):
    bits = seeded(seed + f)
    found = []
    for _ in range(number):
        first = noise_within(None, None, rates[0], bits)
        second = (
            noise_within(None, None, rates[1], bits)
            if independent
            else sharper_noise(first, rates, bits)
        )
        found.append((f + first, f + second))
    return np.array(found, dtype=np.float64)


@pytest.mark.slow
@pytest.mark.parametrize("independent", [False, True])
def test_an_audit_refutes_independent_noise_for_the_difference_and_nothing_else(independent):
    rates, number = (Fraction(7, 10), Fraction(7, 5)), 4000

    def evidence(answers):
        weights = [float(rates[0]) if independent else 0.0, float(rates[1])]
        return (abs(answers - 1) - abs(answers)) @ weights

    trial = Trial(
        claim=Guarantee(epsilon=1.4),
        labels=("first", "second"),
        sides=("0", "1"),
        draw=lambda world, size: pairs(world, rates, size, independent=independent),
        evidence=evidence,
    )
    drawn = TrialDraws(first=trial.draw(0, number), second=trial.draw(1, number))
    assert audit(trial, drawn, confidence=CERTAIN).refuted is independent


def question(key="laplace", epsilon=0.5, kind=StatisticKind.MEAN, column=AGE, **changes):
    query = Query(kind=kind, column=column, **terms())
    return Request(query=query, mechanism_key=key, epsilon=epsilon, **changes)


def opened(budget=None):
    book = Ledger.in_memory()
    book.open_account("table", budget or PrivacyBudget.of(epsilon=3.0), SUBSTITUTION)
    return book


def answered(request, book, value=None):
    value = request.value(TABLE) if value is None else value
    return release(request, value, ledger=book, fingerprint="table", mode=Mode.RELEASE, now=NOW)


def sharpened(earlier, book, epsilon):
    return answered(sharper_request(earlier, request_from(earlier.request, TABLE), epsilon), book)


@pytest.mark.parametrize("key", ["laplace", "bit"])
def test_a_rounded_answer_is_sharpened_once_for_the_difference(key):
    book = opened()
    first = answered(question(key), book)
    second = sharpened(first, book, 2.0)
    assert book.account("table").spent.epsilon == second.cost.epsilon == Decimal("2.0")
    assert second.debit.epsilon == Decimal("1.5")
    assert second.noise == pytest.approx(first.noise / 4)
    with pytest.raises(LedgerError, match="sharpened only once"):
        sharpened(second, book, 2.5)


def test_a_chain_of_whole_numbers_is_charged_what_the_last_one_costs():
    book, value = opened(), np.array([3.0])
    asked = replace(REQUESTS["whole number"], epsilon=0.5)

    def next_of(earlier, epsilon):
        return answered(sharper_request(earlier, asked_of[earlier.id], epsilon), book, value)

    first = answered(asked, book, value)
    asked_of = {first.id: asked}
    second = next_of(first, 0.75)
    asked_of[second.id] = sharper_request(first, asked, 0.75)
    third = next_of(second, 2.0)
    account, known = book.account("table"), (first, second, third)
    assert (account.spent.epsilon, account.spent.delta) == (Decimal("2.0"), 0)
    assert [each.debit.epsilon for each in known] == [*map(Decimal, ("0.5", "0.25", "1.25"))]
    assert third.cost.epsilon == Decimal("2.0")
    assert charges(known) == [each.debit for each in known]
    assert charges((second,)) == [second.cost]
    assert in_force(known) == (third,)
    assert sharper(known) == {first.id: second, second.id: third}
    total = compose([event_from(each.event) for each in in_force(known)], delta=0)
    assert total.basic == pytest.approx(2.0)
    # The ledger is read again as it was written.
    assert book.releases("table") == known
    assert Release.from_json(third.to_json()) == third
    book.verify()
    # Asked once more, the same answer is free.
    assert next_of(first, 0.75) == second
    assert book.account("table").spent == account.spent


@pytest.mark.parametrize("first", [0, 1, 2, 3])
@pytest.mark.parametrize("second", [0, 1, 3])
def test_clamped_whole_numbers_hide_where_they_were(first, second):
    """The first answer given the second one, both clamped to 0 to 3, does not depend on f."""
    a, b = 0.4, 0.9
    clamped = np.clip(PLACES, 0, 3)
    laws = []
    for f in range(4):
        table = np.roll(joint(a, b, f), 0)
        given = table[:, clamped == second]
        laws.append(given[clamped == first].sum() / given.sum())
    assert laws == pytest.approx([laws[0]] * 4, rel=1e-6)


def test_rho_of_a_sharper_answer_is_that_of_a_level_that_holds_given_the_first():
    book = opened()
    first = answered(question(), book)
    second = sharpened(first, book, 1.0)
    level = 1.5
    assert float(second.debit.rho) == pytest.approx(level * math.tanh(level / 2), rel=1e-9)


def test_an_answer_is_sharpened_once():
    book = opened()
    first = answered(question(), book)
    read = request_from(first.request, TABLE)
    early, late = (sharper_request(first, read, epsilon) for epsilon in (1.0, 1.5))
    answered(early, book)
    before = book.account("table").spent
    with pytest.raises(LedgerError, match="sharper answer already"):
        answered(late, book)
    with pytest.raises(LedgerError, match="sharper answer already"):
        answered(replace(early, draw=2), book)
    assert book.account("table").spent == before
    assert len(book.releases("table")) == 2


def test_an_answer_of_another_ledger_is_not_sharpened():
    first = answered(question(), opened())
    book = opened()
    with pytest.raises(LedgerError, match="in this ledger"):
        sharpened(first, book, 1.0)
    assert book.account("table").is_unused


OTHER = {"query": question(kind=StatisticKind.SUM).query}


@pytest.mark.parametrize(
    ("asked", "told"),
    [(OTHER, {}), ({}, {"epsilon": 1.4}), ({}, {"values": (30.0,)}), ({}, {"scale": 1e9})],
)
def test_an_earlier_answer_is_taken_as_the_ledger_has_it(asked, told):
    """Told otherwise, it would pay for another question, or for more than it did."""
    book = opened()
    first = answered(replace(question(), **asked), book, np.array([30.0]))
    honest = sharper_request(first, request_from(first.request, TABLE), 1.5)
    false = replace(honest, query=question().query, sharpens=replace(honest.sharpens, **told))
    before = book.account("table").spent
    with pytest.raises(LedgerError, match="otherwise"):
        answered(false, book)
    assert book.account("table").spent == before
    assert answered(honest, book).debit.epsilon == Decimal("1.0")


def test_the_difference_must_fit_into_the_budget():
    book = opened(PrivacyBudget.of(epsilon=1.0))
    first = answered(question(), book)
    with pytest.raises(BudgetExceeded):
        sharpened(first, book, 1.01)
    assert sharpened(first, book, 1.0).debit.epsilon == Decimal("0.5")


def test_what_has_no_proof_is_refused():
    book = opened()
    account = book.account("table")
    first = answered(question(), book)
    known = book.releases("table")
    assert obstacle(first, account, known) is None
    in_rho = replace(account, budget=PrivacyBudget.of(rho=1.0))
    assert "not in ρ" in obstacle(first, in_rho, known)
    assert "Laplace" in obstacle(replace(first, mechanism="gaussian"), account, known)
    assert "version" in obstacle(replace(first, sampler="OpenDP 0.1"), account, known)
    with pytest.raises(ParameterError, match="version"):
        sharper_request(replace(first, noise=1.0), question(), 1.0)
    with pytest.raises(ParameterError, match="larger ε"):
        sharper_request(first, question(), 0.5)
    for other in (chained(), crossed(), apart()):
        with pytest.raises(ParameterError, match="several noisy numbers"):
            sharper_request(first, other, 2.0)


@pytest.mark.parametrize("key", few(1, *MECHANISMS))
def test_a_secure_pair_has_the_errors_of_its_two_levels(key):
    mechanism = {
        "laplace": Laplace(noise=1.0),
        "bit": BoundaryInflatedLaplace(noise=1.0, bounds=BOUNDS),
        "bit-discrete": BoundaryInflatedGeometric(noise=1.0, bounds=BOUNDS),
    }[key]
    number, value = 300, 5.0
    one = {"sensitivity": Sensitivity.scalar(1.0)}
    first = secure.draw(
        replace(mechanism, noise=4.0),
        np.full(number, value),
        cost=PrivacyCost.of(epsilon=0.25),
        **one,
    )
    earlier = EarlierAnswer(id="a-1", epsilon=0.25, scale=4.0, values=tuple(first.tolist()))
    second = sharpening.sharper_draw(
        mechanism, np.full(number, value), earlier, cost=PrivacyCost.of(epsilon=1.0), **one
    )
    spread = math.sqrt(float(mechanism.mse(value)))
    assert np.mean((second - value) ** 2) == pytest.approx(spread**2, rel=0.7)
    assert abs(np.mean(second - value)) < 6 * spread / math.sqrt(number)
    # Where neither is clamped, both are the same with the probability that Bayes' rule gives.
    inside = (first > 0) & (first < 10)
    noise = (first - value)[inside]
    same = 0.25 * np.exp(-0.75 * abs(noise))
    if key == "bit-discrete":
        same = np.array([conditional(int(d), 0.25, 1.0)[int(d) + 250] for d in noise])
    spread = math.sqrt(np.sum(same * (1 - same)))
    assert abs(np.sum((first == second)[inside]) - np.sum(same)) < 6 * spread
