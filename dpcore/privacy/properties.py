"""Properties that the privacy of one instance inherits from differential privacy.

Wang 2019, facts 5 and 6.4: about the table and the person at hand rather than all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError


def log_odds_bound(probability: ArrayLike, *, epsilon: float, delta: float) -> FloatArray:
    """Return the most by which seeing an event changes the log odds of a person.

    ``log(e^epsilon + delta / probability)``, where ``probability`` is the smaller one
    of the event under the two laws. Where it is at least ``delta / epsilon`` this is at
    most ``2 epsilon``, which is fact 5; ``inf`` for an event of probability 0.

    >>> bool(log_odds_bound(0.02, epsilon=0.5, delta=0.01) <= 2 * 0.5)
    True
    """
    probability = np.asarray(probability, dtype=np.float64)
    if delta == 0:
        return np.full_like(probability, epsilon)
    with np.errstate(divide="ignore"):
        rarer = math.log(delta) - np.log(probability)
    return np.asarray(np.logaddexp(epsilon, rarer))


def group_loss(epsilons: Sequence[float], deltas: Sequence[float]) -> tuple[float, float]:
    """Return the epsilon and delta of a group whose members leave one after another.

    With ``epsilon_j``, ``delta_j`` those of member ``j`` once earlier ones are gone:
    ``sum epsilon_j`` and ``sum_j delta_j exp(sum_(i<j) epsilon_i)`` (fact 6.4). For
    noise added to a number, the shift by the whole group at once gives less.

    Raises:
        ParameterError: The two have different lengths.

    >>> group_loss([0.1, 0.2], [0.0, 0.0]) == (0.1 + 0.2, 0.0)
    True

    """
    if len(epsilons) != len(deltas):
        raise ParameterError("every member of a group needs an epsilon and a delta.")
    earlier = np.concatenate([[0.0], np.cumsum(epsilons)])[:-1]
    with np.errstate(divide="ignore", over="ignore"):
        grown = np.exp(np.log(np.asarray(deltas, dtype=np.float64)) + earlier)
    return math.fsum(epsilons), min(float(grown.sum()), 1.0)
