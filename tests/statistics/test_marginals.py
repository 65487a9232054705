"""Several tables of the same columns: counts, changes by one person, and agreement."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore.errors import ParameterError
from dpcore.postprocessing.consistent_marginals import consistent, noise_weights, nonnegative
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.marginals import MOST_TOGETHER, Marginals
from dpcore.statistics.statistic import Statistic
from tests.releases.questions import labels, marginals
from tests.statistics.columns import dataset, yes_no
from tests.statistics.neighbors import changes, check
from tests.terms import ADD_REMOVE, private, public

SETS = {
    "one column and a pair": ((2, 3), ((0,), (0, 1))),
    "all pairs": ((2, 2, 3), ((0, 1), (0, 2), (1, 2))),
    "three at once": ((2, 3, 2, 2), ((0, 1, 2), (1, 3), (3,))),
    "nothing shared": ((3, 2), ((0,), (1,))),
}


def of(name, size=None):
    shape, tables = SETS[name]
    cells = sum(int(np.prod([shape[column] for column in table])) for table in tables)
    names = tuple(map(str, range(cells)))
    return Marginals(shape=shape, tables=tables, labels=names, size=size or private(1))


def records(statistic):
    return [*itertools.product(*map(range, statistic.shape))]


@pytest.mark.parametrize("name", ["one column and a pair", "nothing shared"])
@pytest.mark.parametrize("relation", list(NeighboringRelation))
def test_sensitivity_is_the_largest_change_of_all_small_tables(name, relation):
    statistic = of(name)

    def at(table):
        return statistic.value(np.array(table, dtype=float).reshape(-1, 2))

    moves = changes(at, records(statistic), relation, range(1, 4), drop=True)
    check(statistic.sensitivity(relation), moves)


@pytest.mark.parametrize("relation", list(NeighboringRelation))
def test_everybody_can_change_as_much_as_anybody(relation):
    statistic = of("all pairs")
    people = np.array([[0, 1, 2], [1, 1, 0], [0, 1, 2]], dtype=float)
    found = statistic.neighbors(people, relation)
    assert (found.distances() == statistic.sensitivity(relation).l1).all()
    for person in range(3):
        (instead,) = found.of_person(person)
        rest = np.delete(people, person, axis=0)
        if relation is ADD_REMOVE:
            assert (instead == statistic.value(rest)).all()
        else:
            reached = [statistic.value(np.vstack([rest, other])) for other in records(statistic)]
            assert any((instead == one).all() for one in reached)
    joined = statistic.neighbors_added(people, relation) - statistic.value(people)
    assert np.abs(joined).sum() == 3


def test_tables_are_counted_as_pandas_counts_them():
    columns = (labels("region", "north", "south"), yes_no(), labels("level", "low", "high"))
    rng = np.random.default_rng(3)
    cells = {one.name: rng.choice(one.labels, 50) for one in columns}
    query = marginals(people=50).query
    found = query.value(dataset(columns, **cells))
    frame, parts = pd.DataFrame(cells), query.statistic.split(found)
    for table, counts in zip(query.tables, parts, strict=True):
        for place in itertools.product(*(range(len(query.names[column])) for column in table)):
            named = [query.names[column][at] for column, at in zip(table, place, strict=True)]
            alike = frame[[columns[column].name for column in table]] == named
            assert counts[place] == alike.all(axis=1).sum()
    assert query.title == "number of people by region, region × smoker and smoker × level"
    assert query.labels[3] == "region × smoker: north × no"


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("known", [False, True])
def test_tables_that_agree_are_the_nearest_ones(name, known):
    statistic = of(name, public(50) if known else None)
    rng = np.random.default_rng(5)
    counted = of(name)
    design = np.array([counted.value([one]) for one in records(statistic)]).T
    people = rng.multinomial(50, np.full(design.shape[1], 1 / design.shape[1]))
    noisy = design @ people + rng.normal(0, 3, (4, len(design)))
    # All tables of 50 people, and what a move from one record to another changes.
    steps = design[:, 1:] - design[:, :1] if known else design
    start = 50 * design[:, 0] if known else np.zeros(len(design))
    nearest = steps @ np.linalg.pinv(steps)
    found = consistent(statistic, noisy)
    assert found == pytest.approx(start + (noisy - start) @ nearest.T, abs=1e-9)
    assert consistent(statistic, design @ people) == pytest.approx(design @ people, abs=1e-9)
    first = np.cumsum([0, *statistic.counts[:-1]])
    weights = noise_weights(statistic)
    assert weights == pytest.approx(nearest[first], abs=1e-9)
    # Best linear unbiased: of its own noise a cell keeps as much as its variance is.
    assert np.square(weights).sum(axis=1) == pytest.approx(nearest.diagonal()[first])
    assert (np.square(weights).sum(axis=1) <= 1 + 1e-12).all()


def test_sets_that_are_none_are_refused():
    with pytest.raises(ParameterError, match="different columns"):
        Marginals(shape=(2, 2), tables=((1, 0),), labels=tuple("abcd"), size=private(1))
    with pytest.raises(ParameterError, match="different columns"):
        Marginals(shape=(2, 2), tables=((0,), (0,)), labels=tuple("abcd"), size=private(1))
    side = int(MOST_TOGETHER**0.5) + 1
    with pytest.raises(ParameterError, match="fewer tables"):
        Marginals(
            shape=(side, side),
            tables=((0, 1),),
            labels=tuple(map(str, range(side**2))),
            size=private(1),
        )
    with pytest.raises(ParameterError, match="1 to 3 columns"):
        marginals(tables=((0, 1, 2, 3),))
    assert isinstance(of("all pairs"), Statistic)


def test_too_many_cells_are_refused_without_a_name_for_each():
    columns = [labels(f"c{place}", *map(str, range(200))) for place in range(10)]
    few = marginals().query
    wide = tuple(replace(few.crossed[0], column=column) for column in columns)
    with pytest.raises(ParameterError, match="fewer tables"):
        replace(few, crossed=wide, tables=tuple(itertools.combinations(range(10), 3)))


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("tables", [((0,), (0, 1)), ((0, 1), (0, 2), (1, 2))])
def test_counts_of_at_least_0_are_the_nearest_that_agree(tables, known):
    """No table of counts lies beyond the plane through them: they are the projection."""
    shape, people, rng = (3, 4, 2), 40, np.random.default_rng(6)
    cells = sum(int(np.prod([shape[column] for column in table])) for table in tables)
    marginals = Marginals(
        shape=shape,
        tables=tables,
        labels=tuple(map(str, range(cells))),
        size=TableSize(people=people, public=known),
    )
    rows = np.stack([rng.choice(count, size=people) for count in shape], axis=1).astype(float)
    others = [marginals.value(np.tile(row, (people, 1))) for row in rows] + [marginals.value(rows)]
    for _ in range(5):
        noisy = marginals.value(rows) + rng.laplace(scale=15.0, size=cells)
        agreeing = consistent(marginals, noisy)
        found = nonnegative(marginals, agreeing)
        assert agreeing.min() < 0
        assert found.min() >= 0
        np.testing.assert_allclose(consistent(marginals, found), found, atol=1e-5)
        for other in others:
            for part in (1.0,) if known else (0.0, 0.5, 1.0, 3.0):
                assert (agreeing - found) @ (part * other - found) < 1e-2
        far, near = (np.linalg.norm(one - marginals.value(rows)) for one in (agreeing, found))
        assert near < far
