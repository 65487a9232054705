"""At most m rows a person: every table of up to 4 people with up to 3 rows each.

Of up to 3 people, but in `make test-all`.

A value of a row is at a bound or between the bounds, in one of two groups or another;
what has no value is no row. What somebody's rows become by hand is the statistic of
the rows of the other table, whoever has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, combinations_with_replacement, product
from math import comb

import numpy as np
import pytest

from dpcore.data.bounds import Interval
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.group_sums import Grouped, GroupMoments, MeanMoments, PairMoments
from dpcore.statistics.histogram import Histogram
from dpcore.statistics.statistic import Statistic
from dpcore.statistics.sums_and_means import Count, Mean, Proportion, Sum
from dpcore.statistics.user_level import MeanOfPeople, of_people, packed
from tests.conftest import everything
from tests.terms import SUBSTITUTION

PEOPLE = 4 if everything() else 3
BOUNDS = Interval(lower=-1.0, upper=3.0)
LOW, BETWEEN, HIGH = -1.0, 0.0, 3.0
NUMBERS = ((LOW,), (BETWEEN,), (HIGH,))


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A statistic of rows, the rows of the tables, and others that may replace them.

    Attributes:
        statistic: The statistic, of one row a person.
        rows: What a row of a table may be.
        others: What else a row may become: with ``rows`` all ends of what is allowed.

    """

    statistic: Statistic
    rows: tuple[tuple[float, ...], ...]
    others: tuple[tuple[float, ...], ...] = ()


def size(people):
    return TableSize(people=people, public=False)


ASKED = {
    "count": Asked(statistic=Count(size=size(1)), rows=((0.0,), (1.0,))),
    "sum": Asked(statistic=Sum(bounds=BOUNDS, size=size(1)), rows=NUMBERS),
    "sum of what is never 0": Asked(
        statistic=Sum(bounds=Interval(lower=2.0, upper=3.0), size=size(1)),
        rows=((3.0,), (2.5,)),
        others=((2.0,),),
    ),
    **{
        f"mean, at least {least}": Asked(
            statistic=Mean(bounds=BOUNDS, size=size(least)), rows=NUMBERS
        )
        for least in (1, 4, 9)
    },
    "share, at least 5": Asked(statistic=Proportion(size=size(5)), rows=((0.0,), (1.0,))),
    "histogram": Asked(
        statistic=Histogram(labels=("a", "b", "c"), size=size(1)),
        rows=((0.0,), (1.0,)),
        others=((2.0,),),
    ),
    "counts by group": Asked(
        statistic=Grouped.alike(labels_of_groups=("a",), part=Count(size=size(1))),
        rows=((1.0, 0.0), (1.0, 1.0)),
        others=((0.0, 0.0), (0.0, 1.0)),
    ),
    "sums by group": Asked(
        statistic=Grouped.alike(labels_of_groups=("a",), part=Sum(bounds=BOUNDS, size=size(1))),
        rows=((HIGH, 0.0), (LOW, 1.0)),
        others=((LOW, 0.0), (HIGH, 1.0)),
    ),
    "counts and sums by group": Asked(
        statistic=GroupMoments(labels_of_groups=("a",), bounds=BOUNDS, degree=1),
        rows=((BETWEEN, 0.0), (HIGH, 1.0)),
        others=((LOW, 0.0), (HIGH, 0.0), (LOW, 1.0), (BETWEEN, 1.0)),
    ),
    "difference of two groups": Asked(
        statistic=PairMoments(groups=3, pair=(0, 2), bounds=BOUNDS),
        rows=((BETWEEN, 0.0), (HIGH, 2.0)),
        others=((LOW, 0.0), (HIGH, 0.0), (LOW, 2.0), (BETWEEN, 2.0), (HIGH, 1.0)),
    ),
    "two columns by group": Asked(
        statistic=MeanMoments(labels_of_groups=("a",), bounds=(BOUNDS, BOUNDS)),
        rows=((LOW, LOW, 0.0), (HIGH, BETWEEN, 1.0)),
        others=tuple(
            row for row in product((LOW, HIGH), (LOW, HIGH), (0.0, 1.0)) if row != (LOW, LOW, 0.0)
        ),
    ),
}


