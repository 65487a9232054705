"""The two laws of a release that differ in one person. CONFIDENTIAL.

``P`` is the law of the release without the person's record (or with another one in its
place), ``Q`` that with it. Everything that a release can tell about the person follows
from the two: the profile ``delta(epsilon)``, the receiver operating characteristic of
the best test (Neyman and Pearson), and the evidence ``log Q - log P`` that one release
gives.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.mechanism import Mechanism

POINTS: Final = 601
_SMALLEST: Final = 1e-290
_TAIL: Final = 1e-5
_EVENLY: Final = np.linspace(0, 1, 203)[1:-1]
_SHARES: Final = np.sort(
    np.concatenate([np.linspace(0, 1, POINTS)[1:-1], expit(np.linspace(-25.0, 25.0, 201))])
)
"""Where both laws are cut into tests: evenly, and far into either tail."""


class Spike(NamedTuple):
    """A single number that is released with positive probability."""

    at: float
    absent: float
    present: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """Both laws where one number says all that a release tells about the person.

    Attributes:
        label: What the number is.
        x: Shape ``(m,)``: values of it, ascending.
        absent: Shape ``(m,)``: its density without the person; NaN on a spike.
        present: Shape ``(m,)``: its density with the person.
        spikes: Points with positive probability.
        beyond: The part of the releases that lies outside ``x``: the larger of both.

    """

    label: str
    x: FloatArray = field(repr=False)
    absent: FloatArray = field(repr=False)
    present: FloatArray = field(repr=False)
    spikes: tuple[Spike, ...] = field(default=(), repr=False)
    beyond: float = field(default=0.0, repr=False)


class PersonLaws(Protocol):
    """The two laws of a release, with one person and without."""

    def delta(self, epsilon: FloatArray) -> FloatArray:
        """Return the smallest delta at each epsilon, the larger of both directions."""

    def roc(self) -> tuple[FloatArray, FloatArray]:
        """Return chances of a false alarm, ascending, and of detection."""

    def evidence(self, draws: int, *, present: bool, rng: np.random.Generator) -> FloatArray:
        """Return ``log Q - log P`` of simulated releases, shape ``(draws,)``."""

    def line(self) -> Line | None:
        """Return the laws of the one number that matters; ``None`` if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScalarLaws:
    """A mechanism of the catalog on one number.

    The ratio of its densities at two positions is monotone in the release for every
    mechanism of the catalog, so that the best tests are thresholds.

    Attributes:
        mechanism: Adds the noise.
        absent: The number without the person.
        present: The number with the person.
        label: What the number is.
        coordinate: Which number of the release it is; ``None`` for a mixture of them.
        reach: How far from the two numbers their laws are looked at, whatever the noise
            is; ``None`` for as far as they are likely.

    """

    mechanism: Mechanism
    absent: float = field(repr=False)
    present: float = field(repr=False)
    label: str
    coordinate: int | None = None
    reach: float | None = None

    def delta(self, epsilon: FloatArray) -> FloatArray:
        """Return the exact profile of the pair."""
        pair = ([self.absent], [self.present])
        return np.array(
            [float(self.mechanism.pairwise_delta(*pair, epsilon=float(level))) for level in epsilon]
        )

    def roc(self) -> tuple[FloatArray, FloatArray]:
        """Return the chances of all thresholds; a spike is split at random."""
        if self.absent == self.present:
            alarm = np.linspace(0, 1, 3)
            return alarm, alarm
        x = np.append(self._quantiles(_SHARES), (self.absent + self.present) / 2)
        above = []
        for at in (self.absent, self.present):
            beyond, (_, spike) = 1 - self.mechanism.cdf(x, at), self.mechanism.atoms(at)
            above.append(np.concatenate([[1.0], beyond, [float(spike)], [0.0]]))
        if self.present < self.absent:
            above = [1 - part for part in above]
        alarm, detection = (np.sort(np.clip(part, 0, 1)) for part in above)
        return alarm, detection

    def evidence(self, draws: int, *, present: bool, rng: np.random.Generator) -> FloatArray:
        """Return the evidence of simulated releases."""
        at = self.present if present else self.absent
        return self.evidence_of(self.mechanism.simulate(at, rng=rng, size=(draws,)))

    def evidence_of(self, released: ArrayLike) -> FloatArray:
        """Return ``log Q - log P`` of released numbers; NaN where neither can be."""
        x = np.asarray(released, dtype=np.float64)
        chances = [self.mechanism.pdf(x, at) for at in (self.absent, self.present)]
        for spike in self._spikes():
            on = x == spike.at
            chances = [
                np.where(on, share, chance)
                for chance, share in zip(chances, (spike.absent, spike.present), strict=True)
            ]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log(chances[1]) - np.log(chances[0]))

    def line(self) -> Line | None:
        """Return both densities within ``reach``, or over what is likely."""
        likely = self._quantiles(np.array([_TAIL, 1 - _TAIL]))
        low, high = float(likely[0]), float(likely[-1])
        if not high > low:
            return None
        if self.reach is not None:
            low, high = self._sight(self.reach)
        spikes = self._spikes()
        # Wherever the laws are steep, there are points.
        x = np.concatenate([np.linspace(low, high, POINTS), self._quantiles(_EVENLY)])
        x = x[(x >= low) & (x <= high)]
        kinks = [self.absent, self.present]
        x = np.unique(np.concatenate([x, [at for at in kinks if low <= at <= high]]))
        on = np.isin(x, [spike.at for spike in spikes])
        absent, present = (
            np.where(on, np.nan, self.mechanism.pdf(x, at)) for at in (self.absent, self.present)
        )
        return Line(
            label=self.label,
            x=x,
            absent=absent,
            present=present,
            spikes=spikes,
            beyond=max(self._outside(low, high, at) for at in (self.absent, self.present)),
        )

    def _sight(self, reach: float) -> tuple[float, float]:
        """Return what lies within ``reach`` of a number, and between the bounds."""
        low, high = sorted((self.absent, self.present))
        low, high = low - reach, high + reach
        bounds = getattr(self.mechanism, "bounds", None)
        if bounds is None:
            return low, high
        return max(low, bounds.lower), min(high, bounds.upper)

    def _outside(self, low: float, high: float, at: float) -> float:
        """Return how often a release lies outside: spikes are at the bounds."""
        below, above = (float(self.mechanism.cdf(end, at)) for end in (low, high))
        atoms = self.mechanism.atoms(at)
        bounds = getattr(self.mechanism, "bounds", None)
        if bounds is not None and low <= bounds.lower:
            below -= float(atoms[0])
        return max(0.0, below + 1 - above)

    def _quantiles(self, u: FloatArray) -> FloatArray:
        both = [self.mechanism.quantile(u, at) for at in (self.absent, self.present)]
        return np.unique(np.concatenate(both))

    def _spikes(self) -> tuple[Spike, ...]:
        bounds = getattr(self.mechanism, "bounds", None)
        if bounds is None:
            return ()
        ends = zip(
            (bounds.lower, bounds.upper),
            self.mechanism.atoms(self.absent),
            self.mechanism.atoms(self.present),
            strict=True,
        )
        found = (Spike(at, float(one), float(other)) for at, one, other in ends)
        return tuple(spike for spike in found if max(spike.absent, spike.present) > _SMALLEST)


def gaussian_laws(mu: float) -> ScalarLaws:
    """Return the laws of Gaussian noise that moves by ``mu`` standard deviations.

    For several numbers with noise of one public covariance, the release along the
    direction of the shift says all there is (the rest has the same law in both worlds).
    """
    if not 0 <= mu < np.inf:
        raise ParameterError("the two laws of Gaussian noise need a finite shift.")
    return ScalarLaws(
        mechanism=Gaussian(noise=1.0),
        absent=0.0,
        present=mu,
        label="release along the shift, in noise sd",
    )
