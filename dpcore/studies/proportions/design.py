"""The settings of simulation study 2, and what can be examined with them.

The proportions, epsilons and sample sizes of the original were lost; the defaults of
``Design`` are a reconstruction.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dpcore.errors import ParameterError
from dpcore.mechanisms.base import require_budget
from dpcore.mechanisms.bounded import Bounding
from dpcore.postprocessing.universal_histogram import Tree

BOUNDING = {
    "truncated-published": Bounding.TRUNCATED,
    "bit": Bounding.INFLATED,
    "truncated": Bounding.TRUNCATED,
}
"""The mechanisms of the study, by their keys in the catalog."""

FEWEST_CELLS, MOST_CELLS = 2, 10
MOST_REPETITIONS, MOST_SETS, MOST_SETTINGS = 5000, 20, 60
MOST_PEOPLE, LEAST_EPSILON = 10**9, 1e-9
_ROUNDING = 1e-6
_PAIRED = 4


class Procedure(StrEnum):
    """How releases are made to add up to 1, and what interval goes with them."""

    ORIGINAL = "original (no privacy)"
    RESCALING = "re-scaling"
    SYNTHESIS = "multiple synthesis"
    ALL_BUT_ONE = "all but one"
    REVERSED = "all but one, reversed"
    HISTOGRAM = "universal histogram"
    NOISE_AWARE = "re-scaling, noise-aware interval"
    PROJECTION = "nearest shares"


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """The settings of the study.

    Raises:
        ParameterError: A setting lies outside its domain.

    """

    shares: tuple[float, ...] = (0.10, 0.15, 0.25, 0.50)
    """True proportions of 2 to 10 cells, with sum 1."""
    epsilons: tuple[float, ...] = (0.1, 0.5, 1.0)
    """Privacy parameters, each in (0, inf)."""
    people: tuple[int, ...] = (50, 100, 200, 500, 1000)
    repetitions: int = 500
    """Samples drawn for each size."""
    sets: int = 5
    """Releases of multiple synthesis, each with ``epsilon / sets``."""
    mechanisms: tuple[str, ...] = ("truncated-published", "bit")
    """Keys of ``BOUNDING``."""
    order: tuple[int, ...] | None = None
    """Order of all-but-one; its last cell gets the rest. The reversed procedure ends at
    its first cell.
    """

    def __post_init__(self) -> None:
        _require_shares(self.shares)
        for epsilon in self.epsilons:
            require_budget(epsilon)
        _require(
            min(self.epsilons, default=1.0) >= LEAST_EPSILON,
            f"every privacy parameter: {LEAST_EPSILON:g} or more",
        )
        _require(
            all(1 <= people <= MOST_PEOPLE for people in self.people),
            f"every number of people: 1 to {MOST_PEOPLE:,}",
        )
        _require(
            0 < len(self.epsilons) * len(self.people) <= MOST_SETTINGS,
            f"epsilons times sample sizes: 1 to {MOST_SETTINGS}",
        )
        _require(1 < self.repetitions <= MOST_REPETITIONS, f"repetitions: 2 to {MOST_REPETITIONS}")
        _require(1 < self.sets <= MOST_SETS, f"sets: 2 to {MOST_SETS}")
        _require(
            len(self.mechanisms) > 0 and set(self.mechanisms) <= set(BOUNDING),
            f"mechanisms: at least one of {', '.join(BOUNDING)}",
        )
        _require(
            sorted(self.sequence) == list(range(len(self.shares))),
            "the order of all-but-one names each cell once",
        )

    @property
    def sequence(self) -> tuple[int, ...]:
        """Return the order of all-but-one; as listed if none was given."""
        return tuple(range(len(self.shares))) if self.order is None else self.order

    @property
    def settings(self) -> int:
        """Return how many pairs of epsilon and sample size there are."""
        return len(self.epsilons) * len(self.people)

    @property
    def targets(self) -> tuple[tuple[int, ...], ...]:
        """Return the sums of cells that are examined.

        All cells; with four or more, the first with the last (a node of the tree), and
        the first with each other one. With fewer, a pair is as good as the cell left.
        """
        cells = range(len(self.shares))
        singles = tuple((cell,) for cell in cells)
        if len(self.shares) < _PAIRED:
            return singles
        return (*singles, *((0, other) for other in (cells[-1], *cells[1:-1])))

    @property
    def tree(self) -> Tree:
        """Return the tree of the universal histogram."""
        return Tree.folded(len(self.shares))


def _require_shares(shares: tuple[float, ...]) -> None:
    _require(
        FEWEST_CELLS <= len(shares) <= MOST_CELLS,
        f"proportions: {FEWEST_CELLS} to {MOST_CELLS} of them",
    )
    _require(all(0 <= share <= 1 for share in shares), "every proportion: 0 to 1")
    total = sum(shares)
    _require(abs(total - 1) <= _ROUNDING, f"the proportions sum to 1, not to {total:.6g}")


def _require(holds: bool, what: str) -> None:  # noqa: FBT001 - a condition
    if not holds:
        raise ParameterError(f"the study needs {what}.")
