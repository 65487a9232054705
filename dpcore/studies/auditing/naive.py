"""A naive release: a known mistake, small enough to be seen through, and its repair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.studies.auditing.trial import Trial
from dpcore.studies.meaning.guarantee import Guarantee

Draws = Callable[[int, int, np.random.Generator], FloatArray]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NaiveRelease:
    """A release on made-up tables that promises more than it keeps.

    Attributes:
        key: Its name in links.
        label: Its name on the screen.
        released: What is released, in words.
        wrong: What is wrong with it, in one sentence.
        right: What is done instead, in one sentence.
        claim: What it promises.
        real: The epsilon that it really gives at the delta of the claim; infinite where
            no epsilon holds.
        labels: Name of each number of an answer.
        sides: The two worlds, in words.
        naive: ``naive(world, size, rng)`` draws answers, shape ``(size, k)``.
        repaired: The same, done right.

    """

    key: str
    label: str
    released: str
    wrong: str
    right: str
    claim: Guarantee
    real: float
    labels: tuple[str, ...]
    sides: tuple[str, str] = ("with the person", "without")
    naive: Draws = field(repr=False)
    repaired: Draws = field(repr=False)

    def trial(
        self, *, rng: np.random.Generator, repaired: bool = False, batch: int = 5000
    ) -> Trial:
        """Return the trial of the mistake, or of its repair."""
        draw = self.repaired if repaired else self.naive
        return Trial(
            claim=self.claim,
            labels=self.labels,
            sides=self.sides,
            draw=lambda world, size: draw(world, size, rng),
            exact=None if repaired else self.real,
            batch=batch,
        )
