"""Labels that are found in several rounds, without numbers of people: the law and its price.

DP-SIPS (Swanberg, Desfontaines and Haney 2023, DP-SIPS: A simpler, more scalable mechanism for
differentially private partition selection), with a price that holds under substitution, too.
In every round a person with ``t`` labels that are not released yet, at most ``k``, adds the
weight ``1 / sqrt(t)`` to each. Every label that somebody has gets Gaussian noise ``s_i`` on its
sum of weights, and is released in round ``i`` if that exceeds a threshold ``T_i``. What is
released is public, so that later rounds spread the weight over the other labels alone. So
people with several labels leave those that are found anyway, and rare ones get more weight.

**One round.** The weights of a person have the length 1 at most, and none is negative. So the
sums of two neighbors differ by the length ``D`` = 1 at most under add/remove, and ``sqrt(2)``
under substitution. Let ``own`` labels be those that nobody has in the other table. They belong to
one person, who has ``j <= t`` of them among ``t`` labels. The probability that none of these is
released is ``Phi((T_i - 1 / sqrt(t)) / s_i)^j``, and at least ``1 - d_i`` with::

    T_i = max over t = 1, ..., k of 1 / sqrt(t) + s_i Phi^-1((1 - d_i)^(1 / t))

**All rounds.** ``M`` is the release. ``M'`` is the same, but that own labels are never released.
Rounds of ``M'`` are Gaussian mechanisms on the labels of both tables. Each depends on earlier
ones through what is public alone. So they compose to ``mu``-Gaussian DP with ``mu^2`` the sum of
``(D / s_i)^2`` (Dong, Roth and Su 2022), which is (e, d(e))-DP. Let ``d`` be the
sum of all ``d_i``. An outcome ``y`` without own labels has ``P(M = y) = P(M' = y) q(y)``, where
``q`` is the product of the probabilities that no own label is released, from ``1 - d`` to 1.
So for neighbors ``x`` and ``z`` and any set ``E``::

    P(M(x) in E) <= d + P(M'(x) in E)               some own label of x, or q <= 1
                 <= d + d(e) + exp(e) P(M'(z) in E)
                 <= d + d(e) + exp(e) / (1 - d) P(M(z) in E)    q >= 1 - d

The release is (e - log(1 - d), d(e) + d)-DP. Half of delta is ``d``, the other half ``d(e)``.

**Whole numbers.** Weights are rounded down to whole parts of 2^-20. That makes none longer, and
sums are exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr, ndtr, ndtri

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.mechanism import require_budget
from dpcore.privacy import gaussian as profile
from dpcore.privacy.halving import halved
from dpcore.secure_noise import covering, drawn_by

SHARES: Final = (0.05, 0.15, 0.8)
"""Parts of the squared level of Gaussian DP, and of δ, for each round."""
_PARTS: Final = 2.0**20
_COMPUTING: Final = 1 - 1e-9
"""By how much of itself a δ is lowered, for the error of computing thresholds."""
_NEVER: Final = -700.0


def weight(labels: ArrayLike) -> FloatArray:
    """Return the weight of a person on each of so many labels.

    The root is never rounded up to a whole part: the square of that, times the labels,
    would be a whole number above 2^40, and so its root larger by 2^-41 of itself.

    >>> weight([1, 4, 2]).tolist()
    [1.0, 0.5, 0.7071065902709961]
    """
    return np.asarray(np.floor(_PARTS / np.sqrt(labels)) / _PARTS)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelHoldings:
    """Who has which labels. CONFIDENTIAL.

    Attributes:
        labels: The labels; nobody may have some of them.
        people: How many people have each set of labels, shape ``(m,)``.
        sets: The set of each pair of a set and one of its labels, shape ``(p,)``.
        codes: The label of each pair, shape ``(p,)``.

    """

    labels: tuple[str, ...]
    people: NDArray[np.int64] = field(repr=False)
    sets: NDArray[np.intp] = field(repr=False)
    codes: NDArray[np.intp] = field(repr=False)

    @classmethod
    def of(cls, people: Mapping[tuple[str, ...], int], labels: tuple[str, ...] = ()) -> Self:
        """Return who has which labels, from how many people have each set of them."""
        names = labels or tuple(sorted({label for each in people for label in each}))
        places = {label: place for place, label in enumerate(names)}
        return cls(
            labels=names,
            people=np.fromiter(people.values(), dtype=np.int64, count=len(people)),
            sets=np.repeat(np.arange(len(people)), [len(each) for each in people]),
            codes=np.array([places[label] for each in people for label in each], dtype=np.intp),
        )

    @property
    def numbers(self) -> NDArray[np.int64]:
        """Return how many people have each label."""
        found = np.bincount(self.codes, self.people[self.sets], minlength=len(self.labels))
        return found.astype(np.int64)

    def weights(self, left: NDArray[np.bool_]) -> FloatArray:
        """Return the sum of weights of each label where some are ``left``, ``(n, labels)``."""
        cases, case = np.unique(left, axis=0, return_inverse=True)
        return np.stack([self._sums(each) for each in cases])[case.ravel()]

    def _sums(self, left: NDArray[np.bool_]) -> FloatArray:
        among = left[self.codes]
        sets, codes = self.sets[among], self.codes[among]
        each = weight(np.bincount(sets, minlength=len(self.people))[sets])
        sums = np.bincount(codes, weights=each * self.people[sets], minlength=len(left))
        return sums.astype(np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRounds:
    """Gaussian noise on sums of weights, and a threshold, in every round.

    Attributes:
        scales: Standard deviation of the noise of each round.
        thresholds: What a noisy sum of weights has to exceed in each.
        length: How far one unit moves all sums of a round together.

    """

    scales: tuple[float, ...]
    thresholds: tuple[float, ...]
    length: float

    @classmethod
    def calibrate(cls, *, epsilon: float, delta: float, most: int, length: float) -> Self:
        """Return the rounds that are (epsilon, delta)-DP for at most so many labels a person.

        Raises:
            ParameterError: They are outside their domains, or epsilon is below delta.

        """
        require_budget(epsilon, delta)
        if delta == 0:
            raise ParameterError("labels that nobody knows need a δ above 0.")
        own = delta / 2
        rest = epsilon + math.log1p(-own)
        if rest <= 0:
            raise ParameterError("ε is too small for this δ. Increase ε.")
        mu = profile.mu_for(rest, delta - own)
        scales = tuple(length / (mu * math.sqrt(share)) for share in SHARES)
        labels, thresholds = np.arange(1, most + 1), []
        for scale, share in zip(scales, SHARES, strict=True):
            # The probability of each label that makes the share of one of all of them.
            each = -np.expm1(np.log1p(-own * share * _COMPUTING) / labels)
            thresholds.append(float((weight(labels) - scale * ndtri(each)).max()))
        return cls(scales=scales, thresholds=tuple(thresholds), length=length)

    @property
    def mu(self) -> float:
        """Return the level of Gaussian DP of all rounds, but for labels of one person."""
        return math.hypot(*(self.length / scale for scale in self.scales))

    def released(self, people: ArrayLike, labels: int) -> FloatArray:
        """Return how likely a label of so many people with ``labels`` labels each is found.

        If each has at most so many, it is at least as likely: labels that are released
        leave more weight for the others, and noise of different rounds is independent.
        """
        sums = np.multiply(people, weight(labels))
        missed = [ndtr((at - sums) / scale) for scale, at in self._rounds()]
        return np.asarray(1 - np.prod(missed, axis=0))

    def people_needed(self, probability: float, labels: int) -> int:
        """Return how many people with so many labels each a label needs to be found so often.

        >>> rounds = LabelRounds.calibrate(epsilon=1.0, delta=1e-6, most=10, length=1.0)
        >>> [rounds.people_needed(0.95, labels) for labels in (1, 10)]
        [35, 110]
        """
        far = (max(self.thresholds) + 9 * max(self.scales)) / float(weight(labels))
        _, enough = halved(lambda n: float(self.released(n, labels)) >= probability, 0.0, far)
        return math.ceil(enough)

    def secure_draw(self, held: LabelHoldings, draws: int = 1) -> NDArray[np.intp]:
        """Return in which round each label is released, 0 if in none; ``(draws, labels)``.

        CONFIDENTIAL where it is 0.
        """
        found = np.zeros((draws, len(held.labels)), dtype=np.intp)
        for number, (scale, threshold) in enumerate(self._rounds(), start=1):
            sums = held.weights(found == 0)
            there = sums > 0
            if not there.any():
                break
            level = (self.length / scale) ** 2 / 2
            noise = covering("gaussian", int(there.sum()), scale, self.length, level)
            found[there] = np.where(drawn_by(noise, sums[there]) > threshold, number, 0)
        return found

    def log_probability(self, found: ArrayLike, held: LabelHoldings) -> FloatArray:
        """Return the log-probability of each draw; -700 or less if it cannot be."""
        drawn = np.asarray(found)
        total = np.zeros(len(drawn))
        for number, (scale, threshold) in enumerate(self._rounds(), start=1):
            sums = held.weights((drawn == 0) | (drawn >= number))
            away = np.where(drawn == number, 1, -1) * (sums - threshold) / scale
            without = np.where(drawn == number, _NEVER, 0.0)
            total += np.where(sums > 0, log_ndtr(away), without).sum(axis=1)
        return total

    def _rounds(self) -> Iterator[tuple[float, float]]:
        return zip(self.scales, self.thresholds, strict=True)
