"""Covariances: every sensitivity enumerated, every shift recomputed."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation
from dpcore.statistics.covariance import Covariance, CovarianceMatrix, largest_scatter
from tests.statistics.neighbors import changes, check, multisets
from tests.terms import ADD_REMOVE, SUBSTITUTION, UNIT, private, public

BOX = (Interval(lower=-3.0, upper=3.0), Interval(lower=-3.0, upper=3.0))
POINTS = tuple(product((0.0, 0.5, 1.0), repeat=2))
X1 = [-1.2, -0.8, -0.5, -0.1, 0.0, 0.3, 0.6, 0.9, 1.4, 2.5]
Y = [-0.9, -0.2, -0.6, 0.4, -0.3, 0.7, 0.1, -0.4, 1.5, 0.6]
TEN = np.stack([X1, Y], axis=-1)

pairs_of_numbers = st.integers(1, 10).flatmap(
    lambda n: arrays(np.float64, (n, 2), elements=st.floats(-4, 4).map(lambda x: round(x, 6)))
)


def asked(kind, size, bounds):
    if kind is CovarianceMatrix:
        names = tuple("xyz"[: len(bounds)])
        return CovarianceMatrix(names=names, bounds=bounds, size=size)
    return Covariance(bounds=bounds, size=size)


def reference(kind, size, values):
    """The statistic by its definition, for numbers within the bounds."""
    n = len(values)
    divisor = (n if size.public else max(n, size.people)) - 1
    away = values - values.mean(axis=0) if n else values
    matrix = away.T @ away / divisor
    if kind is Covariance:
        return np.array([matrix[0, 1]])
    d = len(matrix)
    return np.array([*np.diag(matrix), *(matrix[i, j] for i, j in combinations(range(d), 2))])


def all_changes(kind, relation, size, people, points):
    d = len(points[0])

    def at(table):
        return reference(kind, size, np.array(table).reshape(-1, d))

    return changes(at, points, relation, people, drop=not size.public)


@pytest.mark.parametrize("kind", [Covariance, CovarianceMatrix])
@pytest.mark.parametrize("relation", NeighboringRelation)
@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_sensitivity_is_the_largest_change_of_a_public_size(kind, relation, n):
    statistic = asked(kind, public(n), (UNIT, UNIT))
    moves = all_changes(kind, relation, public(n), [n], POINTS)
    check(statistic.sensitivity(relation), moves)


@pytest.mark.parametrize("kind", [Covariance, CovarianceMatrix])
@pytest.mark.parametrize("relation", NeighboringRelation)
@pytest.mark.parametrize("least", [3, 4])
def test_sensitivity_of_a_private_size_covers_every_size(kind, relation, least):
    statistic = asked(kind, private(least), (UNIT, UNIT))
    points = tuple(product((0.0, 0.5, 1.0), (0.0, 1.0)))
    moves = all_changes(kind, relation, private(least), range(1, 7), points)
    check(statistic.sensitivity(relation), moves)


@pytest.mark.parametrize("relation", NeighboringRelation)
def test_joint_sensitivity_of_three_columns_is_attained(relation):
    corners = tuple(product((0.0, 1.0), (0.0, 2.0), (0.0, 5.0)))
    bounds = tuple(Interval(lower=0.0, upper=width) for width in (1.0, 2.0, 5.0))
    statistic = asked(CovarianceMatrix, public(4), bounds)
    moves = all_changes(CovarianceMatrix, relation, public(4), [4], corners)
    check(statistic.sensitivity(relation), moves)
    each = np.abs(moves).max(axis=0)
    np.testing.assert_allclose(statistic.sensitivities(relation), each, atol=1e-12)
    expected = np.array([1, 4, 25, 2, 5, 10]) / 4
    np.testing.assert_allclose(statistic.sensitivities(relation), expected)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_largest_covariance_by_enumeration(n):
    seen = [
        reference(Covariance, public(n), np.array(table))[0]
        for table in multisets(tuple(product((0.0, 1.0), repeat=2)), n)
    ]
    largest = largest_scatter(n) / (n - 1)
    assert max(seen) == pytest.approx(largest, abs=1e-12)
    assert min(seen) == pytest.approx(-largest, abs=1e-12)
    if n > 2:
        claimed = Covariance(bounds=(UNIT, UNIT), size=public(n)).range
        assert (claimed.lower, claimed.upper) == pytest.approx((-largest, largest))


def test_range_of_a_private_size_holds_tables_of_every_size():
    size = private(4)
    claimed = Covariance(bounds=(UNIT, UNIT), size=size).range
    corners = tuple(product((0.0, 1.0), repeat=2))
    seen = [
        reference(Covariance, size, np.array(table))[0]
        for n in range(1, 9)
        for table in multisets(corners, n)
    ]
    assert claimed.upper == pytest.approx(max(seen))
    assert claimed.lower == pytest.approx(min(seen))


@pytest.mark.parametrize("kind", [Covariance, CovarianceMatrix])
@pytest.mark.parametrize("least", [None, 3, 8])
@settings(deadline=None, max_examples=25)
@given(values=pairs_of_numbers)
def test_removal_is_the_statistic_of_the_others(kind, least, values):
    values = np.concatenate([values, TEN[:3]]) if least is None else values
    size = public(len(values)) if least is None else private(least)
    statistic = asked(kind, size, BOX)
    shifts = statistic.neighbors(values, ADD_REMOVE)
    clamped = np.clip(values, -3, 3)
    left_out = [reference(kind, size, np.delete(clamped, i, axis=0)) for i in range(len(clamped))]
    np.testing.assert_allclose(shifts.alternatives[:, 0], left_out, atol=1e-9)
    whole = reference(kind, size, clamped)
    np.testing.assert_allclose(shifts.actual, whole, atol=1e-9)
    np.testing.assert_allclose(statistic.value(values), whole, atol=1e-9)


@pytest.mark.parametrize("least", [None, 3, 8])
@settings(deadline=None, max_examples=12)
@given(values=pairs_of_numbers)
def test_substitution_has_the_extremes_over_all_records(least, values):
    values = np.concatenate([values, TEN[:3]]) if least is None else values
    size = public(len(values)) if least is None else private(least)
    shifts = Covariance(bounds=BOX, size=size).neighbors(values, SUBSTITUTION)
    clamped = np.clip(values, -3, 3)
    records = np.array(list(product(np.linspace(-3, 3, 7), repeat=2)))
    for i, (lowest, highest) in enumerate(shifts.alternatives[:, :, 0]):
        rest = np.delete(clamped, i, axis=0)
        reached = [
            reference(Covariance, size, np.append(rest, [new], axis=0))[0] for new in records
        ]
        if not size.public:
            reached.append(reference(Covariance, size, rest)[0])
        assert lowest == pytest.approx(min(reached), abs=1e-9)
        assert highest == pytest.approx(max(reached), abs=1e-9)


@pytest.mark.parametrize("relation", NeighboringRelation)
@pytest.mark.parametrize("size", [public(10), private(3), private(12)])
def test_the_matrix_shifts_as_its_parts_do(relation, size):
    bounds = (*BOX, Interval(lower=0.0, upper=0.5))
    values = np.column_stack([TEN, np.linspace(0, 1, 10)])
    statistic = asked(CovarianceMatrix, size, bounds)
    matrix = statistic.neighbors(values, relation)
    joined = statistic.neighbors_added(values, relation)
    columns = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    for k, (part, chosen) in enumerate(zip(statistic.parts, columns, strict=True)):
        own = values[:, chosen[0]] if len(chosen) == 1 else values[:, chosen]
        alone = part.neighbors(own, relation)
        assert matrix.actual[k] == pytest.approx(alone.actual[0], abs=1e-12)
        moved = np.abs(matrix.alternatives[:, 0, k] - matrix.actual[k])
        np.testing.assert_allclose(moved, alone.distances(), atol=1e-12)
        newcomers = part.neighbors_added(own, relation)
        assert len(newcomers) == 0 or np.abs(joined[0, k] - matrix.actual[k]) == pytest.approx(
            np.abs(newcomers - matrix.actual[k]).max()
        )


@pytest.mark.parametrize("kind", [Covariance, CovarianceMatrix])
@pytest.mark.parametrize("relation", NeighboringRelation)
@settings(deadline=None, max_examples=25)
@given(values=pairs_of_numbers, least=st.integers(3, 9))
def test_no_shift_exceeds_the_sensitivity(kind, relation, values, least):
    statistic = asked(kind, private(least), BOX)
    most = statistic.sensitivity(relation).l1 * (1 + 1e-12)
    assert statistic.neighbors(values, relation).distances().max() <= most
    joined = statistic.neighbors_added(values, relation) - statistic.value(values)
    assert np.abs(joined).sum(axis=1).max() <= most


@settings(deadline=None, max_examples=40)
@given(
    values=pairs_of_numbers,
    least=st.integers(3, 9),
    new=st.tuples(st.floats(-3, 3), st.floats(-3, 3)),
)
def test_additions_bracket_every_newcomer(values, least, new):
    statistic = Covariance(bounds=BOX, size=private(least))
    reached = statistic.neighbors_added(values, ADD_REMOVE)[:, 0]
    joined = statistic.value(np.append(values, [new], axis=0))[0]
    assert reached.min() - 1e-9 <= joined <= reached.max() + 1e-9


def test_blocks_of_people_hold_the_same_shifts():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(100_000, 2))
    statistic = asked(CovarianceMatrix, private(10), BOX)
    lazy = statistic.neighbors(values, SUBSTITUTION)
    whole = lazy
    blocks = list(lazy.blocks())
    assert len(blocks) > 1
    assert blocks[0].people * 3 <= 1 << 17
    joined = np.concatenate([block.alternatives for block in blocks])
    np.testing.assert_array_equal(joined, whole.alternatives)
    np.testing.assert_array_equal(lazy.distances(), whole.distances())
    few = np.array([5, 99_999, 0])
    np.testing.assert_array_equal(lazy.distances(few), whole.distances(few))


def test_range_of_the_matrix_holds_all_parts():
    bounds = (UNIT, Interval(lower=0.0, upper=10.0))
    claimed = asked(CovarianceMatrix, public(4), bounds).range
    assert claimed.upper == pytest.approx(100 / 3)
    assert claimed.lower == pytest.approx(-10 / 3)


def test_bound_on_the_sampling_spread_of_the_matrix_is_that_of_its_worst_part():
    statistic = asked(CovarianceMatrix, public(9), (UNIT, UNIT))
    estimate = np.array([0.0, 0.1, 0.2])
    each = [part.sampling_sd(estimate) for part in statistic.parts]
    np.testing.assert_allclose(statistic.sampling_sd(estimate), np.max(each, axis=0))


def test_covariance_keeps_its_digits_far_from_zero():
    for offset, width in ((1e9, 4.0), (0.0, 1e12)):
        bounds = (Interval(lower=offset, upper=offset + width), UNIT)
        values = np.array([[1.0, 0.25], [2.0, 0.5], [4.0, 1.0]])
        statistic = Covariance(bounds=bounds, size=public(3))
        value = statistic.value(values + np.array([offset, 0.0]))[0]
        assert value == pytest.approx(7 / 12, rel=1e-12)


def test_an_empty_table_has_a_value_where_the_size_is_private():
    empty = np.empty((0, 2))
    for kind in (Covariance, CovarianceMatrix):
        statistic = asked(kind, private(3), BOX)
        assert not statistic.value(empty).any()
        for relation in NeighboringRelation:
            assert statistic.neighbors(empty, relation).people == 0
            assert not statistic.neighbors_added(empty, relation).any()
    assert len(statistic.neighbors(empty, SUBSTITUTION).distances()) == 0


def test_nobody_joins_a_public_number_of_people_by_substitution():
    for kind, k in ((Covariance, 1), (CovarianceMatrix, 3)):
        statistic = asked(kind, public(10), BOX)
        assert statistic.neighbors_added(TEN, SUBSTITUTION).shape == (0, k)


@pytest.mark.parametrize(
    ("values", "match"),
    [
        ([[0.0, np.nan]] * 3, "missing"),
        ([[0.0, 0.0]] * 2, "public number"),
        ([0.0, 0.0, 0.0], "2 values a person"),
        ([[0.0] * 3] * 3, "2 values a person"),
    ],
)
def test_bad_values_are_refused(values, match):
    for kind in (Covariance, CovarianceMatrix):
        statistic = asked(kind, public(3), BOX)
        with pytest.raises(ParameterError, match=match):
            statistic.value(values)
        with pytest.raises(ParameterError, match=match):
            statistic.neighbors(values, SUBSTITUTION)


def test_parameters_outside_their_domain_are_refused():
    with pytest.raises(ParameterError, match="at least 3 rows"):
        Covariance(bounds=BOX, size=public(2))
    with pytest.raises(ParameterError, match="finite bounds"):
        Covariance(bounds=(UNIT, Interval(lower=0, upper=np.inf)), size=public(3))
    with pytest.raises(ParameterError, match="different names"):
        CovarianceMatrix(names=("x", "x"), bounds=BOX, size=public(3))
    with pytest.raises(ParameterError, match="different names"):
        CovarianceMatrix(names=("x", "y", "z"), bounds=BOX, size=public(3))


@pytest.mark.parametrize("members", [63_251, 161_004, 239_999])
@pytest.mark.parametrize("offset", [0.0, 2.0**40])
def test_rounding_errors_do_not_grow_with_the_table(members, offset):
    # Long runs of equal products: added one after the other, all round the same way.
    n = 300_000
    column = np.where(np.arange(n) < members, offset + 1, offset)
    bounds = (Interval(lower=offset, upper=offset + 1),) * 2
    exact = Fraction(members * (n - members), n * (n - 1))
    table = np.stack([column, column], axis=-1)
    for kind in (Covariance, CovarianceMatrix):
        values = asked(kind, public(n), bounds).value(table)
        errors = [abs(Fraction(float(value)) - exact) * 2**53 for value in values]
        # Half of the 128 units that releases allow for, of at most a quarter.
        assert max(errors) <= 16


def test_no_two_numbers_of_a_matrix_have_the_same_name():
    # Intervals are kept by name.
    hostile = CovarianceMatrix(names=("a", "b, c", "a, b", "c"), bounds=(UNIT,) * 4, size=public(9))
    assert len(set(hostile.labels)) == 10
    assert "cov('a', 'b, c')" in hostile.labels
    ordinary = CovarianceMatrix(names=("a, b", "c"), bounds=(UNIT,) * 2, size=public(9))
    assert ordinary.labels == ("var(a, b)", "var(c)", "cov(a, b, c)")
