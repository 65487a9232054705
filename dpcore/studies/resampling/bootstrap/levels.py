"""What k noisy bootstraps are claimed to reveal, and what they really reveal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from dpcore.privacy.bootstrap.real_cost import claimed_epsilon, epsilon
from dpcore.privacy.bootstrap.upper_bounds import Bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """Epsilon at one delta of all bootstraps together, by what is known of it."""

    times: int
    claimed: float
    """As published: that of Gaussian noise with this ``rho``."""
    attained: float
    """At least that: two neighboring tables are that far apart."""
    mean: float
    """At most that, for means and sums."""
    generic: float
    """At most that, for every additive statistic."""

    @classmethod
    def of(cls, found: Sequence[float], *, rho: float, delta: float, times: int) -> Self:
        """Return the levels made of what ``parts`` gave, all three of them."""
        attained, mean, generic = found
        return cls(
            times=times,
            claimed=claimed_epsilon(rho, delta),
            attained=attained,
            mean=mean,
            generic=generic,
        )


def parts(
    *, rho: float, delta: float, people: int, times: int, factor: float = 1.0
) -> Iterator[float]:
    """Yield the three levels of one number of bootstraps, the least one first.

    Raises:
        ParameterError: One of the parameters is outside its domain.

    """
    for bound in (Bound.ATTAINED, Bound.MEAN, Bound.GENERIC):
        yield epsilon(factor, rho=rho, times=times, people=people, delta=delta, bound=bound)


def levels(*, rho: float, delta: float, people: int, times: int, factor: float = 1.0) -> Levels:
    """Return the levels of one number of bootstraps; errors as for ``parts``."""
    found = parts(rho=rho, delta=delta, people=people, times=times, factor=factor)
    return Levels.of(tuple(found), rho=rho, delta=delta, times=times)
