"""How far every pair of columns of a synthetic table can be from the original. PUBLIC.

Distances are sums of absolute differences of counts, as a share of twice the rows of the
synthetic table: with as many rows in the original, the share of rows in another cell.

**A pair that was counted.** The sum of ``k`` absolute values of Gaussian noise of standard
deviation ``s`` exceeds ``k s sqrt(2 / pi) + s sqrt(2 k log(1 / b))`` with probability ``b``
at most: it is a function of the noise that changes by no more than ``sqrt(k)`` times the
length of a step (concentration of Gaussian measure; Boucheron, Lugosi and Massart 2013,
theorem 5.6). Of Laplace noise of scale ``b`` it is ``b`` times a gamma variable of shape ``k``. So
the original is no farther than the released counts are from the
synthetic ones, and this.

**A pair that was not.** When another pair was chosen, its score was, but for probability
``b``, at most ``t log(m / b)`` below that of any of the ``m`` candidates, with ``t`` the
scale of the choice. What the chosen pair was counted as bounds its own score. So the
distance from independent columns is bounded for every candidate, and the distance of those
from the synthetic table is public (McKenna, Mullins, Sheldon and Miklau 2022, section 5).

A pair that was asked for was not chosen, and bounds no other. Where all pairs were asked for, or
noise is large, nothing bounds a pair that was not counted.

All bounds hold together: each choice and each count takes an equal part of ``1 - level``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import gammainccinv

from dpcore.analyses.spanning_tree import TreeDraw, TreePlan
from dpcore.arrays import FloatArray
from dpcore.formatting import significant
from dpcore.inference.intervals import LEVEL
from dpcore.synthesis.released_counts import Axis, crossed

if TYPE_CHECKING:
    import pandas as pd


class PairDistance(NamedTuple):
    """How far one pair of columns is from what was released, and from the original.

    Attributes:
        first: The name of a column.
        second: The name of the other one.
        counted: Whether they were counted together.
        released: The distance from the released counts; of a pair that was not counted,
            from independent columns.
        most: The distance from the original, at most; from 1 on, nothing is known.

    """

    first: str
    second: str
    counted: bool
    released: float
    most: float

    @property
    def said(self) -> str:
        """Return the bound in percent, rounded up.

        >>> PairDistance("a", "b", counted=True, released=0.1, most=0.1234).said
        'at most 13%'
        """
        return (
            "no bound" if self.most >= 1 else f"at most {significant(100 * self.most, 2, up=True)}%"
        )


def pair_distances(
    plan: TreePlan, drawn: TreeDraw, axes: tuple[Axis, ...], table: pd.DataFrame
) -> list[PairDistance]:
    """Return the distances of all pairs of columns of a synthetic table.

    Args:
        plan: How the counts were released.
        drawn: What was released.
        axes: The columns, in the order of the question.
        table: The synthetic table.

    """
    cells = [axis.cells_in(table) for axis in axes]
    made = {
        (i, j): crossed([cells[i], cells[j]], [axes[i], axes[j]])
        for i, j in combinations(range(len(axes)), 2)
    }
    alone = dict(plan.independent(drawn.columns))
    counts = dict(_counts(plan, drawn))
    reach = _reach(plan, drawn, alone, counts)
    missed = _missed(plan)
    found = []
    for pair, own in made.items():
        near = counts.get(pair, alone[pair])
        beyond = _noise(plan, pair, missed) if pair in counts else reach[pair]
        released = float(np.abs(own - near).sum())
        scale = 2 * len(table)
        found.append(
            PairDistance(
                first=axes[pair[0]].name,
                second=axes[pair[1]].name,
                counted=pair in counts,
                released=released / scale,
                most=(released + beyond) / scale,
            )
        )
    return found


def _counts(plan: TreePlan, drawn: TreeDraw) -> list[tuple[tuple[int, int], FloatArray]]:
    """Return the noisy counts of the chosen pairs."""
    shapes = [(plan.shape[i], plan.shape[j]) for i, j in drawn.chosen]
    parts = np.split(drawn.pairs, np.cumsum([math.prod(shape) for shape in shapes])[:-1])
    tables = [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
    return list(zip(drawn.chosen, tables, strict=True))


def _reach(
    plan: TreePlan,
    drawn: TreeDraw,
    alone: Mapping[tuple[int, int], FloatArray],
    counts: Mapping[tuple[int, int], FloatArray],
) -> dict[tuple[int, int], float]:
    """Return how far each pair of the original is from independent columns, at most."""
    missed, reach = _missed(plan), dict.fromkeys(alone, math.inf)
    for step in range(len(plan.wanted), plan.steps):
        pair = drawn.chosen[step]
        own = float(np.abs(counts[pair] - alone[pair]).sum()) + _noise(plan, pair, missed)
        candidates = plan.candidates(drawn.chosen[:step])
        slack = plan.choice.distance_from_best(len(candidates), missed=missed)
        score = own - plan.penalty(pair) + slack
        for other in candidates:
            reach[other] = min(reach[other], score + plan.penalty(other))
    return reach


def _missed(plan: TreePlan) -> float:
    return (1 - LEVEL) / (2 * plan.steps)


def _noise(plan: TreePlan, pair: tuple[int, int], missed: float) -> float:
    """Return what the noise on the counts of a pair adds up to at most."""
    cells = plan.shape[pair[0]] * plan.shape[pair[1]]
    if plan.is_pure:
        return plan.pairs_noise.noise * float(gammainccinv(cells, missed))
    tail = plan.pairs_noise.noise * math.sqrt(2 * cells * math.log(1 / missed))
    return plan.penalty(pair) + tail
