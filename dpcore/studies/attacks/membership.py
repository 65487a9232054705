"""Membership: is this person in the table? A game against noise.

The attacker knows everybody else, and the person's value. Two totals are possible,
``shift`` apart, and a coin decides which one is the truth. With Laplace noise of scale
``b`` the likelihood ratio test says "in" where the release is nearer to the total with
the person, and is right with probability ``1 - e^(-shift/(2 b))/2`` (Neyman and
Pearson). However the noise is made, no test is right more often than ``e^epsilon/(1 +
e^epsilon)`` if the release is epsilon-DP.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.laplace import least_scale
from dpcore.mechanisms.mechanism import require_budget
from dpcore.studies.attacks.targets import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """The two totals that the attacker has to tell apart. CONFIDENTIAL.

    Attributes:
        outside: The total without the person.
        value: The person's value.
        scale: Scale of the noise; 0 for exact releases. Public.

    """

    outside: float = field(repr=False)
    value: float = field(repr=False)
    scale: float

    @property
    def inside(self) -> float:
        """Return the total with the person."""
        return self.outside + self.value

    @property
    def middle(self) -> float:
        """Return the release at which both worlds are equally likely."""
        return self.outside + self.value / 2

    @property
    def expected(self) -> float:
        """Return how often the likelihood ratio test is right."""
        if self.value == 0:
            return 0.5
        if self.scale == 0:
            return 1.0
        return 1 - math.exp(-abs(self.value) / (2 * self.scale)) / 2

    def says_inside(self, released: FloatArray) -> FloatArray:
        """Return for each release whether the test says "in", 1 or 0.

        Where the person adds nothing there is nothing to go by: it says "in".
        """
        return np.asarray((released - self.middle) * np.sign(self.value) >= 0, dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """Rounds that were played. CONFIDENTIAL.

    Attributes:
        inside: Whether the person was in, 1 or 0, shape ``(m,)``.
        released: What was released, shape ``(m,)``.

    """

    inside: FloatArray = field(repr=False)
    released: FloatArray = field(repr=False)

    def right(self, says: FloatArray) -> FloatArray:
        """Return which guesses are right, 1 or 0."""
        return np.asarray(says == self.inside, dtype=np.float64)


def game(target: Target, person: int, *, epsilon: float | None) -> Game:
    """Return the game about a person's part in the total of all values.

    ``epsilon`` is what the release costs; ``None`` for an exact total.

    Raises:
        ParameterError: ``epsilon`` is not in (0, inf), or there is no such person.

    """
    if not 0 <= person < target.people:
        raise ParameterError(f"the person must be from 0 to {target.people - 1}, got {person}.")
    scale = 0.0
    if epsilon is not None:
        require_budget(epsilon)
        scale = least_scale(target.largest, epsilon)
    return Game(
        outside=math.fsum(np.delete(target.amounts, person)),
        value=float(target.amounts[person]),
        scale=scale,
    )


def play(about: Game, rounds: int, *, rng: np.random.Generator) -> Rounds:
    """Return so many rounds: a coin, then a release.

    Raises:
        ParameterError: There are fewer than 1.

    """
    if rounds < 1:
        raise ParameterError(f"at least one round must be played, got {rounds}.")
    inside = np.asarray(rng.integers(0, 2, rounds), dtype=np.float64)
    noise = rng.laplace(size=rounds)
    released = about.outside + about.value * inside + about.scale * noise
    return Rounds(inside=inside, released=released)
