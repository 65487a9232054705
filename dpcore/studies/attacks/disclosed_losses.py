"""Why nobody may be told their own loss: two attacks that solve for the exact answer.

A person's loss is a function of everybody's records. Who knows the own record, the
public numbers of the release, and the own loss, has one equation for one unknown:

* A mean of ``n`` people with Laplace noise of scale ``b``. Without the person it moves
  by ``|x - m|/(n - 1)``, so that a loss ``e`` tells ``|x - m| = e b (n - 1)``: two
  candidates for the mean ``m``, of which the release or the bounds tell the right one.
* A count ``Q`` with Gaussian noise, of which the loss *at the released number* ``o`` is
  published. For somebody who is counted it is ``|2 (o - Q) + 1|/(2 sigma^2)``, for
  somebody who would be ``|2 (o - Q) - 1|/(2 sigma^2)``: two candidates for ``Q``, of
  which only one is a whole number (Redberg and Wang 2021, example 4).

CONFIDENTIAL, all but the candidates from numbers that are public already.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import DataError, ParameterError
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.mechanism import Sensitivity, require_budget

LEVEL = 0.95
_FEWEST = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """What an attacker makes of a loss that was told. CONFIDENTIAL."""

    told: float
    """The loss, as it was told."""
    release: float
    reach: float
    """How far the release is off with probability ``LEVEL``, at most. Public."""
    candidates: tuple[float, ...]
    """What the answer can be, given the loss, ascending."""
    slack: float
    """How far a candidate may be off because the loss was rounded."""
    recovered: float
    """The candidate that the attacker chooses."""
    truth: float

    @property
    def error(self) -> float:
        """Return how far the attacker is off."""
        return abs(self.recovered - self.truth)


def rounded_up(loss: float, digits: int | None) -> tuple[float, float]:
    """Return a loss with so many significant digits, and the size of the last one.

    ``None`` keeps all digits.

    >>> rounded_up(0.40551, 3)
    (0.406, 0.001)
    """
    if digits is None or loss == 0 or not math.isfinite(loss):
        return loss, 0.0
    place = digits - 1 - math.floor(math.log10(loss))
    unit = 10.0**-place
    return round(math.ceil(loss / unit - 1e-9) * unit, max(place, 0)), unit


def means_from_loss(
    loss: float, *, value: float, scale: float, people: int, bounds: Interval
) -> tuple[float, ...]:
    """Return the means that a person's loss leaves possible, ascending.

    Args:
        loss: The loss of the person, compared with the table without them.
        value: The person's own value, within the bounds.
        scale: Scale ``b`` of the Laplace noise on the mean.
        people: Number of people, the person included.
        bounds: The public bounds of the values, and of their mean.

    >>> bounds = Interval(lower=-3.0, upper=3.0)
    >>> found = means_from_loss(
    ...     0.24333333333 / 0.6, value=2.5, scale=0.6, people=10, bounds=bounds
    ... )
    >>> [round(mean, 9) for mean in found]
    [0.31]

    """
    distance = loss * scale * (people - 1)
    room = 1e-9 * bounds.width
    pair = dict.fromkeys((value - distance, value + distance))
    return tuple(mean for mean in pair if bounds.lower - room <= mean <= bounds.upper + room)


def counts_from_loss(
    loss: float, *, release: float, sigma: float, member: bool
) -> tuple[float, float]:
    """Return the two counts that a realized loss leaves possible, ascending.

    >>> low, high = counts_from_loss(
    ...     0.131172, release=134.2207, sigma=5.0, member=False
    ... )
    >>> round(low, 3), round(high, 3)
    (130.441, 137.0)

    """
    middle = release + (0.5 if member else -0.5)
    reach = loss * sigma * sigma
    return middle - reach, middle + reach


def realized_loss(release: float, *, count: int, sigma: float, member: bool) -> float:
    """Return the size of the log odds of the released number, with and without one.

    Of somebody who is counted (``member``), or of somebody who would be.
    """
    sign = 1.0 if member else -1.0
    return abs(2 * (release - count) + sign) / (2 * sigma * sigma)


def attack_mean(
    values: FloatArray,
    person: int,
    *,
    bounds: Interval,
    epsilon: float,
    rng: np.random.Generator,
    digits: int | None = None,
) -> Recovery:
    """Return what a person finds out who is told their loss from a mean.

    The release is simulated. Of two candidates the one nearer to it is the likelier.

    Args:
        values: Everybody's value, clamped here, shape ``(n,)``.
        person: Who is told, from 0.
        bounds: Public bounds of the values.
        epsilon: What the mean is calibrated to, with the number of people public.
        rng: Draws the release.
        digits: Significant digits of the loss, rounded up; ``None`` for all.

    Raises:
        DataError: There are fewer than two people.
        ParameterError: ``epsilon`` is not in (0, inf), or there is no such person.

    """
    require_budget(epsilon)
    people = len(values)
    if people < _FEWEST:
        raise DataError("the attack needs at least two people with a value.")
    if not 0 <= person < people:
        raise ParameterError(f"the person must be from 0 to {people - 1}, got {person}.")
    clamped = bounds.clip(values)
    mean = float(bounds.clip(np.array(clamped.mean())))
    scale = bounds.width / (people * epsilon)
    value = float(clamped[person])
    told, unit = rounded_up((abs(value - mean) / (people - 1) / scale), digits)
    release = mean + float(rng.laplace(scale=scale))
    # Rounding up may put the candidate just beyond a bound.
    found = means_from_loss(told, value=value, scale=scale, people=people, bounds=bounds) or (
        float(bounds.clip(np.array(release))),
    )
    return Recovery(
        told=told,
        release=release,
        reach=scale * math.log(1 / (1 - LEVEL)),
        candidates=found,
        slack=unit * scale * (people - 1),
        recovered=min(found, key=lambda candidate: abs(candidate - release)),
        truth=mean,
    )


def attack_count(
    counted: int,
    *,
    epsilon: float,
    delta: float,
    rng: np.random.Generator,
    digits: int | None = None,
) -> Recovery:
    """Return what anybody finds out who reads the realized loss of a counted person.

    Everybody who is counted has the same loss. If nobody is, it is that of somebody who
    would be. Neither the record of the person nor anything else need be known.
    Arguments as for ``attack_mean``.

    Raises:
        ParameterError: A parameter is outside its domain.

    """
    if counted < 0:
        raise ParameterError(f"a count must be at least 0, got {counted}.")
    mechanism = Gaussian.calibrate(
        sensitivity=Sensitivity.scalar(1.0),
        epsilon=epsilon,
        delta=delta,
        bounds=Interval(lower=0.0, upper=math.inf),
    )
    sigma, member = mechanism.noise, counted > 0
    release = counted + sigma * float(rng.standard_normal())
    loss = realized_loss(release, count=counted, sigma=sigma, member=member)
    told, unit = rounded_up(loss, digits)
    found = counts_from_loss(told, release=release, sigma=sigma, member=member)
    # Not by nearness to the release: the two are equally far from it, but for 1/2.
    nearest: float = min(found, key=lambda number: abs(number - max(round(number), 0)))
    return Recovery(
        told=told,
        release=release,
        reach=1.959963984540054 * sigma,
        candidates=found,
        slack=unit * sigma * sigma,
        recovered=float(round(nearest)),
        truth=float(counted),
    )