def owned(letters, most):
    """How often each letter may be among the rows of one person, shape (o, letters)."""
    found = chain.from_iterable(
        combinations_with_replacement(range(letters), m) for m in range(most + 1)
    )
    return np.array([np.bincount(each, minlength=letters) for each in map(list, found)])


class Enumeration:
    """Every table, and the statistic of every collection of rows that is met."""

    def __init__(self, asked, most):
        self.letters = np.array((*asked.rows, *asked.others))
        self.statistic, self.most = asked.statistic, most
        self.mine = owned(len(asked.rows), most)
        widened = np.zeros((len(self.mine), len(asked.others)), dtype=int)
        self.mine = np.hstack([self.mine, widened])
        self.any = owned(len(self.letters), most)
        # The first of ``mine`` is nobody: who has no row is not there.
        every = combinations_with_replacement(range(len(self.mine)), PEOPLE)
        self.tables = np.array(list(every))
        assert len(self.tables) == comb(len(self.mine) + PEOPLE - 1, PEOPLE)

    def values(self, counts):
        """The statistic of rows, so many of each letter: shape (..., k)."""
        flat = counts.reshape(-1, len(self.letters))
        # Twelve rows at most: a number of four bits for each letter.
        code = flat @ (13 ** np.arange(len(self.letters)))
        _, first, place = np.unique(code, return_index=True, return_inverse=True)
        found = [self.value(np.repeat(self.letters, flat[i], axis=0)) for i in first]
        return np.array(found)[place].reshape(*counts.shape[:-1], -1)

    def value(self, rows):
        return self.statistic.value(rows if rows.shape[1] > 1 else rows[:, 0])

    def entries(self, table):
        """The lines of a table, in the order of its people who have a row."""
        counts = self.mine[[own for own in table if own]]
        person, letter = np.divmod(
            np.repeat(np.arange(counts.size), counts.ravel()), len(self.letters)
        )
        return packed(self.letters[letter], person, self.most)[0]


def lengths(shifts):
    """How far each person moves it at most, added up and as the crow flies."""
    moved = shifts.alternatives - shifts.actual
    return [np.linalg.norm(moved, ord=norm, axis=-1).max(axis=1) for norm in (1, 2)]


@pytest.mark.parametrize("most", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ASKED)
def test_what_everybody_moves_is_by_hand_and_the_most_is_the_sensitivity(name, most):
    """Of every person of every table, against leaving out and every replacement.

    The number of coordinates that change is a bound; the norms are exact, but for a
    mean of at least N rows, which is moved most beside N others: where three people
    have fewer, no table reaches it, and it is tested as a bound.
    """
    asked = ASKED[name]
    every = Enumeration(asked, most)
    statistic = of_people(asked.statistic, most)
    whole = every.mine[every.tables].sum(axis=1)
    here = every.values(whole)
    table, place = np.nonzero(every.tables)
    rest = whole[table] - every.mine[every.tables[table, place]]
    for relation in NeighboringRelation:
        others = every.any if relation is SUBSTITUTION else every.any[:1]
        moved = every.values(rest[:, None] + others) - here[table][:, None]
        found = [
            lengths(statistic.neighbors(every.entries(each), relation)) for each in every.tables[1:]
        ]
        for place, norm in enumerate((1, 2)):
            reached = np.concatenate([each[place] for each in found])
            by_hand = np.linalg.norm(moved, ord=norm, axis=-1).max(axis=1)
            np.testing.assert_allclose(reached, by_hand, atol=1e-12)
        claimed = statistic.sensitivity(relation)
        sizes = {
            "l1": np.linalg.norm(moved, ord=1, axis=-1).max(),
            "l2": np.linalg.norm(moved, ord=2, axis=-1).max(),
            "largest": np.abs(moved).max(),
        }
        for norm, largest in sizes.items():
            at_most = getattr(claimed, norm)
            if is_reached(statistic, relation):
                assert largest == pytest.approx(at_most, rel=1e-12), norm
            assert largest <= at_most * (1 + 1e-12), norm
        assert (np.abs(moved) > 1e-12).sum(axis=-1).max() <= claimed.coordinates


def is_reached(statistic, relation):
    """Whether three others have the rows that the largest change is beside."""
    if not isinstance(statistic, MeanOfPeople) or relation is SUBSTITUTION:
        return True
    return (PEOPLE - 1) * statistic.most >= statistic.each.size.people
