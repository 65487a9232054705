"""What each person can change, against taking the person out by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation
from dpcore.statistics.histogram import Histogram
from dpcore.statistics.sums_and_means import Count, Mean, Proportion, Sum
from dpcore.statistics.variance import StandardDeviation, Variance
from tests.terms import ADD_REMOVE, SUBSTITUTION, private, public

X1 = np.array([-1.2, -0.8, -0.5, -0.1, 0.0, 0.3, 0.6, 0.9, 1.4, 2.5])
BOUNDS = Interval(lower=-3.0, upper=3.0)
OF_NUMBERS = [Sum, Mean, Variance, StandardDeviation]

numbers = arrays(
    np.float64, st.integers(1, 12), elements=st.floats(-4, 4).map(lambda x: round(x, 6))
)


def of_table(statistic, size, values):
    """The statistic by its definition; the bounds have 0 in the middle."""
    clamped = np.clip(values, -3.0, 3.0)
    n = len(values) if size.public else max(len(values), size.people)
    if statistic is Sum:
        return clamped.sum()
    if statistic is Mean:
        return clamped.sum() / n
    squares = np.square(clamped - clamped.mean()).sum() if len(clamped) else 0.0
    variance = squares / (n - 1)
    return variance if statistic is Variance else np.sqrt(variance)


@pytest.mark.parametrize("statistic", OF_NUMBERS)
@pytest.mark.parametrize("least", [None, 3, 8])
@settings(deadline=None, max_examples=40)
@given(values=numbers)
def test_removal_is_the_statistic_of_the_others(statistic, least, values):
    values = np.concatenate([values, [0.5, 1.5, -0.5]]) if least is None else values
    size = public(len(values)) if least is None else private(least)
    asked = statistic(bounds=BOUNDS, size=size)
    shifts = asked.neighbors(values, ADD_REMOVE)
    left_out = [of_table(statistic, size, np.delete(values, i)) for i in range(len(values))]
    np.testing.assert_allclose(shifts.alternatives[:, 0, 0], left_out, atol=1e-9)
    whole = of_table(statistic, size, values)
    np.testing.assert_allclose([shifts.actual[0], asked.value(values)[0]], whole, atol=1e-9)


@pytest.mark.parametrize("statistic", OF_NUMBERS)
@pytest.mark.parametrize("least", [None, 3, 8])
@settings(deadline=None, max_examples=15)
@given(values=numbers)
def test_substitution_has_the_extremes_over_all_new_values(statistic, least, values):
    values = np.concatenate([values, [0.5, 1.5, -0.5]]) if least is None else values
    size = public(len(values)) if least is None else private(least)
    shifts = statistic(bounds=BOUNDS, size=size).neighbors(values, SUBSTITUTION)
    for i, (lowest, highest) in enumerate(shifts.alternatives[:, :, 0]):
        rest = np.delete(values, i)
        middle = BOUNDS.clip(rest).mean() if len(rest) else 0.0
        reached = [
            of_table(statistic, size, np.append(rest, new))
            for new in [*np.linspace(-3, 3, 21), middle]
        ]
        if not size.public:
            reached.append(of_table(statistic, size, rest))
        # The mean of the others is reached up to rounding.
        assert lowest == pytest.approx(min(reached), abs=1e-7)
        assert highest == pytest.approx(max(reached), abs=1e-11)


@pytest.mark.parametrize("statistic", OF_NUMBERS)
@pytest.mark.parametrize("relation", NeighboringRelation)
@settings(deadline=None, max_examples=40)
@given(values=numbers, least=st.integers(3, 9))
def test_no_shift_exceeds_the_sensitivity(statistic, relation, values, least):
    asked = statistic(bounds=BOUNDS, size=private(least))
    most = asked.sensitivity(relation).l1 * (1 + 1e-12)
    assert asked.neighbors(values, relation).distances().max() <= most
    joined = asked.neighbors_added(values, relation) - asked.value(values)
    assert np.abs(joined).max() <= most


@pytest.mark.parametrize("statistic", OF_NUMBERS)
@settings(deadline=None, max_examples=40)
@given(values=numbers, least=st.integers(3, 9), new=st.floats(-3, 3))
def test_additions_bracket_every_newcomer(statistic, values, least, new):
    asked = statistic(bounds=BOUNDS, size=private(least))
    reached = asked.neighbors_added(values, ADD_REMOVE)[:, 0]
    joined = asked.value(np.append(values, new))[0]
    assert reached.min() - 1e-7 <= joined <= reached.max() + 1e-11


def test_nobody_joins_a_public_number_of_people_by_substitution():
    labels = ("a", "b")
    mean = Mean(bounds=BOUNDS, size=public(10))
    assert mean.neighbors_added(X1, SUBSTITUTION).shape == (0, 1)
    spread = Variance(bounds=BOUNDS, size=public(10))
    assert spread.neighbors_added(X1, SUBSTITUTION).shape == (0, 1)
    cells = Histogram(labels=labels, size=public(2))
    assert cells.neighbors_added([0.0, 1.0], SUBSTITUTION).shape == (0, 2)
    assert cells.neighbors_added([0.0, 1.0], ADD_REMOVE).tolist() == [[2, 1], [1, 2]]


@pytest.mark.parametrize(
    ("statistic", "moves"),
    [
        (Sum, lambda value, a, b, n: a * value + b * n),
        (Mean, lambda value, a, b, _: a * value + b),
        (Variance, lambda value, a, _, __: a * a * value),
        (StandardDeviation, lambda value, a, _, __: a * value),
    ],
)
@settings(deadline=None, max_examples=40)
@given(a=st.floats(0.01, 100), b=st.floats(-1000, 1000))
def test_statistics_follow_a_change_of_unit(statistic, moves, a, b):
    shifted = Interval(lower=a * BOUNDS.lower + b, upper=a * BOUNDS.upper + b)
    before = statistic(bounds=BOUNDS, size=public(10)).neighbors(X1, SUBSTITUTION)
    after = statistic(bounds=shifted, size=public(10)).neighbors(a * X1 + b, SUBSTITUTION)
    tolerance = {"rtol": 1e-9, "atol": 1e-9 * (1 + abs(b)) * a}
    np.testing.assert_allclose(
        after.alternatives, moves(before.alternatives, a, b, 10), **tolerance
    )
    np.testing.assert_allclose(after.actual, moves(before.actual, a, b, 10), **tolerance)


@pytest.mark.parametrize("statistic", OF_NUMBERS)
@settings(deadline=None, max_examples=20)
@given(order=st.permutations(range(10)))
def test_shifts_move_with_the_people(statistic, order):
    asked = statistic(bounds=BOUNDS, size=public(10))
    before = asked.neighbors(X1, SUBSTITUTION).alternatives[order]
    after = asked.neighbors(X1[order], SUBSTITUTION).alternatives
    np.testing.assert_allclose(after, before, atol=1e-12)


@settings(deadline=None, max_examples=40)
@given(
    member=arrays(np.float64, st.integers(1, 9), elements=st.sampled_from([0.0, 1.0])),
    relation=st.sampled_from(NeighboringRelation),
    least=st.integers(1, 9),
)
def test_memberships_shift_as_numbers_between_0_and_1(member, relation, least):
    size, unit = private(least), Interval(lower=0.0, upper=1.0)
    for of_members, of_numbers in ((Count, Sum), (Proportion, Mean)):
        compressed = of_members(size=size).neighbors(member, relation)
        plain = of_numbers(bounds=unit, size=size).neighbors(member, relation)
        assert compressed.people == len(member)
        assert len(compressed.alternatives) <= 2
        each = compressed.alternatives[compressed.kind]
        np.testing.assert_allclose(each, plain.alternatives, atol=1e-12)
        np.testing.assert_allclose(compressed.actual, plain.actual, atol=1e-12)


@settings(deadline=None, max_examples=40)
@given(cells=arrays(np.int64, st.integers(1, 9), elements=st.integers(0, 3)), drop=st.booleans())
def test_histogram_moves_people_out_of_their_cell(cells, drop):
    size = private(1) if drop else public(len(cells))
    asked = Histogram(labels=("a", "b", "c", "d"), size=size)
    counts = np.bincount(cells, minlength=4)
    removed = asked.neighbors(cells, ADD_REMOVE)
    replaced = asked.neighbors(cells, SUBSTITUTION)
    for i, cell in enumerate(cells):
        rest = counts - np.eye(4)[cell]
        assert removed.alternatives[removed.kind[i]].tolist() == [rest.tolist()]
        others = np.delete(np.arange(4), cell)
        emptiest, fullest, *dropped = replaced.alternatives[replaced.kind[i]] - rest
        assert counts[emptiest.argmax()] == counts[others].min()
        assert counts[fullest.argmax()] == counts[others].max()
        assert emptiest.argmax() != cell
        assert fullest.argmax() != cell
        assert [row.tolist() for row in dropped] == [[0.0] * 4] * drop


@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_variance_keeps_its_digits_far_from_zero(offset):
    bounds = Interval(lower=offset, upper=offset + 4)
    values = offset + np.array([1.0, 2.0, 3.0, 4.0])
    spread = Variance(bounds=bounds, size=public(4))
    assert spread.value(values)[0] == pytest.approx(5 / 3, rel=1e-15)


@pytest.mark.parametrize(
    ("statistic", "values", "match"),
    [
        (Mean(bounds=BOUNDS, size=public(2)), [0.0, np.nan], "missing"),
        (Mean(bounds=BOUNDS, size=public(2)), [0.0], "public number"),
        (Mean(bounds=BOUNDS, size=public(2)), [[0.0, 0.0]], "one value a person"),
        (Count(size=public(2)), [0.0, 0.5], "0 to 1"),
        (Histogram(labels=("a", "b"), size=public(2)), [0.0, 2.0], "0 to 1"),
    ],
)
def test_bad_values_are_refused(statistic, values, match):
    for ask in (statistic.value, lambda v: statistic.neighbors(v, SUBSTITUTION)):
        with pytest.raises(ParameterError, match=match):
            ask(values)


def test_parameters_outside_their_domain_are_refused():
    with pytest.raises(ParameterError, match="finite bounds"):
        Mean(bounds=Interval(lower=0.0, upper=np.inf), size=public(3))
    with pytest.raises(ParameterError, match="finite bounds"):
        Sum(bounds=Interval(lower=1.0, upper=1.0), size=public(3))
    with pytest.raises(ParameterError, match="at least 3 rows"):
        Variance(bounds=BOUNDS, size=private(2))
    with pytest.raises(ParameterError, match="at least 2 cells"):
        Histogram(labels=("a",), size=public(3))


def test_an_empty_table_has_a_value_where_the_size_is_private():
    empty = np.empty(0)
    assert Mean(bounds=Interval(lower=0, upper=4), size=private(3)).value(empty) == 2
    assert Variance(bounds=BOUNDS, size=private(3)).value(empty) == 0
    assert Count(size=private(3)).value(empty) == 0
