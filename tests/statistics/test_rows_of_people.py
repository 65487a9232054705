"""Several rows a person: every table of up to 4 people with up to 3 rows each."""

from functools import cache
from itertools import chain, combinations_with_replacement, product

import numpy as np
import pytest

from dpcore.data.bounds import Interval
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.group_sums import Grouped, GroupMoments, MeanMoments, PairMoments
from dpcore.statistics.histogram import Histogram
from dpcore.statistics.sums_and_means import Count, Mean, Proportion, Sum
from dpcore.statistics.user_level import of_people, packed
from tests.statistics.neighbors import check
from tests.terms import ADD_REMOVE, SUBSTITUTION

BOUNDS = Interval(lower=-1.0, upper=3.0)
POSITIVE = Interval(lower=2.0, upper=3.0)
MOST = 3


def size(people):
    return TableSize(people=people, public=False)


ENDS = (-1.0, 3.0)
CODES = (0.0, 1.0, 2.0)
PAIRS = tuple(product((-1.0, 3.0), (0.0, 1.0)))
# What is asked, of which records a person may have several.
ASKED = {
    "count": (Count(size=size(1)), (0.0, 1.0)),
    "sum": (Sum(bounds=BOUNDS, size=size(1)), ENDS),
    "sum of what is never 0": (Sum(bounds=POSITIVE, size=size(1)), (2.0, 3.0)),
    **{
        f"mean, at least {least}": (Mean(bounds=BOUNDS, size=size(least)), ENDS)
        for least in (1, 2, 4, 9)
    },
    "share, at least 5": (Proportion(size=size(5)), (0.0, 1.0)),
    "histogram": (Histogram(labels=("a", "b", "c"), size=size(1)), CODES),
    "counts by group": (
        Grouped.alike(labels_of_groups=("a",), part=Count(size=size(1))),
        tuple(product((0.0, 1.0), (0.0, 1.0))),
    ),
    "sums by group": (
        Grouped.alike(labels_of_groups=("a",), part=Sum(bounds=BOUNDS, size=size(1))),
        PAIRS,
    ),
    **{
        f"moments by group of degree {degree}": (
            GroupMoments(labels_of_groups=("a",), bounds=BOUNDS, degree=degree),
            PAIRS,
        )
        for degree in (1, 2)
    },
}
ASKED["difference of two groups"] = (
    PairMoments(groups=3, pair=(0, 2), bounds=BOUNDS),
    tuple(product((-1.0, 3.0), (0.0, 1.0, 2.0))),
)
ASKED["two columns by group"] = (
    MeanMoments(labels_of_groups=("a",), bounds=(BOUNDS, BOUNDS)),
    tuple(product((-1.0, 3.0), (-1.0, 3.0), (0.0, 1.0))),
)
LINEAR = [name for name in ASKED if not name.startswith(("mean", "share"))]


def owned(records, most=MOST):
    """All that a person may have: from no row to so many."""
    sizes = range(most + 1)
    return tuple(chain.from_iterable(combinations_with_replacement(records, m) for m in sizes))


def entries(people, records, most=MOST):
    """The table of such people: a line of all rows for each who has some."""
    width = np.size(records[0])
    rows = [row for own in people for row in own]
    who = [person for person, own in enumerate(people) for _ in own]
    values = np.array(rows, dtype=float).reshape(len(rows), width)
    return packed(values, np.array(who, dtype=np.intp), most)[0]


@cache
def value_of(name, rows):
    """The statistic of rows, whoever has them."""
    statistic, records = ASKED[name]
    shape = (len(rows), *np.shape(records[0]))
    return statistic.value(np.array(rows, dtype=float).reshape(shape))


def value(name, people):
    return value_of(name, tuple(sorted(chain.from_iterable(people))))


def rests(name):
    """Rows of up to 3 people with up to 3 each: nothing else matters of them."""
    _, records = ASKED[name]
    if name in LINEAR:
        return [()]
    return owned(records, 3 * MOST)


@pytest.mark.parametrize("relation", NeighboringRelation)
@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("name", ASKED)
def test_what_a_person_can_change_is_exact(name, most, relation):
    statistic, records = ASKED[name]
    mine = owned(records, most)
    others = mine if relation is SUBSTITUTION else [()]
    pairs = [
        (before, after) for before in mine for after in others if relation is SUBSTITUTION or before
    ]
    moves = {
        tuple(value(name, (rest, after)) - value(name, (rest, before)))
        for rest in rests(name)
        for before, after in pairs
    }
    found = of_people(statistic, most).sensitivity(relation)
    if "degree 2" in name:
        # A value between the bounds changes three numbers, with smaller norms.
        found = type(found)(
            coordinates=np.count_nonzero(np.abs([*moves]) > 1e-12, axis=1).max(),
            l1=found.l1,
            l2=found.l2,
            largest=found.largest,
        )
    moved = np.array([*moves, *(tuple(-np.array(move)) for move in moves)])
    attained = {
        "l1": np.abs(moved).sum(axis=1).max(),
        "l2": np.linalg.norm(moved, axis=1).max(),
        "largest": np.abs(moved).max(),
    }
    for norm, most_of_all in attained.items():
        assert getattr(found, norm) == pytest.approx(most_of_all, rel=1e-12), norm
    touched = (np.abs(moved) > 1e-12).sum(axis=1).max()
    assert found.coordinates >= touched
    if len(statistic.labels) == 1:
        check(found, moved)


def tables(name):
    """Every table of up to 4 people, by a few things that each may have."""
    _, records = ASKED[name]
    everything = owned(records)
    few = everything if len(records) == 2 else everything[:: max(1, len(records) - 1)]
    rng = np.random.default_rng(5)
    every = list(chain.from_iterable(combinations_with_replacement(few, n) for n in range(1, 5)))
    if len(every) <= 60:
        return every
    looked_at = 15 if len(everything) > 50 else 60  # there is more to reach by hand
    return [every[i] for i in rng.choice(len(every), looked_at, replace=False)]


@pytest.mark.slow
@pytest.mark.parametrize("relation", NeighboringRelation)
@pytest.mark.parametrize("name", ASKED)
def test_everybody_moves_it_as_by_hand(name, relation):
    statistic, records = ASKED[name]
    asked, extremes = of_people(statistic, MOST), owned(records)
    for people in tables(name):
        shown = [own for own in people if own]
        if not shown:
            continue
        shifts = asked.neighbors(entries(people, records), relation)
        np.testing.assert_allclose(shifts.actual, value(name, people), atol=1e-12)
        found = shifts.distances()
        for place, own in enumerate(shown):
            rest = [*shown[:place], *shown[place + 1 :]]
            others = extremes if relation is SUBSTITUTION else [()]
            hand = max(
                np.abs(value(name, (*rest, other)) - value(name, shown)).sum() for other in others
            )
            assert found[place] == pytest.approx(hand, abs=1e-12), (people, own)
            assert found[place] <= asked.sensitivity(relation).l1 * (1 + 1e-12)


@pytest.mark.parametrize("name", ASKED)
def test_nobody_can_join_with_more_than_the_extremes(name):
    statistic, records = ASKED[name]
    asked = of_people(statistic, MOST)
    here = ((records[0],), (records[-1], records[-1]))
    joined = asked.neighbors_added(entries(here, records), ADD_REMOVE)
    actual = value(name, here)
    most = np.abs(joined - actual).sum(axis=1).max()
    by_hand = max(np.abs(value(name, (*here, own)) - actual).sum() for own in owned(records))
    assert most == pytest.approx(by_hand, rel=1e-12)
