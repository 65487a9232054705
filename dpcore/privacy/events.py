"""What a release was, as the accountant sees it: one class for each kind.

An event knows its epsilon, its zCDP level and its privacy loss over all tables, and the
first two for persons whose own ratio is known. Privacy losses are those of
``dp_accounting``, discretized upwards.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.privacy import gaussian, subsampling_amplification
from dpcore.privacy.bootstrap_cost import (
    LARGEST_STEP,
    LEAST_DELTA,
    epsilon_of_step,
    require_times,
    resampled_losses,
    revealed_epsilon,
)
from dpcore.privacy.bootstrap_profiles import Bound, require_people
from dpcore.privacy.conversions import epsilons_of_rho, rho_of_pure, rho_of_range
from dpcore.privacy.laplace import delta_of, rho_of
from dpcore.privacy.subsampling_amplification import NoiseLaw

LARGEST_LOSS = 500.0
"""The loss of an event beyond it is not discretized."""
_FINEST_CELLS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyEvent(ABC):
    """One release, as the accountant sees it.

    Its *ratio* is the shift over the noise, or epsilon where nothing else is known.

    Attributes:
        parameter: Of noise its scale (Laplace) or standard deviation (Gaussian) over
            the sensitivity, one over the ratio; otherwise epsilon. In [0, inf].

    Raises:
        ParameterError: A number is outside its domain.

    """

    parameter: float

    delta = 0.0
    """The delta that goes with its epsilon; 0 if it has none of its own."""
    times = 1
    """Of how many privacy losses its own is convolved."""
    _rare = 1e-15
    _largest = LARGEST_LOSS

    def __post_init__(self) -> None:
        if not self.parameter >= 0:
            raise ParameterError(f"an event's parameter must be at least 0, got {self.parameter}.")

    @classmethod
    def from_ratio(cls, ratio: float, **known: Any) -> Self:  # noqa: ANN401 - other fields
        """Return the event with a ratio."""
        return cls(parameter=cls._swap(ratio), **known)

    @property
    @abstractmethod
    def kind(self) -> str:
        """Return its name in records."""

    @property
    def ratio(self) -> float:
        """Return the shift over the noise: Laplace r, Gaussian mu; or epsilon."""
        return self._swap(self.parameter)

    @property
    def needs_delta(self) -> bool:
        """Tell whether it has a finite epsilon only at a share of the delta."""
        return False

    def epsilon(self, delta: float) -> float:
        """Return the epsilon at ``delta`` over all tables.

        An event that has a delta of its own gives its epsilon at that one only; the
        caller sets it aside. One that is pure gives its epsilon at every delta.
        """
        return float(self.epsilon_of(self.ratio, delta))

    @property
    def rho(self) -> float:
        """Return the zCDP level over all tables; infinite where there is none."""
        return float(self.rho_of(self.ratio))

    @abstractmethod
    def epsilon_of(self, own: ArrayLike, delta: float) -> FloatArray:
        """Return the epsilon at ``delta`` of persons by their own ratios."""

    @abstractmethod
    def rho_of(self, own: ArrayLike) -> FloatArray:
        """Return the zCDP level of persons by their own ratios."""

    def of_person(self, own: float) -> PrivacyEvent:
        """Return the event as it concerns one person by their own ratio."""
        return replace(self, parameter=self._swap(own))

    @abstractmethod
    def loss(self, interval: float) -> Any:  # noqa: ANN401 - untyped library
        """Return the distribution of its privacy loss, in cells of ``interval``."""

    @property
    def reach(self) -> float:
        """Return a loss that it hardly ever exceeds, to choose the cells by."""
        loss = self.epsilon(self._rare)
        return loss if math.isfinite(loss) else 0.0

    @property
    def tractable(self) -> bool:
        """Tell whether its privacy loss is discretized."""
        return self.ratio <= self._largest

    def to_dict(self) -> dict[str, str | float]:
        """Return the event as JSON types, for ``event_from`` to read."""
        known = asdict(self)
        known.pop("law", None)  # the kind says it
        return {"kind": self.kind, **known}

    @staticmethod
    def _swap(number: float) -> float:
        """Turn noise over sensitivity into sensitivity over noise, and back."""
        return math.inf if number == 0 else 1 / number


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseEvent(PrivacyEvent):
    """Noise on a number, or on that of a sample. The ``parameter`` is one over r."""

    rate = 1.0
    """The chance that a row is in the sample."""

    @property
    @abstractmethod
    def law(self) -> NoiseLaw:
        """Return the law of the noise."""

    def loss(self, interval: float) -> Any:  # noqa: ANN401
        """Return the distribution of its privacy loss."""
        pld = _library()
        gauss = self.law == "gaussian"
        made = pld.from_gaussian_mechanism if gauss else pld.from_laplace_mechanism
        return made(self.parameter, sampling_prob=self.rate, value_discretization_interval=interval)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceEvent(NoiseEvent):
    """Laplace noise."""

    kind = law = "laplace"

    def epsilon_of(self, own: ArrayLike, delta: float) -> FloatArray:  # noqa: ARG002
        """Return the ratio, at every delta."""
        return np.asarray(own)

    def rho_of(self, own: ArrayLike) -> FloatArray:
        """Return ``r + e^-r - 1``."""
        return rho_of(own)

    def loss(self, interval: float) -> Any:  # noqa: ANN401
        """Return the distribution of its privacy loss, from its profile."""
        cells = max(math.ceil(self.ratio / interval), 1)
        level = np.arange(-cells, cells + 1) * interval
        # No loss is below -r, so that all of the law is above such a level.
        below = -np.expm1(level)
        return _loss_of(np.maximum(delta_of(self.ratio, level), below), interval)


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianEvent(NoiseEvent):
    """Gaussian noise."""

    kind = law = "gaussian"
    needs_delta = True

    def epsilon_of(self, own: ArrayLike, delta: float) -> FloatArray:
        """Return the epsilon of the analytic profile."""
        return gaussian.epsilon_of(own, delta)

    def rho_of(self, own: ArrayLike) -> FloatArray:
        """Return ``mu^2/2``."""
        return np.multiply(own, own) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PureEvent(PrivacyEvent):
    """Any mechanism of which only its pure level is used, the ``parameter``."""

    kind = "pure"

    def epsilon_of(self, own: ArrayLike, delta: float) -> FloatArray:  # noqa: ARG002
        """Return the level, at every delta."""
        return np.asarray(own)

    def rho_of(self, own: ArrayLike) -> FloatArray:
        """Return ``e tanh(e/2)``."""
        return rho_of_pure(own)

    def loss(self, interval: float) -> Any:  # noqa: ANN401
        """Return the loss of a randomized response, which tells all at its delta.

        It dominates any (epsilon, delta)-DP mechanism (Kairouz, Oh and Viswanath 2015).
        """
        pld = _library()
        return pld.from_privacy_parameters(
            pld.common.DifferentialPrivacyParameters(self.ratio, self.delta),
            value_discretization_interval=interval,
        )

    @staticmethod
    def _swap(number: float) -> float:
        return number


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproximateEvent(PureEvent):
    """Any mechanism that is (epsilon, delta)-DP, of which only that is used.

    Attributes:
        delta: The delta that goes with the ``parameter`` epsilon, in [0, 1].

    """

    kind = "approximate"
    delta: float = 0.0

    def __post_init__(self) -> None:
        PrivacyEvent.__post_init__(self)
        if not 0 <= self.delta <= 1:
            raise ParameterError(f"the delta of an event must be in [0, 1], got {self.delta}.")

    def rho_of(self, own: ArrayLike) -> FloatArray:
        """Return infinity: something is told with probability delta."""
        return np.full(np.shape(own), math.inf) if self.delta > 0 else rho_of_pure(own)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleEvent(NoiseEvent):
    """Noise on a sample that everybody is in with the same chance.

    Attributes:
        law: The law of the noise.
        rate: That chance, in (0, 1].

    """

    law: NoiseLaw
    rate: float = 1.0

    def __post_init__(self) -> None:
        PrivacyEvent.__post_init__(self)
        if not 0 < self.rate <= 1:
            raise ParameterError(f"the rate of an event must be in (0, 1], got {self.rate}.")

    @property
    def kind(self) -> str:
        """Return its name in records."""
        return f"subsampled-{self.law}"

    @property
    def needs_delta(self) -> bool:
        """Tell whether the noise is Gaussian."""
        return self.law == "gaussian"

    def epsilon_of(self, own: ArrayLike, delta: float) -> FloatArray:
        """Return the epsilon of the noise, amplified by the sample."""
        return self._amplified(own, self.rate, delta)

    def rho_of(self, own: ArrayLike) -> FloatArray:
        """Return the level of the noise: a sample does not make zCDP stronger.

        But for what the amplified pure level implies.
        """
        if self.law == "gaussian":
            return np.multiply(own, own) / 2
        amplified = rho_of_pure(self.epsilon_of(own, 0.0))
        return np.asarray(np.minimum(amplified, rho_of(own)))

    def _amplified(self, ratio: ArrayLike, rate: float, delta: float) -> FloatArray:
        share = delta if self.needs_delta else 0.0
        return subsampling_amplification.subsampled_epsilon(self.law, ratio, rate, share)


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedSampleEvent(SampleEvent):
    """Noise on a sample of a fixed size, without replacement.

    It has no event for one person, and is the worst case for whoever has any loss.
    """

    @property
    def kind(self) -> str:
        """Return its name in records."""
        return f"fixed-size-{self.law}"

    def epsilon(self, delta: float) -> float:
        """Return the amplified epsilon of the noise."""
        return float(self._amplified(self.ratio, self.rate, delta))

    def epsilon_of(self, own: ArrayLike, delta: float) -> FloatArray:
        """Return the epsilon as if it were told who is drawn, or the worst case.

        The other rows, which make room for a person, are not known here.
        """
        told = self._amplified(own, 1.0, delta)
        return np.asarray(np.minimum(told, self.epsilon(delta)))

    def of_person(self, own: float) -> PrivacyEvent:
        """Return the event for whoever has any loss from it."""
        return self if own > 0 else PureEvent(parameter=0.0)

    def loss(self, interval: float) -> Any:  # noqa: ANN401
        """Return the distribution of the loss when a record is replaced.

        Both directions have one bound, so that below 0 its profile is ``delta(-e) = 1 -
        e^-e + e^-e delta(e)``. Convex in ``e^epsilon``, it is the profile of a pair of
        laws that dominates every pair of neighbors (Zhu, Dong and Wang 2022).
        """
        cells = min(max(math.ceil(self.reach / interval), 1), _FINEST_CELLS)
        level = np.arange(cells + 1) * interval
        above = subsampling_amplification.subsampled_delta(self.law, self.ratio, self.rate, level)
        # Rounding must not let the profile rise.
        above = np.minimum.accumulate(above)
        below = -np.expm1(-level[1:]) + np.exp(-level[1:]) * above[1:]
        below = np.maximum.accumulate(np.maximum(below, above[0]))
        return _loss_of(np.concatenate([below[::-1], above]), interval)


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapEvent(PrivacyEvent):
    """Gaussian noise on each of several resamples.

    It has no event for one person, and is the worst case for whoever has any loss.

    Attributes:
        parameter: Standard deviation of the noise of each over the sensitivity of the
            whole table.
        people: How many people are drawn, from as many.
        times: How many resamples there are.

    """

    kind = "bootstrap"
    needs_delta = True
    people: int = 1
    times: int = 1
    _rare = LEAST_DELTA
    _largest = LARGEST_STEP

    def __post_init__(self) -> None:
        PrivacyEvent.__post_init__(self)
        require_people(self.people)
        require_times(self.times)

    def epsilon(self, delta: float) -> float:
        """Return the epsilon at ``delta`` of all resamples together, an upper bound."""
        if delta < LEAST_DELTA:
            return math.inf if self.ratio > 0 else 0.0
        if self.ratio > LARGEST_STEP:
            return math.inf
        return epsilon_of_step(self.ratio, times=self.times, people=self.people, delta=delta)

    def epsilon_of(self, own: ArrayLike, delta: float) -> FloatArray:
        """Return the epsilon as if it were told how often one was drawn.

        That is what a person's own step allows to say, whatever the rest of the table
        is. Never more than the worst case over all tables.
        """
        if delta < LEAST_DELTA:
            return np.where(np.asarray(own) > 0, math.inf, 0.0)
        told = revealed_epsilon(
            own,
            times=self.times,
            people=self.people,
            delta=delta,
            most=self.ratio if math.isfinite(self.ratio) else None,
        )
        return np.asarray(np.minimum(told, self.epsilon(delta)))

    def rho_of(self, own: ArrayLike) -> FloatArray:
        """Return the level of ``n`` copies in each: ``k (n mu)^2 / 2``."""
        own = np.asarray(own)
        level = self.people * self.people * own * own / 2
        return np.asarray(self.times * level)

    def of_person(self, own: float) -> PrivacyEvent:
        """Return the event for whoever has any loss from it."""
        return self if own > 0 else PureEvent(parameter=0.0)

    def loss(self, interval: float) -> Any:  # noqa: ANN401
        """Return the distribution of the loss of all resamples."""
        one = resampled_losses(
            self.ratio, people=self.people, bound=Bound.GENERIC, interval=interval
        )
        return one.self_compose(self.times)


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianChoicesEvent(PrivacyEvent):
    """Gaussian noise on numbers, and choices by the exponential mechanism, in any order.

    Later steps may depend on earlier answers. It has no event for one person.

    Attributes:
        parameter: Standard deviation of the noise over the sensitivity, of all numbers.
        choice: The epsilon of one choice.
        choices: How many there are.

    """

    kind = "gaussian-choices"
    needs_delta = True
    choice: float = 0.0
    choices: int = 1

    def __post_init__(self) -> None:
        PrivacyEvent.__post_init__(self)
        if not self.choice >= 0 or self.choices < 1:
            raise ParameterError("an event has choices of an epsilon of at least 0.")

    @property
    def times(self) -> int:  # type: ignore[override] # a number of the others
        """Return of how many privacy losses its own is convolved."""
        return self.choices + 1

    def epsilon_of(self, own: ArrayLike, delta: float) -> FloatArray:
        """Return the epsilon that the zCDP level implies."""
        return epsilons_of_rho(self.rho_of(own), delta)

    def rho_of(self, own: ArrayLike) -> FloatArray:
        """Return ``mu^2/2``, and the level of the range of every choice."""
        return np.asarray(np.multiply(own, own) / 2 + self.choices * rho_of_range(self.choice))

    def of_person(self, own: float) -> PrivacyEvent:
        """Return the event for whoever has any loss from it."""
        return self if own > 0 else PureEvent(parameter=0.0)

    def loss(self, interval: float) -> Any:  # noqa: ANN401
        """Return the loss of the noise and of as many randomized responses.

        Each dominates its step, whatever the earlier answers are, and so do all of them
        together (Zhu, Dong and Wang 2022, theorem 10).
        """
        noise = GaussianEvent(parameter=self.parameter).loss(interval)
        one = PureEvent(parameter=self.choice).loss(interval)
        return noise.compose(one.self_compose(self.choices))


_KINDS: Final[dict[str, Callable[..., PrivacyEvent]]] = {
    "laplace": LaplaceEvent,
    "gaussian": GaussianEvent,
    "pure": PureEvent,
    "approximate": ApproximateEvent,
    "subsampled-laplace": partial(SampleEvent, law="laplace"),
    "subsampled-gaussian": partial(SampleEvent, law="gaussian"),
    "fixed-size-laplace": partial(FixedSampleEvent, law="laplace"),
    "fixed-size-gaussian": partial(FixedSampleEvent, law="gaussian"),
    "bootstrap": BootstrapEvent,
    "gaussian-choices": GaussianChoicesEvent,
}


def event_from(stored: Mapping[str, Any]) -> PrivacyEvent:
    """Return the event that ``to_dict`` described.

    >>> event_from({"kind": "pure", "parameter": 0.5}).ratio
    0.5

    Raises:
        ParameterError: It describes none.

    """
    numbers = {name: number for name, number in stored.items() if name != "kind"}
    try:
        return _KINDS[stored["kind"]](**numbers)
    except (KeyError, TypeError, ValueError, OverflowError):
        raise ParameterError(
            "a privacy event needs a kind that is known, and its numbers."
        ) from None


def _loss_of(profile: FloatArray, interval: float) -> Any:  # noqa: ANN401
    """Return the distribution of the loss with a profile, the same in both directions.

    The profile is given in cells of ``interval``, as many below 0 as above.
    """
    pld, cells = _library(), len(profile) // 2
    return pld.PrivacyLossDistribution(
        pld.pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(interval, -cells, cells, profile)
    )


def _library() -> Any:  # noqa: ANN401 - untyped
    from dp_accounting.pld import privacy_loss_distribution  # noqa: PLC0415 - a second to import, rarely used

    return privacy_loss_distribution
