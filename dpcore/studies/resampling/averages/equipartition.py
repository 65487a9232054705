"""One answer, or the average of k answers that share its budget.

Brawner and Honaker 2018, section 4 and remark 1: under basic composition averaging
multiplies the variance by ``k``, under zCDP it changes nothing. Their share under
advanced composition, ``epsilon / sqrt(k log(1/delta))``, lacks a factor ``sqrt(2)`` and
spends more than ``epsilon``; the share here that is best for any pure mechanism is
solved for (Kairouz, Oh and Viswanath 2015), and so is the one for Laplace noise, by its
privacy loss distribution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from dpcore.errors import ParameterError
from dpcore.mechanisms.base import require_budget
from dpcore.privacy import gaussian, optimal_composition
from dpcore.privacy.composition import compose
from dpcore.privacy.events import LaplaceEvent
from dpcore.privacy.halving import halved

_MOST_TIMES = 100_000
_STEPS = 18


class Sharing(StrEnum):
    """How a budget is shared among equal answers."""

    ONE = "one answer"
    BASIC = "basic composition"
    PUBLISHED = "advanced composition, as published"
    ADVANCED = "advanced composition, corrected"
    OPTIMAL = "optimal composition"
    LAPLACE = "exact composition of Laplace noise"
    ZCDP = "zCDP (Gaussian noise)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipartition:
    """A budget for ``k`` equal answers to a question with sensitivity 1.

    Raises:
        ParameterError: One of these is outside its domain.

    """

    epsilon: float = 1.0
    """What all answers may cost together, in (0, inf)."""
    delta: float = 1e-6
    """In (0, 1)."""
    times: int = 50
    """Number of answers ``k``, from 1."""

    def __post_init__(self) -> None:
        require_budget(self.epsilon, self.delta)
        if not 0 < self.delta < 1:
            raise ParameterError(f"delta must be in (0, 1), got {self.delta}.")
        if self.times != int(self.times) or not 1 <= self.times <= _MOST_TIMES:
            raise ParameterError(
                f"the number of answers must be a whole number from 1 to "
                f"{_MOST_TIMES:,}, got {self.times}."
            )

    def part(self, sharing: Sharing) -> float:
        """Return the epsilon of one of the ``k`` answers.

        Raises:
            ParameterError: Gaussian answers have no epsilon of their own.

        >>> round(Equipartition().part(Sharing.PUBLISHED), 11)
        0.03804797331

        """
        log_odds = -math.log(self.delta)
        basic = self.epsilon / self.times
        if sharing is Sharing.ONE:
            return self.epsilon
        if sharing is Sharing.BASIC:
            return basic
        if sharing is Sharing.PUBLISHED:
            return self.epsilon / math.sqrt(self.times * log_odds)
        if sharing is Sharing.ADVANCED:
            return max(basic, self._advanced(log_odds))
        if sharing is Sharing.OPTIMAL:
            return optimal_composition.part_for(self.epsilon, self.times, self.delta)
        if sharing is Sharing.LAPLACE:
            return self._laplace()
        raise ParameterError("Gaussian answers under zCDP have no epsilon of their own.")

    def variance(self, sharing: Sharing) -> float:
        """Return the variance of the average of the ``k`` answers.

        Under zCDP ``1 / (2 rho)`` with the ``rho`` of Gaussian noise that is exactly
        ``(epsilon, delta)``-DP, for any ``k``.
        """
        if sharing is Sharing.ZCDP:
            return 1 / (2 * self.rho)
        answers = 1 if sharing is Sharing.ONE else self.times
        return 2 / (answers * self.part(sharing) ** 2)

    def spent(self, sharing: Sharing) -> float:
        """Return the epsilon at ``delta`` that the answers together really cost.

        For parts of a pure budget this is what any pure mechanism may cost; only
        ``Sharing.LAPLACE`` relies on the noise being Laplace noise.
        """
        if sharing in {Sharing.ZCDP, Sharing.LAPLACE, Sharing.ONE}:
            return self.epsilon
        part = self.part(sharing)
        return optimal_composition.epsilon_of(part, self.times, self.delta)

    @property
    def rho(self) -> float:
        """Return the zCDP level of Gaussian noise that is (epsilon, delta)-DP."""
        return gaussian.mu_for(self.epsilon, self.delta) ** 2 / 2

    def _advanced(self, log_odds: float) -> float:
        """Return ``e`` with ``sqrt(2 k log(1/delta)) e + k e tanh(e/2) = epsilon``.

        The closed form of Kairouz, Oh and Viswanath 2015 (theorem 3.4); the left side
        increases in ``e``.
        """
        k, root = self.times, math.sqrt(2 * self.times * log_odds)
        low, _ = halved(
            lambda e: root * e + k * e * math.tanh(e / 2) > self.epsilon, 0.0, self.epsilon / root
        )
        return low

    def _laplace(self) -> float:
        """Return the largest part whose composed Laplace noise costs ``epsilon``."""
        low = optimal_composition.part_for(self.epsilon, self.times, self.delta)
        low, _ = halved(
            lambda part: laplace_epsilon(part, self.times, self.delta) > self.epsilon,
            low,
            1.2 * low,
            times=_STEPS,
        )
        return low


def laplace_epsilon(part: float, times: int, delta: float) -> float:
    """Return what ``times`` Laplace answers of ``part`` cost together at ``delta``.

    By privacy loss distributions; the discretization errs upwards.
    """
    events = [LaplaceEvent.of(part)] * times
    return compose(events, delta=delta).pld
