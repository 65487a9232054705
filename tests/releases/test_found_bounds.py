"""Bounds that are found at a price: their law, their privacy, and their record."""

import json
import math
from dataclasses import replace
from datetime import UTC, datetime
from itertools import product

import numpy as np
import pytest
from scipy.stats import laplace

from dpcore.analyses import secure
from dpcore.analyses.base import Mode
from dpcore.analyses.bounds import EMPTY_PASSES, BoundsQuery
from dpcore.analyses.reading import request_from
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind
from dpcore.data.declaration_grid import Field, IfMissing, cells_of, declared
from dpcore.errors import DataError, ParameterError
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.individual.release_losses import release_losses
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.transaction import release
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.releases.digits import noise_unit, number_text
from dpcore.studies.auditing.lower_bound import audit
from dpcore.studies.auditing.trials import TrialDraws, batches, worst
from dpcore.studies.meaning.attacker import Guarantee
from tests.data.preparation.test_every_capped_table import capped
from tests.releases.questions import bounds
from tests.statistics.columns import dataset, number
from tests.statistics.neighbors import changes, check
from tests.terms import ADD_REMOVE, SUBSTITUTION

RELATIONS = tuple(NeighboringRelation)
SMALL = Column(name="items", kind=ColumnKind.WHOLE)
PERSON = PrivacyUnit()
CERTAIN = 1 - 1e-9
NOW = datetime(2026, 1, 2, tzinfo=UTC)


def small(relation=ADD_REMOVE, unit=PERSON, epsilon=1.0):
    """The bounds of a few items: bins of 0, 1, 2, up to 5 and up to 10, on both signs."""
    asked = bounds(SMALL, relation=relation, unit=unit, epsilon=epsilon)
    return replace(asked, query=replace(asked.query, decades=(0, 1)))


def table(cells, *, column=SMALL):
    return dataset((column,), **{column.name: cells})


def test_a_bin_holds_its_upper_edge_and_depends_on_one_cell_alone():
    query = small().query
    numbers = [-99, -10, -6, -5, -2, -1, 0, 1, 2, 3, 5, 6, 10, 11]
    found = [int(query.bins(np.array([float(one)]))[0]) for one in numbers]
    assert found == [0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 7, 8, 8, 8]
    assert query.bins(np.array(numbers, dtype=float)).tolist() == found
    lows = query.lower_ends
    inside = [one for one in numbers if abs(one) <= 10]
    for one in inside:
        place = int(query.bins(np.array([float(one)]))[0])
        assert lows[place] <= one <= -lows[-1 - place]


@pytest.mark.parametrize("relation", RELATIONS)
def test_no_change_by_one_person_exceeds_the_sensitivity(relation):
    asked = small(relation)
    query = asked.query

    def at(records):
        return query.statistic.value(query.bins(np.array(records, dtype=float)))

    moves = changes(at, (-7.0, 0.0, 1.0, 4.0), relation, range(1, 4), drop=True)
    check(asked.sensitivity, moves)


@pytest.mark.parametrize(("relation", "most"), [*product(RELATIONS, (1, 2, 3))])
def test_all_rows_of_a_person_change_the_counts_by_the_sensitivity(relation, most):
    asked = small(relation, PrivacyUnit(noun="patient", cap=most))
    statistic = asked.query.statistic
    codes = (0.0, 4.0, 5.0)
    every = [own for many in range(most + 1) for own in product(codes, repeat=many)]

    def at(people):
        lines = np.full((len(people), most), np.nan)
        for line, own in zip(lines, people, strict=True):
            line[: len(own)] = own
        return statistic.value(lines)

    moved = [at([one, (4.0,)]) - at([other, (4.0,)]) for one in every for other in every]
    if relation is ADD_REMOVE:
        moved = [at([one, (4.0,)]) - at([(4.0,)]) for one in every]
    assert np.abs(moved).sum(axis=1).max() == asked.sensitivity.l1
    twice = 2 if relation is SUBSTITUTION else 1
    assert asked.sensitivity.l1 == twice * most
    assert asked.plan.noise == pytest.approx(twice * most / asked.epsilon, rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 3.0])
@pytest.mark.parametrize("relation", RELATIONS)
def test_an_empty_bin_passes_as_rarely_as_is_said(epsilon, relation):
    for asked in (small(relation, epsilon=epsilon), bounds(relation=relation, epsilon=epsilon)):
        plan = asked.plan
        none = laplace.cdf(plan.threshold, scale=plan.noise) ** len(plan.lower_ends)
        assert none == pytest.approx(1 - EMPTY_PASSES, rel=1e-12)


