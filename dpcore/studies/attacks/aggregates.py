"""Attacks on totals and counts: reconstruction, differencing and membership.

Reconstruction of a secret yes/no column: each count is one equation in ``n`` unknowns
that are 0 or 1. With ``m`` counts of public parts, the rows of ``A``, exact counts ``y =
A x`` are solved for ``x``; counts that are rounded, or wrong by less than about
``sqrt(n)``, still give nearly everybody away (Dinur and Nissim 2003; Dwork, McSherry and
Talwar 2007).

There are two attackers. One takes the best linear estimate: with errors of variance
``v`` on each count and a share ``p`` of yes known beforehand, ``p + (A'A + v/(p(1 - p))
I)^-1 A'(y - A p)``, rounded at 1/2. It needs one singular value decomposition of ``A``,
whatever the noise. The other solves a linear program: the ``x`` between 0 and 1 with
the least sum of absolute errors ``|y - A x|``, rounded at 1/2; behind Laplace noise
that is the most likely such ``x``. It is slower, and better where the noise is
middling.

What no attack can do: if all counts together are epsilon-DP for the change of one
person's answer, and answers are independent, with probability ``p`` of yes, then the
best guess about a person is right with probability at most ``max(e^epsilon/(1 +
e^epsilon), p, 1 - p)``. Given all other answers and the released counts nobody can be
surer of an answer than ``q``, to which epsilon raises the larger of ``p`` and ``1 - p``
(``privacy.interpretation.posterior``); taking one person after the other, the number of
right guesses is at most that of ``n`` coins which fall right with probability ``q``
(stochastically). For ``p = 1/2`` both limits are the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.laplace import least_scale
from dpcore.mechanisms.mechanism import require_budget
from dpcore.privacy.halving import halved
from dpcore.studies.attacks.targets import Target

_MIDDLE = 0.5
_NO_NEWS = 1e-10
_SURE: Final = 1e-3


class Parts(StrEnum):
    """Which parts of the people are counted."""

    HALVES = "random halves of the people"
    """Each person is in each part with probability 1/2."""
    RUNS = "overlapping runs of a sorted list"
    """From one place in a list to another, as in "aged 30 to 44"."""


def parts(kind: Parts, *, people: int, counts: int, rng: np.random.Generator) -> FloatArray:
    """Return who is in each part, shape ``(m, n)``, 1 or 0.

    Raises:
        ParameterError: There are fewer than one of people or counts.

    """
    if min(people, counts) < 1:
        raise ParameterError("there must be at least one person and one count.")
    if kind is Parts.HALVES:
        return np.asarray(rng.integers(0, 2, (counts, people)), dtype=np.float64)
    first = rng.integers(0, people + 1, counts)
    # Another place than the first, each equally likely: no part is empty.
    second = (first + rng.integers(1, people + 1, counts)) % (people + 1)
    low, high = np.minimum(first, second), np.maximum(first, second)
    place = np.arange(people)
    inside = (place >= low[:, np.newaxis]) & (place < high[:, np.newaxis])
    return np.asarray(inside, dtype=np.float64)


class ReconstructionMethod(StrEnum):
    """How the attacker solves for the column."""

    LEAST_SQUARES = "least squares"
    LINEAR_PROGRAM = "linear program"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solver:
    """The public parts, decomposed once.

    Attributes:
        inside: Who is in each part, shape ``(m, n)``.

    """

    inside: FloatArray = field(repr=False)
    _left: FloatArray = field(repr=False)
    _sizes: FloatArray = field(repr=False)
    _right: FloatArray = field(repr=False)

    @classmethod
    def of(cls, inside: FloatArray) -> Solver:
        """Return the solver for parts of shape ``(m, n)``."""
        left, sizes, right = np.linalg.svd(inside, full_matrices=False)
        return cls(inside=inside, _left=left, _sizes=sizes, _right=right)

    @property
    def often(self) -> int:
        """Return in how many parts a person is, at most: the l1 sensitivity."""
        return int(self.inside.sum(axis=0).max())

    def solve(self, told: FloatArray, *, variance: float, share: float) -> FloatArray:
        """Return the guessed answers, 1 or 0.

        Args:
            told: What was told of the counts, shape ``(..., m)``.
            variance: Of the error of each count; 0 if they are exact.
            share: How many said yes, as the attacker knows beforehand, in [0, 1].

        Raises:
            ParameterError: ``share`` or ``variance`` is outside its domain.

        """
        if not (0 <= share <= 1 and variance >= 0):
            raise ParameterError("the share must be in [0, 1] and the variance at least 0.")
        spread = share * (1 - share)
        sizes = self._sizes
        heard = spread * np.square(sizes) + variance
        useful = (sizes > _NO_NEWS * sizes.max(initial=1.0)) & (heard > 0)
        gain = np.where(useful, spread * sizes / np.where(useful, heard, 1.0), 0.0)
        news = told - share * self.inside.sum(axis=1)
        estimate = share + (news @ self._left * gain) @ self._right
        return np.asarray(estimate >= _MIDDLE, dtype=np.float64)

    def program(self, told: FloatArray) -> FloatArray:
        """Return the guessed answers by the linear program, shape ``(..., n)``.

        Args:
            told: What was told of the counts, shape ``(..., m)``.

        """
        # Imported here: slow, and needed for this attacker only.
        from scipy.optimize import linprog  # noqa: PLC0415
        from scipy.sparse import csr_array, eye_array, hstack, vstack  # noqa: PLC0415

        counts, people = self.inside.shape
        part, error = csr_array(self.inside), eye_array(counts)
        # The stubs of scipy know dense arrays only.
        above: Any = vstack([hstack([part, -error]), hstack([-part, -error])])
        price = np.concatenate([np.zeros(people), np.ones(counts)])
        bounds = [(0.0, 1.0)] * people + [(0.0, None)] * counts
        rows = told.reshape(-1, counts)
        found = [
            linprog(price, A_ub=above, b_ub=np.concatenate([y, -y]), bounds=bounds).x for y in rows
        ]
        guessed = np.array(found)[:, :people] >= _MIDDLE
        return guessed.astype(np.float64).reshape(*told.shape[:-1], people)


def noise_scale(solver: Solver, epsilon: float) -> float:
    """Return the scale of Laplace noise at which all counts together cost epsilon.

    Raises:
        ParameterError: ``epsilon`` is not in (0, inf).

    """
    require_budget(epsilon)
    return least_scale(float(max(solver.often, 1)), epsilon)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedCounts:
    """What was told of the counts. CONFIDENTIAL.

    Attributes:
        counts: Shape ``(runs, m)``.
        variance: Of the error of each. Public.

    """

    counts: FloatArray = field(repr=False)
    variance: float


def rounded_counts(solver: Solver, bits: FloatArray, unit: int = 1) -> ReleasedCounts:
    """Return the counts of yes among the answers ``bits``, shape ``(n,)``.

    They are rounded to multiples of ``unit``, as offices often publish them; the error
    is then about uniform on whole numbers, of variance ``(unit^2 - 1)/12``.
    """
    counts = unit * np.floor(solver.inside @ bits / unit + _MIDDLE)
    return ReleasedCounts(counts=counts[np.newaxis], variance=(unit**2 - 1) / 12)


def private_counts(
    solver: Solver, bits: FloatArray, *, epsilon: float, runs: int, rng: np.random.Generator
) -> ReleasedCounts:
    """Return counts that cost epsilon all together, drawn in several runs.

    Raises:
        ParameterError: ``epsilon`` is not in (0, inf).

    """
    scale = noise_scale(solver, epsilon)
    counts = solver.inside @ bits
    noise = rng.laplace(scale=scale, size=(runs, len(counts)))
    return ReleasedCounts(counts=counts + noise, variance=2 * scale**2)


def recover(
    solver: Solver,
    told: ReleasedCounts,
    bits: FloatArray,
    *,
    share: float,
    method: ReconstructionMethod = ReconstructionMethod.LEAST_SQUARES,
) -> FloatArray:
    """Return which share of ``bits`` an attacker recovers from the counts, one a run.

    CONFIDENTIAL.

    Args:
        solver: The public parts.
        told: What was told of the counts.
        bits: The truth to compare with, shape ``(n,)``.
        share: How many said yes, as the attacker knows beforehand. The linear program
            makes no use of it.
        method: How the attacker solves for the column.

    Raises:
        ParameterError: ``share`` is not in [0, 1].

    """
    if method is ReconstructionMethod.LINEAR_PROGRAM:
        guessed = solver.program(told.counts)
    else:
        guessed = solver.solve(told.counts, variance=told.variance, share=share)
    return np.asarray((guessed == bits).mean(axis=-1))


def guessing(bits: FloatArray) -> float:
    """Return how many are guessed right without any counts: the larger group."""
    yes = float(bits.mean())
    return max(yes, 1 - yes)


def likely_at_most(people: int, chance: float, *, missed: float = _SURE) -> float:
    """Return the share of right guesses that is passed with that probability at most.

    ``people`` guesses are right with probability ``chance`` each (binomial law).

    >>> likely_at_most(200, 0.5)
    0.61
    """
    hits = np.arange(1, people + 1)
    # P(at least h of n) is the regularized incomplete beta function.
    beyond = np.append(betainc(hits, people - hits + 1, chance), 0.0)
    return float(np.argmax(beyond <= missed)) / people


def known_roughly(share: float) -> float:
    """Return a share as an attacker knows it who read the news: in steps of 5%."""
    return min(max(round(20 * share), 1), 19) / 20


def epsilons(chosen: float, steps: int) -> FloatArray:
    """Return so many totals to try from 0.1 to 1,000, and the chosen one, ascending."""
    return np.unique(np.append(np.geomspace(0.1, 1000.0, steps), chosen))


# Differencing: two totals, one before and one after somebody moved in.
#
# The difference of two exact totals is the newcomer's value. Behind Laplace noise of
# scale ``b`` on each total it is that value plus the difference ``D`` of two Laplace
# draws, of which ``P(|D| > t) = e^(-t/b) (1 + t/(2 b))``. The newcomer is in one of the
# two tables only, and loses the epsilon of one release; whoever is in both loses it
# twice.

LEVEL: Final = 0.95
_FAR = 60.0


def outside(distance: ArrayLike, scale: float) -> FloatArray:
    """Return how likely two Laplace draws differ by more than a distance.

    >>> float(outside(0.0, 1.0)), round(float(outside(2.0, 1.0)), 6)
    (1.0, 0.270671)
    """
    t = np.asarray(distance, dtype=np.float64) / scale
    return np.asarray(np.exp(-t) * (1 + t / 2))


def reach(scale: float, level: float = LEVEL) -> float:
    """Return how far the difference reaches with probability ``level``.

    >>> round(reach(1.0), 4)
    4.113
    """
    _, high = halved(lambda t: float(outside(t, 1.0)) <= 1 - level, 0.0, _FAR)
    return high * scale


@dataclass(frozen=True, slots=True, kw_only=True)
class Differencing:
    """What an attacker makes of the totals before and after. CONFIDENTIAL.

    Attributes:
        truth: The newcomer's value, within the bounds.
        before: The exact total without the newcomer.
        after: The exact total with the newcomer.
        noisy_before: What is released privately without the newcomer.
        noisy_after: What is released privately with the newcomer.
        scale: Scale of the Laplace noise on each total. Public.
        bounds: What a value can be. Public.

    """

    truth: float = field(repr=False)
    before: float = field(repr=False)
    after: float = field(repr=False)
    noisy_before: float = field(repr=False)
    noisy_after: float = field(repr=False)
    scale: float
    bounds: Interval

    @property
    def exact(self) -> float:
        """Return the difference of the exact totals."""
        return self.after - self.before

    @property
    def private(self) -> float:
        """Return the difference of the private totals."""
        return self.noisy_after - self.noisy_before

    @property
    def interval(self) -> tuple[float, float]:
        """Return where the value lies with 95% confidence, by the private totals."""
        far = reach(self.scale)
        return self.private - far, self.private + far

    @property
    def left(self) -> float:
        """Return which share of all possible values the interval leaves, in [0, 1]."""
        low, high = self.bounds.clip(np.array(self.interval)).tolist()
        return float((high - low) / self.bounds.width)


def attack(
    target: Target, newcomer: int, *, epsilon: float, rng: np.random.Generator
) -> Differencing:
    """Return what the totals before and after a person moved in tell.

    Args:
        target: The people and their values.
        newcomer: Who moves in, from 0.
        epsilon: The price of each of the two private totals.
        rng: Draws the noise.

    Raises:
        ParameterError: ``epsilon`` is not in (0, inf), or there is no such person.

    """
    require_budget(epsilon)
    if not 0 <= newcomer < target.people:
        raise ParameterError(f"the person must be from 0 to {target.people - 1}, got {newcomer}.")
    scale = least_scale(target.largest, epsilon)
    after = math.fsum(target.amounts)
    before = math.fsum(np.delete(target.amounts, newcomer))
    first, second = rng.laplace(scale=scale, size=2)
    return Differencing(
        truth=float(target.amounts[newcomer]),
        before=before,
        after=after,
        noisy_before=before + float(first),
        noisy_after=after + float(second),
        scale=scale,
        bounds=target.bounds,
    )


# Membership: is this person in the table? A game against noise.
#
# The attacker knows everybody else, and the person's value. Two totals are possible,
# ``shift`` apart, and a coin decides which one is the truth. With Laplace noise of scale
# ``b`` the likelihood ratio test says "in" where the release is nearer to the total with
# the person, and is right with probability ``1 - e^(-shift/(2 b))/2`` (Neyman and
# Pearson). However the noise is made, no test is right more often than ``e^epsilon/(1 +
# e^epsilon)`` if the release is epsilon-DP.


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
