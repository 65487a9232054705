"""Linear programs, by the dual simplex of HiGHS: its answers are corners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linprog

from dpcore.arrays import FloatArray

if TYPE_CHECKING:
    from scipy.sparse import spmatrix


def least(
    cost: FloatArray,
    *,
    equal: tuple[spmatrix, FloatArray],
    below: tuple[spmatrix, FloatArray] | None = None,
    within: FloatArray,
) -> FloatArray | None:
    """Return where ``cost @ x`` is least; ``None`` if nothing meets the conditions.

    Args:
        cost: Shape ``(k,)``.
        equal: A sparse matrix and what its product with ``x`` is.
        below: A sparse matrix and what its product with ``x`` does not exceed.
        within: The least and the most of each number, shape ``(k, 2)``.

    """
    upper: dict[str, Any] = {}
    if below is not None:
        upper = {"A_ub": below[0], "b_ub": below[1]}
    solve: Any = linprog
    found = solve(cost, A_eq=equal[0], b_eq=equal[1], bounds=within, method="highs-ds", **upper)
    return np.asarray(found.x) if found.status == 0 else None