def law(plan, counts):
    """The probability of every pair of outer bins; ``None`` where none passes."""
    passes = laplace.sf(plan.threshold - np.asarray(counts), scale=plan.noise)
    fails, found = 1 - passes, {None: float(np.prod(1 - passes))}
    for first in range(len(counts)):
        found[first, first] = float(np.prod(np.delete(fails, first)) * passes[first])
        for last in range(first + 1, len(counts)):
            outside = np.prod(fails[:first]) * np.prod(fails[last + 1 :])
            found[first, last] = float(outside * passes[first] * passes[last])
    return found


def test_every_outcome_follows_from_the_bins_that_pass(monkeypatch):
    plan = small().plan
    count = len(plan.lower_ends)
    for passed in product((False, True), repeat=count):
        drawn = np.where(passed, plan.threshold + 1, plan.threshold)
        monkeypatch.setattr(secure, "draw", lambda *_, drawn=drawn, **__: drawn)
        answer = plan.answer(np.zeros(count), cost=small().cost)
        places = np.flatnonzero(passed)
        if not len(places):
            assert (answer.values, answer.labels) == ((), ())
            assert answer.unsaid == ("lower bound", "upper bound")
            continue
        edges = (-10, -5, -2, -1, 0, 0, 1, 2, 5, 10)
        lower, upper = edges[places[0]], edges[places[-1] + 1]
        assert answer.values == (lower, upper if lower < upper else 1.0)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_no_outcome_tells_neighbors_apart_by_more_than_epsilon(relation, epsilon):
    plan = small(relation, epsilon=epsilon).plan
    count = len(plan.lower_ends)
    assert math.fsum(law(plan, np.arange(count)).values()) == pytest.approx(1, rel=1e-12)
    largest = 0.0
    # At the threshold an outcome depends on a count as much as the noise does.
    for many in (0, 1, math.ceil(plan.threshold), math.ceil(plan.threshold) + 1):
        for place in (0, 3, 4, 8):
            here = np.zeros(count)
            here[place], here[6] = many, 2
            there = here.copy()
            there[6] -= 1
            if relation is SUBSTITUTION:
                there[place] += 1
            one, other = law(plan, here), law(plan, there)
            ratios = [abs(math.log(one[key] / other[key])) for key in one]
            largest = max(largest, *ratios)
    assert 0.1 * epsilon < largest <= epsilon * (1 + 1e-9)


@pytest.mark.slow
def test_the_secure_draw_has_that_law():
    asked = small(epsilon=2.0)
    plan, draws = asked.plan, 800
    counts = np.zeros(len(plan.lower_ends))
    counts[5], counts[7] = 3, 4
    expected = law(plan, counts)
    found = {"none": 0, "1 to 5": 0, "some": 0}
    for _ in range(draws):
        values = plan.answer(counts, cost=asked.cost).values
        found["1 to 5" if values == (0.0, 5.0) else "some" if values else "none"] += 1
    for key, name in ((None, "none"), ((5, 7), "1 to 5")):
        p = expected[key]
        spread = math.sqrt(p * (1 - p) / draws)
        assert abs(found[name] / draws - p) < 6 * spread + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("relation", RELATIONS)
def test_an_audit_does_not_refute_the_promise_and_finds_a_quarter_of_the_noise(relation):
    asked = small(relation)
    honest = worst(asked)
    few = replace(honest, batch=1000)
    assert honest.exact == pytest.approx(asked.epsilon, rel=1e-6)
    kept = audit(few, TrialDraws.together(batches(few, 1000)), confidence=CERTAIN)
    assert not kept.refuted
    # Noise of a quarter of the scale gives four times the epsilon.
    faulty = replace(worst(small(relation, epsilon=4.0)), claim=Guarantee(epsilon=1.0), batch=2000)
    found = audit(faulty, TrialDraws.together(batches(faulty, 2000)), confidence=CERTAIN)
    assert found.refuted


@pytest.mark.parametrize("relation", RELATIONS)
def test_everybody_with_a_value_loses_epsilon(relation):
    asked = small(relation)
    data = table([1, 1, 4, 4, 4, 9, None, 0])
    query = asked.query
    found = per_instance_losses(
        asked.plan, query.statistic, query.values(data), relation=relation
    ).everybody
    assert query.rows(data).tolist() == [0, 1, 2, 3, 4, 5, 7]
    assert found == pytest.approx(np.full(7, asked.epsilon), rel=1e-9)
    total = release_losses(
        asked.plan,
        query.statistic,
        query.values(data),
        rows=query.rows(data),
        people=data.people,
        relation=relation,
    )
    # Who has no value could have had one, but loses nothing by leaving.
    expected = np.full(8, asked.epsilon)
    expected[6] = 0.0 if relation is ADD_REMOVE else asked.epsilon / 2
    assert total.own == pytest.approx(expected, rel=1e-9)


