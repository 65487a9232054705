"""What an audit puts to the test: a promise, and one release drawn in two worlds.

The worlds are neighboring tables: one person is there or not, or has another record.
Everything else is the same, and known to whoever audits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.studies.meaning.guarantee import Guarantee

WITH, WITHOUT = 0, 1
"""The two worlds, as a trial numbers them."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trial:
    """A release in two worlds, and what it promises about them.

    CONFIDENTIAL where the worlds are made of a real table.

    Attributes:
        claim: The promise.
        labels: Name of each number of an answer.
        sides: The two worlds in words, such as "with the person".
        draw: ``draw(world, size)`` returns that many answers, shape ``(size, k)``.
        evidence: The exact log-likelihood ratio of answers ``(n, k)``, first world over
            second, where the densities are known.
        exact: The epsilon of this pair at the delta of the claim, where a formula has
            it; infinite where none exists.
        batch: How many answers of each world are drawn at a time.

    """

    claim: Guarantee
    labels: tuple[str, ...]
    sides: tuple[str, str]
    draw: Callable[[int, int], FloatArray] = field(repr=False)
    evidence: Callable[[FloatArray], FloatArray] | None = field(default=None, repr=False)
    exact: float | None = field(default=None, repr=False)
    batch: int = 1000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drawn:
    """Answers of both worlds, shape ``(n, k)`` each."""

    first: FloatArray = field(repr=False)
    second: FloatArray = field(repr=False)

    @classmethod
    def together(cls, pieces: Iterable[Drawn]) -> Drawn:
        """Return all pieces as one.

        Raises:
            ParameterError: There are none.

        """
        found = list(pieces)
        if not found:
            raise ParameterError("an audit needs at least one batch of draws.")
        return cls(
            first=np.concatenate([piece.first for piece in found]),
            second=np.concatenate([piece.second for piece in found]),
        )

    @property
    def number(self) -> int:
        """Return how many answers there are of each world."""
        return min(len(self.first), len(self.second))

    def halves(self) -> tuple[Drawn, Drawn]:
        """Return the first half, to search in, and the second half, to test on."""
        half = self.number // 2
        return (
            Drawn(first=self.first[:half], second=self.second[:half]),
            Drawn(first=self.first[half : self.number], second=self.second[half : self.number]),
        )


def batches(trial: Trial, draws: int) -> Iterator[Drawn]:
    """Draw so many answers of each world, a batch at a time.

    Raises:
        ParameterError: ``draws`` is below 4: there are two halves of two each.

    """
    if draws < 4:  # noqa: PLR2004 - as said
        raise ParameterError(f"an audit needs at least 4 draws of each world, got {draws}.")
    for start in range(0, draws, trial.batch):
        size = min(trial.batch, draws - start)
        yield Drawn(first=trial.draw(WITH, size), second=trial.draw(WITHOUT, size))


def pieces(trial: Trial, draws: int) -> int:
    """Return how many batches so many draws make.

    >>> from dpcore.studies.meaning.guarantee import Guarantee
    >>> pieces(Trial(claim=Guarantee(epsilon=1.0), labels=("",), sides=("", ""),
    ...     draw=lambda world, size: np.zeros((size, 1))), 2500)
    3
    """
    return -(-draws // trial.batch)
