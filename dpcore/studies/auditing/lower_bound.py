"""The test of a claim: a lower bound on epsilon from draws of two datasets.

Under (epsilon, delta)-DP every event ``A`` has ``P(A) <= e^epsilon Q(A) + delta``, in
both directions. So ``log((p - delta) / q)``, with a lower confidence limit ``p`` of
``P(A)`` and an upper one ``q`` of ``Q(A)``, is a lower confidence limit of epsilon. The
event is chosen on the first half of the draws and counted on the second, which knows
nothing of the choice: however many events were searched, two are tested, one for each
direction, with two Clopper-Pearson limits each. At the error ``alpha`` each of the four
limits fails with probability at most ``alpha / 4`` (union bound).

An audit can refute a claim. It can never prove one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from scipy.special import ndtri

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.inference.proportion_intervals import clopper_pearson
from dpcore.privacy.halving import halved
from dpcore.studies.auditing.events import CellEvent, ScoreCells, cells, most_telling, scores
from dpcore.studies.auditing.trials import WITH, WITHOUT, Trial, TrialDraws
from dpcore.studies.meaning.attacker import Guarantee

CONFIDENCE: Final = 0.99
_LIMITS: Final = 4
_POWER: Final = 0.9
_LARGEST: Final = 100.0
_SAME: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EventCount:
    """What the second half of the draws says of an event.

    Attributes:
        event: Chosen on the first half.
        hits: How often it happened in the likelier world, and in the other.
        draws: Out of how many draws of each.
        least: Lower confidence limit of its probability in the likelier world.
        most: Upper confidence limit of its probability in the other.
        epsilon: Lower confidence limit of epsilon; ``-inf`` where there is none.

    """

    event: CellEvent
    hits: tuple[int, int]
    draws: int
    least: float
    most: float
    epsilon: float

    @property
    def shares(self) -> tuple[float, float]:
        """Return how often it happened in the first world, and in the second."""
        likelier, other = (hits / self.draws for hits in self.hits)
        return (likelier, other) if (self.event.likelier == WITH) else (other, likelier)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RocCurve:
    """The receiver operating characteristic that was found, on the second half.

    Attributes:
        alarm: Share of the answers of the second world that are taken for the first.
        detection: Share of those of the first world that are.
        margin: How far either may be off, for all points at once (Dvoretzky, Kiefer
            and Wolfowitz 1956, with the constant of Massart 1990).

    """

    alarm: FloatArray = field(repr=False)
    detection: FloatArray = field(repr=False)
    margin: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PrivacyAudit:
    """What an audit found. CONFIDENTIAL if its trial is.

    Attributes:
        trial: What was put to the test.
        confidence: How sure the lower bound is.
        counts: The most telling events, one for each direction, the stronger first.
        curve: How well the worlds can be told apart by the best score.
        detectable: The least epsilon that these draws would have refuted the claim at,
            nine times out of ten, by an event about as frequent as the one found.

    """

    trial: Trial
    confidence: float
    counts: tuple[EventCount, EventCount]
    curve: RocCurve
    detectable: float

    @property
    def claim(self) -> Guarantee:
        """Return the claim."""
        return self.trial.claim

    @property
    def best(self) -> EventCount:
        """Return the event that gives the largest lower bound."""
        return self.counts[0]

    @property
    def lower(self) -> float:
        """Return the lower bound on epsilon at the delta of the claim, from 0."""
        return max(0.0, self.best.epsilon)

    @property
    def refuted(self) -> bool:
        """Tell whether the claim is refuted."""
        return self.lower > self.claim.epsilon * (1 + _SAME)


def audit(trial: Trial, drawn: TrialDraws, *, confidence: float = CONFIDENCE) -> PrivacyAudit:
    """Search one half of the draws, and test the claim on the other.

    Raises:
        ParameterError: ``confidence`` is not in (0, 1), or there are fewer than 4 draws
            of a world.

    """
    if not 0 < confidence < 1:
        raise ParameterError(f"the confidence must be in (0, 1), got {confidence}.")
    searched, tested = drawn.halves()
    if searched.number < 2:  # noqa: PLR2004 - a spread needs two
        raise ParameterError("an audit needs at least 4 draws of each world.")
    tail = (1 - confidence) / _LIMITS
    candidates = [cells(score, searched) for score in scores(trial, searched)]
    counts = [
        _count(
            most_telling(
                candidates, searched, likelier=world, delta=trial.claim.delta, z=-float(ndtri(tail))
            ),
            tested,
            delta=trial.claim.delta,
            tail=tail,
        )
        for world in (WITH, WITHOUT)
    ]
    first, second = sorted(counts, key=lambda count: -count.epsilon)
    return PrivacyAudit(
        trial=trial,
        confidence=confidence,
        counts=(first, second),
        curve=_curve(first.event.cells, searched, tested, confidence),
        detectable=detectable(
            trial.claim,
            draws=tested.number,
            share=first.hits[1] / tested.number,
            confidence=confidence,
        ),
    )


def detectable(
    claim: Guarantee, *, draws: int, share: float, confidence: float = CONFIDENCE
) -> float:
    """Return an epsilon that so many tested draws refute at least 9 times out of 10.

    The event happens in a ``share`` of the draws of the less likely world; where it is
    too frequent to be ``e^epsilon`` times as likely in the other one, a rarer one is
    taken. Infinite where no epsilon up to 100 would be noticed.

    >>> from dpcore.studies.meaning.attacker import Guarantee
    >>> round(detectable(Guarantee(epsilon=1.0), draws=10_000, share=0.18), 2)
    1.16
    """
    tail = (1 - confidence) / _LIMITS
    z = -float(ndtri((1 - _POWER) / 2))

    def noticed(epsilon: float) -> bool:
        most = (1 - claim.delta) * math.exp(-epsilon) / 2
        other = min(share if share > 0 else most, most)
        likelier = claim.delta + math.exp(epsilon) * other
        hits = (
            max(0.0, draws * likelier - z * math.sqrt(draws * likelier)),
            min(draws, draws * other + z * math.sqrt(draws * other)),
        )
        return _bound(hits, draws, claim.delta, tail)[2] > claim.epsilon

    if not noticed(_LARGEST):
        return math.inf
    return halved(noticed, claim.epsilon, _LARGEST)[1]


def _count(event: CellEvent, tested: TrialDraws, *, delta: float, tail: float) -> EventCount:
    answers = (tested.first, tested.second)
    likelier, other = answers[event.likelier], answers[1 - event.likelier]
    hits = event.seen(likelier), event.seen(other)
    least, most, epsilon = _bound(hits, tested.number, delta, tail)
    return EventCount(
        event=event, hits=hits, draws=tested.number, least=least, most=most, epsilon=epsilon
    )


def _bound(
    hits: tuple[float, float], draws: int, delta: float, tail: float
) -> tuple[float, float, float]:
    """Return both limits of the shares, and that of epsilon."""
    lower, upper = clopper_pearson(np.array(hits), draws, confidence=1 - 2 * tail)
    least, most = float(lower[0]), float(upper[1])
    if least <= delta:
        return least, most, -math.inf
    return least, most, math.log(least - delta) - math.log(most)


def _curve(
    one: ScoreCells, searched: TrialDraws, tested: TrialDraws, confidence: float
) -> RocCurve:
    """Return how often both worlds are taken for the first, cell after cell."""
    counts = one.counts(tested)[:, one.ranked(one.counts(searched))]
    shares = np.cumsum(counts[:, counts.any(axis=0)], axis=1) / tested.number
    detection, alarm = np.concatenate([np.zeros((2, 1)), shares], axis=1)
    margin = math.sqrt(math.log(4 / (1 - confidence)) / (2 * tested.number))
    return RocCurve(alarm=alarm, detection=detection, margin=margin)