@pytest.fixture
def no_noise(monkeypatch):
    """Draw what is counted: now and then an empty bin would pass."""
    monkeypatch.setattr(secure, "draw", lambda _, value, **__: value)


def charged(asked, data, book=None):
    book = book or Ledger.in_memory()
    book.open_account("t", PrivacyBudget.of(epsilon=3.0), asked.relation, asked.unit.rows)
    value = asked.value(data)
    made = release(asked, value, ledger=book, fingerprint="t", mode=Mode.RELEASE, now=NOW)
    return made, book


@pytest.mark.usefixtures("no_noise")
def test_it_is_one_record_with_its_price_and_comes_back(tmp_path):
    data = table([7.0] * 400, column=replace(SMALL, kind=ColumnKind.NUMBER, unit="kg"))
    asked = bounds(data.columns[0], relation=ADD_REMOVE, epsilon=0.5)
    path = tmp_path / "ledger.sqlite"
    made, book = charged(asked, data, Ledger.at(path))
    assert made.values == (5.0, 10.0)
    assert (made.title, made.unit) == ("bounds of items", "kg")
    later = Ledger.at(path)
    account = later.account("t")
    assert account is not None
    assert float(account.spent.epsilon) == 0.5
    (kept,) = later.releases("t")
    assert kept == made
    again = request_from(kept.request, data)
    assert again == asked
    assert charged(again, data, later)[0] == made
    assert later.account("t") == account
    assert noise_unit(made) == "counts"
    assert [number_text(made, *pair) for pair in zip(made.labels, made.values, strict=True)] == [
        "5",
        "10",
    ]
    assert book.account("t") == account


@pytest.mark.usefixtures("no_noise")
def test_nothing_found_is_paid_for_and_says_so():
    asked = small(epsilon=0.5)
    made, book = charged(asked, table([1] * 3))
    assert made.values == made.labels == ()
    assert made.unsaid == ("lower bound", "upper bound")
    account = book.account("t")
    assert account is not None
    assert float(account.spent.epsilon) == 0.5


def test_every_row_of_a_person_that_counts_is_in_a_bin():
    data = capped([(0, (0.0, 2.0, 2.0)), (1, (2.0,)), (2, (0.0,))], 2)
    unit = PrivacyUnit(noun="patient", cap=2)
    asked = bounds(data.columns[-1], relation=ADD_REMOVE, unit=unit)
    assert asked.value(data).sum() == 4
    assert asked.query.rows(data).tolist() == [0, 1, 2]
    assert asked.sensitivity.l1 == 2
    assert request_from(asked.parameters(), data, called=unit) == asked
    with pytest.raises(ParameterError, match="number of rows"):
        bounds(data.columns[-1], relation=ADD_REMOVE).value(data)


@pytest.mark.parametrize("most", [1, 3])
def test_rows_that_are_promised_multiply_the_noise(most):
    asked = small(unit=PrivacyUnit(rows=most))
    assert asked.plan.noise == most


@pytest.mark.parametrize(
    "part",
    [
        {"column": number("age")},
        {"column": Column(name="a", kind=ColumnKind.CATEGORY)},
        {"decades": (0,)},
        {"decades": (2, 2)},
        {"decades": (-1000, 0)},
        {"size": TableSize(people=3, public=True)},
    ],
)
def test_what_is_no_such_question_is_refused(part):
    with pytest.raises(ParameterError):
        replace(small().query, **part)
    assert isinstance(small().query, BoundsQuery)


def test_hostile_parameters_are_refused():
    stored = json.loads(json.dumps(small().parameters()))
    stored["query"]["decades"] = [0, 10**9]
    with pytest.raises(DataError):
        request_from(stored, table([1]))


FOUND = Column(
    name="pay",
    kind=ColumnKind.NUMBER,
    bounds=Interval(lower=10_000.0, upper=200_000.0),
    found_epsilon=0.1,
)


def test_the_price_stays_with_the_bounds_and_goes_with_them():
    assert cells_of(FOUND)[Field.STATUS] == "found with ε = 0.1"
    imputed = declared(FOUND, {Field.IF_MISSING: IfMissing.IMPUTE, Field.UNIT: "€"})
    assert (imputed.found_epsilon, imputed.replacement) == (0.1, 105_000.0)
    same = declared(FOUND, {Field.LOWER: "10,000", Field.UPPER: "200000"})
    assert same.found_epsilon == 0.1
    assert declared(FOUND, {Field.UPPER: "100000"}).found_epsilon is None
    assert declared(FOUND, {Field.UPPER: ""}).found_epsilon is None
    for wrong in ({"bounds": None}, {"found_epsilon": -0.1}):
        with pytest.raises(ParameterError, match="ε above 0"):
            replace(FOUND, **wrong)
