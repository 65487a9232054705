"""At most m rows a person, from the table as read to everybody's loss, by hand.

In every table of up to 4 people with up to 3 rows each: rows stay by the key, missing
values are left out or filled in, and a question is asked of what is left. Of up to 2
people, but in `make test-all`.
"""

from __future__ import annotations

from itertools import chain, combinations_with_replacement

import numpy as np
import pandas as pd
import pytest

from dpcore.analyses.base import Request
from dpcore.analyses.number import Query
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.data.preparation.contribution_bounds import RowCap, at_most
from dpcore.individual.release_losses import release_losses
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.entries import Membership
from dpcore.statistics.kinds import StatisticKind
from tests.conftest import everything

KEY = bytes(range(32))
MISSING = float("nan")
LEAST = 2
COLUMNS = (Column(name="who", kind=ColumnKind.CATEGORY), Column(name="x", kind=ColumnKind.NUMBER))
ASKED = {
    "mean": (StatisticKind.MEAN, MissingPolicy.DROP, None),
    "sum, missing values filled in": (StatisticKind.SUM, MissingPolicy.REPLACE, None),
    "count": (StatisticKind.COUNT, MissingPolicy.DROP, Membership()),
}


def owned(letters, most=3):
    return list(
        chain.from_iterable(combinations_with_replacement(letters, m) for m in range(1, most + 1))
    )


def capped(people, most):
    """The table of some people, each called by number and copy, under a limit."""
    rows = [(f"{who}", x) for who, own in people for x in own]
    frame = pd.DataFrame(
        {
            "who": pd.Series([who for who, _ in rows], dtype="str"),
            "x": np.array([x for _, x in rows], dtype=float),
        }
    )
    frame.index = pd.RangeIndex(2, len(frame) + 2, name="line")
    source = Dataset(name="visits", frame=frame, columns=COLUMNS)
    return at_most(source, RowCap(owners=("who",), most=most), key=KEY)


def tables(letters):
    """Every table; of people with the same rows, each has a name of their own."""
    mine = owned(letters)
    for count in range(1, 5 if everything() else 3):
        for each in combinations_with_replacement(range(len(mine)), count):
            yield [((one, each[:place].count(one)), mine[one]) for place, one in enumerate(each)]


def kept(made):
    """The rows of each person that stay, people in the order of the table."""
    values = made.frame.iloc[:, 0].to_numpy()
    return [tuple(np.sort(values[made.persons == person])) for person in range(made.people)]


def by_hand(kind, rows):
    """What is asked of rows, within bounds from 0 to 2."""
    if kind is StatisticKind.COUNT:
        return float(len(rows))
    if kind is StatisticKind.SUM:
        return float(sum(rows))
    return 1.0 + sum(x - 1.0 for x in rows) / max(len(rows), LEAST)


def requests(name, most):
    kind, policy, membership = ASKED[name]
    filled = 0.5 if policy is MissingPolicy.REPLACE else None
    column = Column(
        name=f"x{RowCap(owners=('who',), most=most).suffix}",
        kind=ColumnKind.NUMBER,
        bounds=Interval(lower=0.0, upper=2.0),
        missing=policy,
        replacement=filled,
    )
    for relation in NeighboringRelation:
        query = Query(
            kind=kind,
            column=column,
            relation=relation,
            unit=PrivacyUnit(cap=most),
            size=TableSize(people=LEAST, public=False),
            membership=membership,
        )
        yield Request(query=query, mechanism_key="laplace", epsilon=1.0)


def counted(name, own):
    """The values of a person that count."""
    policy = ASKED[name][1]
    if policy is MissingPolicy.DROP:
        return tuple(x for x in own if not np.isnan(x))
    return tuple(0.5 if np.isnan(x) else x for x in own)


def worst(kind, people, others):
    """How far somebody else in each person's place, or nobody, moves what is asked."""
    here = by_hand(kind, [*chain.from_iterable(people)])
    found = []
    for place in range(len(people)):
        rest = [*chain.from_iterable([*people[:place], *people[place + 1 :]])]
        found.append(max(abs(by_hand(kind, [*rest, *other]) - here) for other in others))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("letters", "most"), [((0.0, 2.0), 2), ((2.0, MISSING), 1)])
def test_everybody_loses_what_all_their_rows_that_stay_are_worth(letters, most):
    """Of every table; under a limit of 3 all rows stay, and nothing is chosen."""
    allowed = {
        NeighboringRelation.ADD_REMOVE: [()],
        # Somebody's rows alike at a bound are the ends of all that others may bring.
        NeighboringRelation.SUBSTITUTION: [(), *owned((0.0, 2.0), most)],
    }
    asked = {name: [*requests(name, most)] for name in ASKED}
    alone = {}
    for people in tables(letters):
        made = capped(people, most)
        for who, own in people:
            if who not in alone:
                alone[who] = kept(capped([(who, own)], most))[0]
        stay = [alone[who] for who, _ in people]
        # Nobody's rows that stay are a matter of who else is there.
        for found, own in zip(kept(made), stay, strict=True):
            assert np.array_equal(found, own, equal_nan=True)
        for name, each in asked.items():
            kind = ASKED[name][0]
            values = [counted(name, own) for own in stay]
            if not any(values):
                continue
            table = made.with_columns(each[0].query.column)
            entries = each[0].query.values(table)
            rows = each[0].query.rows(table)
            for request in each:
                query = request.query
                lost = release_losses(
                    request.plan,
                    query.statistic,
                    entries,
                    rows=rows,
                    people=table.people,
                    relation=query.relation,
                ).epsilon(0.0)
                shift = worst(kind, values, allowed[query.relation])
                expected = np.array(shift) / request.plan.noise
                assert np.abs(lost - expected).max() < 1e-9
                assert max(lost) <= request.epsilon
