"""Pooled statistics: every sensitivity enumerated, every shift recomputed."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.statistics.pooled import (
    GroupSizes,
    PooledCovariance,
    PooledVariance,
    adding_covariance,
    adding_variance,
    removing_covariance,
    removing_variance,
    staying,
)
from tests.statistics.neighbors import multisets
from tests.terms import ADD_REMOVE, SUBSTITUTION, UNIT

LINE = ((0.0,), (0.5,), (1.0,))
ENDS = ((0.0,), (1.0,))
CORNERS = tuple(product((0.0, 1.0), repeat=2))


def scatter(members):
    """Sum of squares or products of one group, by its definition."""
    if not members:
        return 0.0
    away = np.array(members) - np.mean(members, axis=0)
    return float((away[:, 0] * away[:, -1]).sum())


def tables(points, sizes):
    """All tables with groups of these sizes."""
    return product(*(list(multisets(points, size)) for size in sizes))


class Memory:
    """The scatter of a group, remembered."""

    def __init__(self):
        self._known = {}

    def __call__(self, members):
        key = tuple(sorted(members))
        if key not in self._known:
            self._known[key] = scatter(key)
        return self._known[key]


def without(group):
    """Every group that lacks one of the members."""
    return {group[:i] + group[i + 1 :] for i in range(len(group))}


def largest(points, sizes, change):
    """Largest change of the pooled statistic, over all tables of these sizes."""
    known, n, count = Memory(), sum(sizes), len(sizes)
    most = 0.0
    for table in tables(points, sizes):
        parts = [known(group) for group in table]
        here = sum(parts) / (n - count)
        for j, group in enumerate(table):
            others = sum(parts) - parts[j]
            if change == "stay":
                reached = [
                    (others + known((*rest, new))) / (n - count)
                    for rest in without(group)
                    for new in points
                ]
            elif change == "remove":
                reached = [(others + known(rest)) / (n - 1 - count) for rest in without(group)]
            elif change == "add":
                reached = [(others + known((*group, new))) / (n + 1 - count) for new in points]
            else:
                reached = [
                    (others - parts[i] + known(rest) + known((*table[i], new))) / (n - count)
                    for i in range(count)
                    if i != j
                    for rest in without(group)
                    for new in points
                ]
            most = max(most, *(abs(value - here) for value in reached), 0.0)
    return most


VARIANCES = [
    *((LINE, sizes) for sizes in ((4, 2), (3, 3), (2, 2, 2), (5,), (4, 3), (2, 5))),
    (LINE, (2, 2)),
    *((ENDS, sizes) for sizes in ((2, 2, 2, 2), (3, 3, 3, 3, 3), (2, 3, 4), (6, 2, 2))),
    *((ENDS, sizes) for sizes in ((2,) * 6, (3, 3, 3))),
]
COVARIANCES = [
    (CORNERS, sizes)
    for sizes in ((3, 3), (4, 2), (2, 2, 2), (5,), (4,), (3, 2), (2, 2), (4, 3), (6,), (2, 2, 3))
]


@pytest.mark.parametrize(("points", "sizes"), VARIANCES + COVARIANCES, ids=str)
def test_pooled_statistics_change_by_their_sensitivity(points, sizes):
    groups, alone = GroupSizes(sizes=sizes), len(points[0]) == 1
    stay, removed, added = (largest(points, sizes, move) for move in ("stay", "remove", "add"))
    removing, adding = (
        (removing_variance, adding_variance) if alone else (removing_covariance, adding_covariance)
    )
    assert staying(groups) == pytest.approx(stay)
    assert removing(groups) == pytest.approx(removed)
    assert adding(groups) == pytest.approx(added)
    statistic = pooled(PooledVariance if alone else PooledCovariance, sizes)
    assert statistic.sensitivity(SUBSTITUTION).l1 == pytest.approx(stay)
    assert statistic.sensitivity(ADD_REMOVE).l1 == pytest.approx(max(removed, added))


@pytest.mark.parametrize(("people", "count"), [(3, 2), (4, 2), (4, 3), (5, 2), (5, 3)])
def test_private_labels_cover_every_split_into_groups(people, count):
    splits = [
        sizes
        for sizes in product(range(people + 1), repeat=count)
        if sum(sizes) == people and list(sizes) == sorted(sizes)
    ]
    groups = GroupSizes(sizes=splits[0], labels_public=False)
    for points, statistic in (
        (ENDS, PooledVariance(bounds=UNIT, groups=groups)),
        (CORNERS, PooledCovariance(bounds=(UNIT, UNIT), groups=groups)),
    ):
        most = max(largest(points, sizes, move) for sizes in splits for move in ("stay", "jump"))
        assert statistic.sensitivity(SUBSTITUTION).l1 == pytest.approx(most)
        seen = [
            sum(map(scatter, table)) / (people - count)
            for sizes in splits
            for table in tables(points, sizes)
        ]
        assert statistic.range.upper == pytest.approx(max(seen))
        assert statistic.range.lower == pytest.approx(min(seen))


def pooled(kind, sizes, *, labels_public=True):
    groups = GroupSizes(sizes=sizes, labels_public=labels_public)
    return (
        PooledVariance(bounds=UNIT, groups=groups)
        if kind is PooledVariance
        else PooledCovariance(bounds=(UNIT, UNIT), groups=groups)
    )


def drawn(kind, sizes, seed):
    """A random table, its people in random order, and its groups."""
    rng = np.random.default_rng(seed)
    columns = 1 if kind is PooledVariance else 2
    codes = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    numbers = rng.choice([0.0, 0.2, 0.5, 0.9, 1.0], size=(len(codes), columns))
    return np.column_stack([numbers, codes]), numbers, codes


def reference(numbers, codes, count, divisor):
    groups = [list(map(tuple, numbers[codes == j])) for j in range(count)]
    return sum(map(scatter, groups)) / divisor


some_sizes = st.lists(st.integers(2, 4), min_size=1, max_size=3).filter(
    lambda sizes: sum(sizes) > len(sizes) + 1
)


@pytest.mark.parametrize("kind", [PooledVariance, PooledCovariance])
@settings(deadline=None, max_examples=30)
@given(sizes=some_sizes, seed=st.integers(0, 10**6))
def test_removal_is_the_statistic_of_the_others(kind, sizes, seed):
    values, numbers, codes = drawn(kind, sizes, seed)
    statistic, count = pooled(kind, tuple(sizes)), len(sizes)
    freedom = len(values) - count
    shifts = statistic.neighbors(values, ADD_REMOVE)
    left_out = [
        reference(np.delete(numbers, i, axis=0), np.delete(codes, i), count, freedom - 1)
        for i in range(len(values))
    ]
    np.testing.assert_allclose(shifts.alternatives[:, 0, 0], left_out, atol=1e-12)
    whole = reference(numbers, codes, count, freedom)
    assert shifts.actual[0] == pytest.approx(whole, abs=1e-12)
    assert statistic.value(values)[0] == pytest.approx(whole, abs=1e-12)
    most = statistic.sensitivity(ADD_REMOVE).l1 * (1 + 1e-12)
    assert shifts.distances().max() <= most
    joined = statistic.neighbors_added(values, ADD_REMOVE)
    assert np.abs(joined - whole).max() <= most
    for j, new in product(range(count), CORNERS):
        with_new = np.append(numbers, [new[: numbers.shape[1]]], axis=0)
        reached = reference(with_new, np.append(codes, j), count, freedom + 1)
        assert joined.min() - 1e-12 <= reached <= joined.max() + 1e-12


@pytest.mark.parametrize("kind", [PooledVariance, PooledCovariance])
@pytest.mark.parametrize("labels_public", [True, False])
@settings(deadline=None, max_examples=15)
@given(sizes=some_sizes, seed=st.integers(0, 10**6))
def test_substitution_has_the_extremes_over_all_records(kind, labels_public, sizes, seed):
    values, numbers, codes = drawn(kind, sizes, seed)
    statistic = pooled(kind, tuple(sizes), labels_public=labels_public)
    count, freedom = len(sizes), len(values) - len(sizes)
    shifts = statistic.neighbors(values, SUBSTITUTION)
    most = statistic.sensitivity(SUBSTITUTION).l1 * (1 + 1e-12)
    assert shifts.distances().max() <= most
    assert statistic.neighbors_added(values, SUBSTITUTION).shape == (0, 1)
    for i, (lowest, highest) in enumerate(shifts.alternatives[:, :, 0]):
        rest, left = np.delete(numbers, i, axis=0), np.delete(codes, i)
        reached = []
        for j in [codes[i]] if labels_public else range(count):
            mean = rest[left == j].mean(axis=0) if (left == j).any() else rest[0]
            records = np.array(CORNERS)[:, : numbers.shape[1]]
            reached += [
                reference(np.append(rest, [new], axis=0), np.append(left, j), count, freedom)
                for new in (*records, mean)
            ]
        assert lowest == pytest.approx(min(reached), abs=1e-12)
        assert highest == pytest.approx(max(reached), abs=1e-12)


@pytest.mark.parametrize("kind", [PooledVariance, PooledCovariance])
@pytest.mark.parametrize("sizes", [(2, 2, 2, 2), (3, 8), (2, 9, 4), (30,)])
def test_samples_of_groups_are_no_more_spread_than_the_bound(kind, sizes):
    rng = np.random.default_rng(sum(sizes))
    codes = np.repeat(np.arange(len(sizes)), sizes)
    freedom = len(codes) - len(sizes)
    for share in (0.5, 0.1464, 0.02):
        tables_ = (rng.random((20_000, len(codes))) < share).astype(float)
        sums = np.zeros(len(tables_))
        for j in range(len(sizes)):
            group = tables_[:, codes == j]
            sums += np.square(group - group.mean(axis=1, keepdims=True)).sum(axis=1)
        statistics = sums / freedom
        estimate = np.array([statistics.mean()])
        for labels_public in (True, False):
            statistic = pooled(kind, sizes, labels_public=labels_public)
            bound = statistic.sampling_sd(estimate)
            assert bound.shape == (1,)
            assert statistics.std() <= bound[0] * 1.02


def test_private_labels_allow_any_sizes_of_that_sum():
    statistic = pooled(PooledVariance, (2, 2), labels_public=False)
    assert statistic.value([[0, 1], [1, 1], [0, 1], [1, 1]])[0] == pytest.approx(0.5)
    with pytest.raises(ParameterError, match="public sizes"):
        pooled(PooledVariance, (2, 2)).value([[0, 1], [1, 1], [0, 1], [1, 1]])


def test_what_is_not_public_is_refused():
    statistic = pooled(PooledVariance, (2, 2), labels_public=False)
    for ask in (
        lambda: statistic.sensitivity(ADD_REMOVE),
        lambda: statistic.neighbors([[0, 0], [1, 0], [0, 1], [1, 1]], ADD_REMOVE),
    ):
        with pytest.raises(ParameterError, match="choose substitution"):
            ask()
    with pytest.raises(ParameterError, match="need all of them"):
        pooled(PooledCovariance, (2,)).sensitivity(ADD_REMOVE)


@pytest.mark.parametrize(
    ("sizes", "labels_public", "match"),
    [
        ((), True, "at least 2"),
        ((3, 1), True, "at least 2"),
        ((3, -1), False, "at least 0"),
        ((1, 1), False, "more rows than groups"),
    ],
)
def test_sizes_outside_their_domain_are_refused(sizes, labels_public, match):
    with pytest.raises(ParameterError, match=match):
        GroupSizes(sizes=sizes, labels_public=labels_public)


@pytest.mark.parametrize(
    ("values", "match"),
    [
        ([[0, 0], [0, 0], [0, 1], [np.nan, 1]], "missing"),
        ([[0, 0], [0, 0], [0, 1], [0, 2]], "0 to 1"),
        ([[0, 0], [0, 0], [0, 1]], "public number"),
        ([0, 0, 0, 0], "2 values a person"),
    ],
)
def test_bad_values_are_refused(values, match):
    with pytest.raises(ParameterError, match=match):
        pooled(PooledVariance, (2, 2)).value(values)
    with pytest.raises(ParameterError, match="finite bounds"):
        PooledVariance(bounds=Interval(lower=0, upper=np.inf), groups=GroupSizes(sizes=(2, 2)))
