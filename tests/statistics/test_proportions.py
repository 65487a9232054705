"""Vectors of proportions: every sensitivity enumerated, every shift recomputed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation
from dpcore.statistics.histogram import Proportions
from tests.statistics.neighbors import changes, check
from tests.terms import ADD_REMOVE, SUBSTITUTION, private, public

TEN = [0, 0, 0, 0, 0, 1, 1, 1, 2, 2]


def asked(count, size, **options):
    return Proportions(cells=tuple("abcd"[:count]), size=size, **options)


def reference(statistic, table):
    """The shares by their definition."""
    n = len(table)
    own = n if statistic.size.public else max(n, statistic.size.people)
    counts = np.bincount(np.array(table, dtype=int), minlength=len(statistic.cells))
    return np.minimum(counts / (statistic.constant or own), 1.0)[: len(statistic.labels)]


def all_changes(statistic, relation, people):
    return changes(
        lambda table: reference(statistic, table),
        range(len(statistic.cells)),
        relation,
        people,
        drop=not statistic.size.public,
    )


@pytest.mark.parametrize("relation", NeighboringRelation)
@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("n", [2, 3, 5, 8])
@pytest.mark.parametrize("omit_last", [False, True])
def test_sensitivity_is_the_largest_change_of_a_public_size(relation, count, n, omit_last):
    statistic = asked(count, public(n), omit_last=omit_last)
    check(statistic.sensitivity(relation), all_changes(statistic, relation, [n]))


@pytest.mark.parametrize("relation", NeighboringRelation)
@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize("omit_last", [False, True])
def test_sensitivity_over_a_constant_is_the_largest_change(relation, count, n, omit_last):
    for size in (public(n), private(n)):
        statistic = asked(count, size, omit_last=omit_last, constant=20)
        moves = all_changes(statistic, relation, [n])
        check(statistic.sensitivity(relation), moves)


@pytest.mark.parametrize("relation", NeighboringRelation)
@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("least", [1, 2, 3, 4])
@pytest.mark.parametrize("omit_last", [False, True])
def test_sensitivity_of_a_private_size_covers_every_size(relation, count, least, omit_last):
    statistic = asked(count, private(least), omit_last=omit_last)
    moves = all_changes(statistic, relation, range(1, 8))
    check(statistic.sensitivity(relation), moves)


codes = st.lists(st.integers(0, 3), min_size=1, max_size=9)
statistics = st.builds(
    lambda least, constant, omit_last: (least, constant, omit_last),
    st.one_of(st.none(), st.integers(1, 9)),
    st.one_of(st.none(), st.integers(1, 9)),
    st.booleans(),
)


@settings(deadline=None, max_examples=80)
@given(codes=codes, options=statistics)
def test_shifts_and_additions_are_the_shares_of_neighbors(codes, options):
    least, constant, omit_last = options
    size = public(len(codes)) if least is None else private(least)
    statistic = asked(4, size, constant=constant, omit_last=omit_last)
    actual = reference(statistic, codes)
    np.testing.assert_allclose(statistic.value(codes), actual)
    removed = statistic.neighbors(codes, ADD_REMOVE)
    replaced = statistic.neighbors(codes, SUBSTITUTION)
    np.testing.assert_allclose(removed.actual, actual)
    assert removed.people == replaced.people == len(codes)
    for i, own in enumerate(codes):
        rest = codes[:i] + codes[i + 1 :]
        without = removed.alternatives[removed.kind[i], 0]
        if len(codes) == 1 and least is None and constant is None:
            assert np.isnan(without).all()
        else:
            np.testing.assert_allclose(without, reference(statistic, rest))
        others = [reference(statistic, [*rest, new]) for new in range(4) if new != own]
        if least is not None:
            others.append(reference(statistic, rest))
        reached = replaced.alternatives[replaced.kind[i]]
        for alternative in reached:
            assert min(np.abs(alternative - other).max() for other in others) < 1e-12
        most = max(np.abs(other - actual).sum() for other in others)
        assert np.abs(reached - actual).sum(axis=1).max() == pytest.approx(most)
    joined = statistic.neighbors_added(codes, ADD_REMOVE)
    expected = [reference(statistic, [*codes, new]) for new in range(4)]
    np.testing.assert_allclose(joined, expected)


@pytest.mark.parametrize("relation", NeighboringRelation)
@settings(deadline=None, max_examples=40)
@given(codes=codes, options=statistics)
def test_no_shift_exceeds_the_sensitivity(relation, codes, options):
    least, constant, omit_last = options
    statistic = asked(4, private(least or 1), constant=constant, omit_last=omit_last)
    most = statistic.sensitivity(relation).l1 * (1 + 1e-12)
    assert statistic.neighbors(codes, relation).distances().max() <= most
    joined = statistic.neighbors_added(codes, relation) - statistic.value(codes)
    assert np.abs(joined).sum(axis=1).max() <= most


def test_shares_have_their_exact_spread():
    rng = np.random.default_rng(8)
    counts = rng.multinomial(12, [0.5, 0.3, 0.2], size=200_000)
    estimate = np.array([0.5, 0.3, 0.2])
    exact = (counts / 12).std(axis=0)
    np.testing.assert_allclose(asked(3, public(12)).sampling_sd(estimate), exact, rtol=0.01)
    over = asked(3, public(12), constant=15)
    np.testing.assert_allclose(
        over.sampling_sd(estimate * 12 / 15), (counts / 15).std(axis=0), rtol=0.01
    )
    unknown = asked(3, private(12), constant=15).sampling_sd(estimate * 12 / 15)
    assert (unknown >= (counts / 15).std(axis=0)).all()
    below = asked(3, private(20)).sampling_sd(estimate * 12 / 20)
    assert (below >= (counts / 20).std(axis=0)).all()


def test_labels_leave_out_the_last():
    assert asked(3, public(4)).labels == ("a", "b", "c")
    assert asked(3, public(4), omit_last=True).labels == ("a", "b")


def test_nobody_joins_a_public_number_of_people_by_substitution():
    assert asked(3, public(10)).neighbors_added(TEN, SUBSTITUTION).shape == (0, 3)


def test_parameters_outside_their_domain_are_refused():
    with pytest.raises(ParameterError, match="at least 2 cells"):
        asked(1, public(3))
    with pytest.raises(ParameterError, match="constant divisor"):
        asked(2, public(3), constant=0)
    with pytest.raises(ParameterError, match="undefined without"):
        asked(2, public(1)).sensitivity(ADD_REMOVE)
    assert asked(2, public(1), constant=1).sensitivity(ADD_REMOVE).l1 == 1
    for ask in (
        asked(2, public(1)).value,
        lambda values: asked(2, public(1)).neighbors(values, SUBSTITUTION),
    ):
        with pytest.raises(ParameterError, match="0 to 1"):
            ask([2.0])
