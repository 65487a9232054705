"""Total variation of the two laws of some people, where it takes time. CONFIDENTIAL.

For several posterior samples and perturbed objectives it is an integral for each
person, so that it is taken for people drawn at random. For a perturbed nonlinear model
an upper bound follows from everybody's loss.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from dpcore.privacy.conversions import variation_bound

if TYPE_CHECKING:
    from dpcore.arrays import FloatArray
    from dpcore.models.fits import Fit
    from dpcore.models.laws.law import Law

MOST: Final = 2000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Variation:
    """Total variations of some people. CONFIDENTIAL.

    Attributes:
        variation: Of each of them, in [0, 1].
        people: How many people there are in all.
        exact: Whether it is exact rather than an upper bound.

    """

    variation: FloatArray = field(repr=False)
    people: int
    exact: bool = True

    @property
    def sampled(self) -> bool:
        """Return whether they were drawn at random from more people."""
        return len(self.variation) < self.people


def sampled_variation(
    law: Law,
    fit: Fit,
    *,
    epsilon: FloatArray,
    delta: float,
    rng: np.random.Generator,
) -> Variation | None:
    """Return total variations of at most 2,000 people; ``None`` where none is known.

    For noise of a public shape there is no need: ``model_causes`` has everybody's.

    Args:
        law: How the model is released.
        fit: The model.
        epsilon: Everybody's loss, shape ``(n,)``.
        delta: What goes with the losses.
        rng: Draws the people.

    """
    real = fit.law_of(law)
    if real.public:
        return None
    if real.upper:
        bound = variation_bound(epsilon, delta)
        return Variation(variation=bound, people=fit.people, exact=False)
    people = np.arange(fit.people)
    if fit.people > MOST:
        people = np.sort(rng.choice(fit.people, size=MOST, replace=False))
    found = real.variation(fit.influence(real, people=people), delta=delta)
    return None if found is None else Variation(variation=found, people=fit.people)
