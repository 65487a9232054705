"""Which labels of a column are released, with how many people: the law and its price.

Every label that somebody has gets its number of people plus noise, and is released with
the noisy number if that exceeds a threshold ``k``. The noise is a whole number ``x`` from
``-k`` to ``k`` with probability proportional to ``q^|x|``, ``q = e^-epsilon`` (truncated
geometric). So a label that nobody has is never released, and need not be known: its noisy
number would be ``k`` at most. This is the optimal partition selection of Desfontaines,
Voss, Gipson and Mandayam 2022 (Differentially private partition selection), with the
numbers of people, which their section on truncated geometric noise adds at no further cost.

**One person, one label.** The laws of ``n`` and of ``n - 1`` people differ by a factor of
``e^epsilon`` at most, but for their two ends, which have the probability ``p(k)``. So the
release is (epsilon, p(k))-DP, and ``k`` is the least whole number with ``p(k) <= delta``::

    k = ceil(log((e^epsilon - 1 + 2 delta) / (delta (e^epsilon + 1))) / epsilon)

**It is optimal.** The probability ``pi(n)`` that a label of ``n`` people is released is
``P(x > k - n)``. Up to ``k`` people ``pi(n + 1) = e^epsilon pi(n) + p(k)``, beyond them
``1 - pi(n) = e^epsilon (1 - pi(n + 1)) + p(k)``: the most that any (epsilon, p(k))-DP rule
can do. Where ``delta`` lies between two values of ``p``, a label needs two people more at
most than under an optimal rule that releases no numbers.

**Several changes.** A person who is replaced leaves one label for another, and with ``r``
rows there are ``r`` as many changes. Noise of different labels is independent. So ``m``
changes of different labels cost ``(m epsilon, m delta)``. Where they may be of the same
label they cost ``m epsilon`` and ``delta (1 + e^epsilon + ... + e^((m - 1) epsilon))``
(group privacy, one change after the other).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.mechanism import require_budget
from dpcore.secure_noise import covering

_ROUNDING: Final = 1e-15
"""By how much of itself a share of ε is lowered, for the errors of dividing it."""
_COMPUTING: Final = 1 + 1e-9
"""By how much of itself a probability may be off for the error of computing it."""
_MOST: Final = 10**6
"""A larger threshold is of no use, and its tables do not fit into memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSelection:
    """Truncated geometric noise on the number of people of each label, and a threshold.

    Attributes:
        epsilon: What one change of one label reveals, at ``end_probability``.
        threshold: What a noisy number has to exceed, and the most that noise can be.

    >>> rule = LabelSelection.calibrate(epsilon=math.log(2.0), delta=0.1001)
    >>> rule.threshold, rule.released([0, 1, 2, 3, 4, 5]).round(4).tolist()
    (2, [0.0, 0.1, 0.3, 0.7, 0.9, 1.0])

    """

    epsilon: float
    threshold: int

    def __post_init__(self) -> None:
        require_budget(self.epsilon)
        if not 1 <= self.threshold <= _MOST:
            raise ParameterError(
                "ε or δ is too small: no label would have enough people. Increase ε."
            )

    @classmethod
    def calibrate(
        cls, *, epsilon: float, delta: float, changes: int = 1, of_one_label: bool = False
    ) -> Self:
        """Return the rule that is (epsilon, delta)-DP for so many changes.

        ``of_one_label`` says whether several changes may be of the same label.

        Raises:
            ParameterError: They are outside their domains, or too small.

        """
        require_budget(epsilon, delta)
        if delta == 0:
            raise ParameterError("labels that nobody knows need a δ above 0.")
        each = epsilon * (1 - _ROUNDING) / changes
        share = math.expm1(each) / math.expm1(epsilon) if of_one_label else 1 / changes
        least = delta * share
        ends = (math.expm1(each) + 2 * least) / (least * (math.exp(each) + 1))
        found = cls(epsilon=each, threshold=max(1, math.ceil(math.log(ends) / each)))
        enough = found.end_probability * _COMPUTING <= least
        return found if enough else cls(epsilon=each, threshold=found.threshold + 1)

    @property
    def noise(self) -> float:
        """Return the scale of the noise."""
        return 1 / self.epsilon

    @property
    def end_probability(self) -> float:
        """Return the probability of the largest noise: the δ of one change."""
        return float(self.probability(self.threshold))

    def probability(self, noise: ArrayLike) -> FloatArray:
        """Return the probability of some noise, 0 beyond the threshold."""
        size = np.abs(noise)
        inside = np.exp(-self.epsilon * size) * -math.expm1(-self.epsilon) / self._total
        return np.where(size <= self.threshold, inside, 0.0)

    def at_most(self, noise: ArrayLike) -> FloatArray:
        """Return the probability of noise that is at most a whole number."""
        at = np.asarray(noise, dtype=np.float64)
        far = np.clip(np.where(at < 0, -at, at + 1), 0, self.threshold + 1)
        missing = np.expm1(-self.epsilon * (self.threshold + 1 - far))
        tail = -np.exp(-self.epsilon * far) * missing / self._total
        return np.where(at < 0, tail, 1 - tail)

    def released(self, people: ArrayLike) -> FloatArray:
        """Return the probability that labels of so many people are released."""
        return self.at_most(np.asarray(people) - self.threshold - 1)

    def because_of_one(self, people: ArrayLike) -> FloatArray:
        """Return the probability that a label appears with a person and not without.

        Of a label of so many people, that person included. With the same noise in both
        tables, that is the difference of the two probabilities to be released.
        """
        return self.probability(np.asarray(people) - self.threshold - 1)

    def people_needed(self, probability: float) -> int:
        """Return how many people a label needs to be released so often.

        >>> rule = LabelSelection.calibrate(epsilon=1.0, delta=1e-5)
        >>> rule.threshold, rule.people_needed(0.5), rule.people_needed(0.95)
        (11, 12, 14)
        """
        sizes = np.arange(2 * self.threshold + 2)
        return int(np.searchsorted(self.released(sizes), probability))

    def people_between(self, released: int, level: float) -> tuple[int, int]:
        """Return how many people a released label has, between two numbers.

        They enclose the number with probability ``level`` at least, given that the label
        is released: it is one because its noise was not too low, which the law that is
        inverted takes into account.
        """
        people = np.arange(max(1, released - self.threshold), released + self.threshold + 1)
        often = self.released(people)
        above = 1 - self.at_most(released - people - 1)
        below = often - above + self.probability(released - people)
        inside = np.minimum(above, below) > (1 - level) / 2 * often
        found = people[inside]
        return int(found[0]), int(found[-1])

    def epsilon_between(self, first: int, second: int, delta: float) -> float:
        """Return the ε at ``delta`` between labels of two numbers of people, exactly.

        The larger one of both directions; infinite where ``delta`` is too small for any.
        """
        size = max(first, second) + self.threshold + 1
        one, other = self.outcomes(first, size), self.outcomes(second, size)
        return max(_least_epsilon(one, other, delta), _least_epsilon(other, one, delta))

    def secure_draw(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return numbers of people with noise. CONFIDENTIAL below the threshold.

        OpenDP draws geometric noise on all whole numbers; what lies beyond the threshold
        is redrawn, so that the law is exactly that of truncated noise.
        """
        noise = np.full(len(counts), self.threshold + 1, dtype=np.int64)
        while len(far := np.flatnonzero(np.abs(noise) > self.threshold)):
            measure = covering("discrete", len(far), self.noise, 1, self.epsilon)
            noise[far] = measure([0] * len(far))
        return counts + noise

    def outcomes(self, people: int, size: int) -> FloatArray:
        """Return the law of what is released of a label, shape ``(size,)``.

        Entry 0 is that it is not released, entry ``i`` that its noisy number is ``i``.
        """
        law = np.zeros(size)
        shown = np.arange(self.threshold + 1, size)
        law[shown] = self.probability(shown - people)
        law[0] = 1 - self.released(people)
        return law

    @property
    def _total(self) -> float:
        """Return what ``q^|x|`` adds up to, times ``1 - q``."""
        q, end = math.exp(-self.epsilon), -math.expm1(-self.epsilon * self.threshold)
        return -math.expm1(-self.epsilon) + 2 * q * end


def laplace_threshold(*, epsilon: float, delta: float, people: NDArray[np.intp]) -> FloatArray:
    """Return how often Laplace noise and a threshold release labels of so many people.

    The rule of Korolova, Kenthapadi, Mishra and Ntoulas 2009, for comparison: noise of
    scale ``1 / epsilon``, and a threshold that a label of one person passes with
    probability ``delta``.
    """
    threshold = 1 - math.log(2 * delta) / epsilon
    away = epsilon * (people - threshold)
    tail = np.exp(-np.abs(away)) / 2
    return np.where(people > 0, np.where(away < 0, tail, 1 - tail), 0.0)


def _least_epsilon(one: FloatArray, other: FloatArray, delta: float) -> float:
    """Return the least ``e`` with ``sum(max(one - exp(e) other, 0)) <= delta``."""
    # Outcomes by their ratio, the largest first: those above a level make up its delta.
    only = float(one[other == 0].sum())
    if only > delta * _COMPUTING:
        return math.inf
    shared = (one > 0) & (other > 0)
    ratios = one[shared] / other[shared]
    order = np.argsort(-ratios)
    mass, others = np.cumsum(one[shared][order]), np.cumsum(other[shared][order])
    levels = (only + mass - delta) / others
    return max(0.0, math.log(max(1.0, float(levels.max(initial=0.0)))))
