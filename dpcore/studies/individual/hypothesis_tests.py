"""What one release tells an attacker about one person, at best. CONFIDENTIAL."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dpcore.analyses.measurement import Direct
from dpcore.analyses.reading import StatisticRequest
from dpcore.arrays import FloatArray
from dpcore.errors import DataError, ParameterError
from dpcore.individual.per_instance_loss import Revealing, StatisticLosses
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.person_laws import Line, PersonLaws, ScalarLaws, gaussian_laws
from dpcore.privacy.halving import halved

_DELTAS: Final = np.concatenate([[0.0], np.geomspace(1e-12, 0.99, 80)])
_REACH: Final = 16.0
"""In sensitivities: how far laws are looked at, whatever epsilon is."""
_HALVINGS: Final = 40
_CERTAIN: Final = 700.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProfileLaws:
    """Two laws of which only the profile is known: enough for the best test.

    Where several numbers are released at once there is no picture of both laws. The
    profile alone bounds every test from above: ``detection <= delta(epsilon) +
    e^epsilon alarm``, and the same with the roles of the worlds exchanged (Kairouz, Oh
    and Viswanath 2015).
    """

    levels: FloatArray = field(repr=False)
    """Values of epsilon, ascending from 0."""
    deltas: FloatArray = field(repr=False)
    """The delta at each, not increasing."""

    @classmethod
    def of_plan(cls, plan: Revealing, absent: FloatArray, present: FloatArray) -> ProfileLaws:
        """Return what a plan reveals about two values of its statistic."""

        def epsilon(delta: float) -> float:
            return float(plan.pairwise_epsilon(present, absent, delta=delta))

        _, free = halved(lambda delta: epsilon(delta) <= 0, 0.0, 1.0, times=_HALVINGS)
        deltas = np.append(_DELTAS[free > _DELTAS], free)
        levels = np.array([epsilon(delta) for delta in deltas[:-1].tolist()] + [0.0])
        known = np.isfinite(levels)
        return cls(levels=levels[known][::-1].copy(), deltas=deltas[known][::-1].copy())

    def delta(self, epsilon: FloatArray) -> FloatArray:
        """Return the delta at the next smaller epsilon that is known: not too small."""
        place = np.searchsorted(self.levels, epsilon, side="right") - 1
        return np.asarray(self.deltas[np.maximum(place, 0)])

    def roc(self) -> tuple[FloatArray, FloatArray]:
        """Return the highest chances of detection that the profile allows."""
        alarm = np.concatenate([[0.0], np.geomspace(1e-9, 1e-3, 60)])
        alarm = np.concatenate([alarm, np.linspace(1e-3, 1, 400)[1:]])
        rate = np.exp(np.minimum(self.levels, _CERTAIN))[:, np.newaxis]
        delta = self.deltas[:, np.newaxis]
        steep = delta + rate * alarm
        flat = 1 - (1 - delta - alarm) / rate
        return alarm, np.clip(np.minimum(steep, flat).min(axis=0), alarm, 1.0)

    def evidence(
        self,
        draws: int,  # noqa: ARG002 - as every pair of laws
        *,
        present: bool,  # noqa: ARG002
        rng: np.random.Generator,  # noqa: ARG002
    ) -> FloatArray:
        """Return nothing: the laws themselves are not known."""
        return np.empty(0)

    def line(self) -> Line | None:
        """Return nothing: there is no single number."""
        return None


def laws_of_statistic(
    request: StatisticRequest, exposure: StatisticLosses, entry: int, *, label: str
) -> PersonLaws:
    """Return the laws of a released statistic, with a person and without.

    Without is the statistic of the table without the record, or with the most revealing
    other one, as the relation of ``exposure`` says. ``entry`` is the position of the
    person among its values.

    Raises:
        DataError: There is no such person, or the statistic is undefined without them.

    """
    if not 0 <= entry < exposure.people:
        raise DataError(f"there are {exposure.people} people; choose one of them.")
    present = np.asarray(exposure.shifts.actual)
    others = exposure.shifts.of_person(entry)
    if np.isnan(others).any():
        raise DataError("the statistic is undefined with one person less.")
    rows = request.query.unit.rows
    if rows > 1:
        others = request.query.statistic.range.clip(present + rows * (others - present))
    plan = request.plan
    absent = others[int(np.argmax(plan.pairwise_epsilon(present, others, delta=exposure.delta)))]
    if not isinstance(plan, Direct):
        return ProfileLaws.of_plan(plan, absent, present)
    changed = np.flatnonzero(absent != present)
    if len(changed) <= 1:
        place = int(changed[0]) if len(changed) else 0
        return ScalarLaws(
            mechanism=plan.mechanism,
            absent=float(absent[place]),
            present=float(present[place]),
            label=label,
            coordinate=place,
            reach=_REACH * request.query.sensitivity.largest,
        )
    if isinstance(plan.mechanism, Gaussian):
        return gaussian_laws(float(np.linalg.norm(absent - present)) / plan.mechanism.noise)
    return ProfileLaws.of_plan(plan, absent, present)


def hockey_stick(laws: PersonLaws, epsilon: float) -> tuple[float, bool]:
    """Return the delta at ``epsilon``, and whether presence is what is given away more.

    The second is about the direction: true where ``Q - e^epsilon P`` is the larger one.

    Raises:
        ParameterError: ``epsilon`` is below 0 or not finite.

    """
    if not 0 <= epsilon < np.inf:
        raise ParameterError(f"epsilon must be in [0, inf), got {epsilon}.")
    (delta,) = laws.delta(np.array([epsilon]))
    alarm, detection = laws.roc()
    rate = np.exp(min(epsilon, _CERTAIN))
    presence = np.max(detection - rate * alarm)
    absence = np.max((1 - alarm) - rate * (1 - detection))
    return float(delta), bool(presence >= absence - 1e-9)


def best_guess(laws: PersonLaws, prior: float) -> float:
    """Return how often the best guess of "present or not" is right.

    ``max over tests of prior * detection + (1 - prior) (1 - alarm)``; half of one plus
    the total variation distance for a prior of 1/2.

    Raises:
        ParameterError: ``prior`` is not in [0, 1].

    """
    if not 0 <= prior <= 1:
        raise ParameterError(f"prior must be in [0, 1], got {prior}.")
    alarm, detection = laws.roc()
    return float(np.max(prior * detection + (1 - prior) * (1 - alarm)))


def area(laws: PersonLaws) -> float:
    """Return the area under the best test's curve: 1/2 for no information, 1 for all.

    It is the chance of telling which of two releases, one of each world, is which.
    """
    alarm, detection = laws.roc()
    return float(np.trapezoid(detection, alarm))


def posterior(prior: ArrayLike, evidence: ArrayLike) -> FloatArray:
    """Return the belief in the person's presence after evidence, by Bayes' rule.

    >>> float(posterior(0.5, 0.0)), round(float(posterior(0.5, 1.0)), 3)
    (0.5, 0.731)
    """
    with np.errstate(divide="ignore", over="ignore"):
        prior = np.asarray(prior, dtype=np.float64)
        odds = np.log(prior) - np.log1p(-prior) + np.asarray(evidence, dtype=np.float64)
        return np.asarray(1 / (1 + np.exp(-odds)))


class Round(NamedTuple):
    """One round of the game: a hidden coin, a release, a guess."""

    present: bool
    evidence: float
    guess: bool


def play(
    laws: PersonLaws, *, prior: float, rounds: int, rng: np.random.Generator
) -> tuple[Round, ...]:
    """Play the attacker's best strategy against simulated releases.

    In each round the person is in the table with probability ``prior``; the attacker
    sees a release, and says "present" if the belief afterwards exceeds one half. Empty
    where releases cannot be simulated.

    Raises:
        ParameterError: ``prior`` is not in (0, 1), or ``rounds`` below 1.

    """
    if not (0 < prior < 1 and rounds >= 1):
        raise ParameterError("the game needs a prior in (0, 1) and at least 1 round.")
    hidden = rng.random(rounds) < prior
    drawn = [laws.evidence(rounds, present=present, rng=rng) for present in (False, True)]
    if not all(map(len, drawn)):
        return ()
    evidence = np.where(hidden, drawn[1], drawn[0])
    # Without any evidence the more likely world is guessed.
    guesses = posterior(prior, evidence) > 0.5  # noqa: PLR2004 - more likely than not
    return tuple(
        Round(present=bool(is_there), evidence=float(found), guess=bool(guess))
        for is_there, found, guess in zip(hidden, evidence, guesses, strict=True)
    )


class Realized(NamedTuple):
    """How large the loss was that releases really caused, from the smallest."""

    losses: FloatArray
    share: FloatArray


def realized(laws: PersonLaws, *, present: bool, draws: int, rng: np.random.Generator) -> Realized:
    """Return the distribution of the ex-post loss ``|log Q - log P|`` of releases.

    Redberg and Wang 2021, definition 3. ``losses`` ascend; empty where releases cannot
    be simulated.
    """
    losses = np.sort(np.abs(laws.evidence(draws, present=present, rng=rng)))
    return Realized(losses=losses, share=(np.arange(len(losses)) + 1) / max(draws, 1))
