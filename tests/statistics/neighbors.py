"""All small tables and all changes between neighbors, by enumeration."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from dpcore.relations import NeighboringRelation


def multisets(records, people):
    """All tables of so many people; no statistic here minds the order."""
    return combinations_with_replacement(records, people)


def pairs_of(statistic, records, relation, people):
    """The statistic of every table of so many people and of each neighbor, (c, k) each."""
    here, there = [], []
    for table in (table for n in people for table in multisets(records, n)):
        for i in range(len(table)):
            rest = table[:i] + table[i + 1 :]
            reached = [rest] if rest else []
            if relation is NeighboringRelation.SUBSTITUTION:
                reached = [(*rest, other) for other in records]
            for other in reached:
                here.append(statistic.value(np.array(table, dtype=float)))
                there.append(statistic.value(np.array(other, dtype=float)))
    return np.array(here), np.array(there)


def changes(at, records, relation, people, *, drop):
    """Every change by one neighbor of tables of ``people`` many, shape (c, k).

    ``at`` gives the statistic of a sorted tuple of records. ``drop`` says that a
    replaced record may also lose its value.
    """
    memo = {}

    def known(table):
        key = tuple(sorted(table))
        if key not in memo:
            memo[key] = np.asarray(at(key))
        return memo[key]

    moves = set()
    for n in people:
        for table in multisets(records, n):
            here = known(table)
            for i in range(n):
                if i and table[i] == table[i - 1]:
                    continue
                rest = table[:i] + table[i + 1 :]
                reached = []
                if relation is NeighboringRelation.ADD_REMOVE or drop:
                    reached.append(known(rest))
                if relation is NeighboringRelation.SUBSTITUTION:
                    reached += [known((*rest, other)) for other in records]
                moves.update(tuple(value - here) for value in reached)
    return np.array(sorted(moves))


def check(sensitivity, moves):
    """Every norm of the sensitivity is attained, and none is exceeded."""
    # Changes of a few units in the last place are rounding, not changes.
    moves = np.where(np.abs(moves) < 1e-12, 0.0, moves)
    attained = {
        "l1": np.abs(moves).sum(axis=1).max(),
        "l2": np.sqrt(np.square(moves).sum(axis=1)).max(),
        "largest": np.abs(moves).max(),
        "coordinates": (moves != 0).sum(axis=1).max(),
    }
    for name, most in attained.items():
        assert getattr(sensitivity, name) == pytest.approx(most, abs=1e-12), name
