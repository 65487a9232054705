"""Whole people from fitted counts, such that everything still agrees.

Sums are rounded by largest remainders, which moves none by a person or more. The cells
of a pair of columns are then the whole numbers nearest to the fitted ones that have
these sums: a transport problem, whose best corners are whole (its matrix is totally
unimodular).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.synthesis.fitting import Fitted
from dpcore.synthesis.forest import Forest
from dpcore.synthesis.programs import least

MOST_ROWS: Final = 1_000_000
"""People in a made-up table; of more, every hundredth or so is as good an example."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Whole:
    """Whole numbers of people. PUBLIC.

    Attributes:
        people: How many rows the made-up table has.
        columns: For each column by name, how many give each answer.
        pairs: For each of the pairs of the forest, how many give both answers.

    """

    people: int
    columns: Mapping[str, NDArray[np.int64]]
    pairs: tuple[NDArray[np.int64], ...]


def whole(forest: Forest, fitted: Fitted) -> Whole:
    """Return whole counts that agree, near the fitted ones.

    Raises:
        ParameterError: The released counts leave nobody.

    """
    people = min(round(fitted.people), MOST_ROWS)
    if people < 1:
        raise ParameterError(
            "by the released counts there is nobody in the table: their noise is "
            "larger than the table. Release counts of fewer or larger groups, or at a "
            "larger ε."
        )
    scale = people / fitted.people
    sums: dict[str, FloatArray] = {}
    for one, counts in zip(forest.kept, fitted.counts, strict=True):
        for axis, name in enumerate(one.names):
            along = tuple(i for i in range(counts.ndim) if i != axis)
            sums.setdefault(name, counts.sum(axis=along) * scale)
    columns = {name: apportion(parts, people) for name, parts in sums.items()}
    pairs = fitted.counts[len(forest.singles) :]
    return Whole(
        people=people,
        columns=columns,
        pairs=tuple(
            rounded(counts * scale, rows=columns[one.names[0]], columns=columns[one.names[1]])
            for one, counts in zip(forest.pairs, pairs, strict=True)
        ),
    )


def apportion(parts: FloatArray, people: int) -> NDArray[np.int64]:
    """Return whole parts with the sum ``people``, by largest remainders (Hamilton).

    Args:
        parts: At least 0, with about that sum.
        people: What they shall sum to.

    >>> apportion(np.array([1.4, 1.3, 1.3]), 4).tolist()
    [2, 1, 1]

    """
    exact = parts * (people / parts.sum())
    floor = np.floor(exact)
    missing = people - int(floor.sum())
    given = np.argsort(floor - exact, kind="stable")[:missing]
    floor[given] += 1
    return np.asarray(floor, dtype=np.int64)


def rounded(
    cells: FloatArray, *, rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the whole numbers nearest to ``cells`` that have these sums.

    The sum of the distances is the least one. A cell may go to the next whole number
    below or above, and beyond where the sums ask for it; each has its price.

    >>> rounded(np.array([[0.5, 0.5], [0.5, 0.5]]), rows=np.array([1, 1]),
    ...     columns=np.array([1, 1])).sum(axis=0).tolist()
    [1, 1]

    """
    floor = np.floor(cells + 1e-9).ravel()
    rest = np.clip(cells.ravel() - floor, 0.0, 1.0)
    number = len(floor)
    place = np.indices(cells.shape).reshape(2, -1)
    ones, at = np.ones(number), np.arange(number)
    of_rows = sparse.csr_matrix((ones, (place[0], at)), shape=(len(rows), number))
    of_columns = sparse.csr_matrix((ones, (place[1], at)), shape=(len(columns), number))
    sums = sparse.vstack([of_rows, of_columns])
    wanted = np.concatenate([rows, columns]) - sums @ floor
    most = np.full((3, number), np.inf)
    most[0], most[2] = 1.0, floor
    found = least(
        np.concatenate([1 - 2 * rest, ones, ones]),
        equal=(sparse.hstack([sums, sums, -sums]), wanted),
        within=np.stack([np.zeros(3 * number), most.ravel()], axis=1),
    )
    if found is None:  # rows and columns with equal sums always have a solution
        raise ParameterError("the counts of two columns could not be rounded together.")
    up, more, down = np.rint(found).reshape(3, number)
    return np.asarray((floor + up + more - down).reshape(cells.shape), dtype=np.int64)
