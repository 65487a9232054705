"""Study 2: a vector of proportions, released under constraints (Liu 2016).

The proportions, epsilons and sample sizes of the original were lost; the defaults of
``ProportionDesign`` are a reconstruction.

Samples are drawn from a multinomial law; their shares are released by every procedure
with every mechanism, and compared with the true proportions: bias, root mean squared
error, and how often a 95% interval covers. A person's record is in one cell, and the
shares are counts over a constant, so that adding or removing a person changes one share
by ``1/n`` (substitution: the same results at twice the epsilon).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.formatting import in_full, significant
from dpcore.inference.multiple_synthesis import combine
from dpcore.inference.proportion_intervals import sampling_variance, score_interval, wald
from dpcore.mechanisms.bounded import Bounding, draw
from dpcore.mechanisms.catalog import CATALOG
from dpcore.mechanisms.mechanism import Mechanism, Sensitivity, require_budget
from dpcore.postprocessing.share_constraints import all_but_one, project, rescale
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
class ProportionDesign:
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
        _require(
            FEWEST_CELLS <= len(self.shares) <= MOST_CELLS,
            f"proportions: {FEWEST_CELLS} to {MOST_CELLS} of them",
        )
        _require(all(0 <= share <= 1 for share in self.shares), "every proportion: 0 to 1")
        total = sum(self.shares)
        _require(
            abs(total - 1) <= _ROUNDING, f"the proportions sum to 1, not to {significant(total, 6)}"
        )
        for epsilon in self.epsilons:
            require_budget(epsilon)
        _require(
            min(self.epsilons, default=1.0) >= LEAST_EPSILON,
            f"every privacy parameter: {in_full(LEAST_EPSILON)} or more",
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


def _require(holds: bool, what: str) -> None:  # noqa: FBT001 - a condition
    if not holds:
        raise ParameterError(f"the study needs {what}.")


UNIT = Interval(lower=0.0, upper=1.0)


class Measure(StrEnum):
    """What is reported of a procedure."""

    BIAS = "bias"
    RMSE = "typical error"
    COVERAGE = "coverage"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcedureAccuracy:
    """How one procedure did in one setting; arrays have one entry a target."""

    procedure: Procedure
    mechanism: str | None
    """Key of the mechanism; none for the original."""
    epsilon: float
    """Privacy parameter of the setting."""
    effective_epsilon: float
    """What the releases really cost; infinite for the original."""
    people: int
    bias: FloatArray
    """Mean error."""
    rmse: FloatArray
    coverage: FloatArray
    """Share of the 95% intervals that cover."""
    errors: FloatArray
    """Standard errors of simulation of these three, shape ``(3, targets)``."""

    def of(self, measure: Measure) -> tuple[FloatArray, FloatArray]:
        """Return one measure of every target, and its standard error."""
        position = list(Measure).index(measure)
        return (self.bias, self.rmse, self.coverage)[position], self.errors[position]


def run(
    design: ProportionDesign, *, rng: np.random.Generator
) -> Iterator[tuple[ProcedureAccuracy, ...]]:
    """Yield the results of one setting after another, the smallest epsilons first.

    Samples of one size are the same for every epsilon, mechanism and procedure.
    """
    tree = design.tree
    for people in design.people:
        counts = rng.multinomial(people, design.shares, design.repetitions)
        for epsilon in design.epsilons:
            yield _setting(design, tree, counts / people, epsilon, people, rng)


def _setting(
    design: ProportionDesign,
    tree: Tree,
    sample: FloatArray,
    epsilon: float,
    people: int,
    rng: np.random.Generator,
) -> tuple[ProcedureAccuracy, ...]:
    compare = _Comparison.of(design, epsilon, people)
    answers = [compare.normal(Procedure.ORIGINAL, None, np.inf, sample)]
    one = layered_sensitivity(1, people)
    path = layered_sensitivity(tree.depth, people)
    for key in design.mechanisms:
        bounding = BOUNDING[key]
        flat = calibrated(key, one, epsilon)
        part = calibrated(key, one, epsilon / design.sets)
        layered = calibrated(key, path, epsilon)
        real = flat.epsilon(one)
        noisy = draw(sample, noise=flat.noise, bounding=bounding, rng=rng)
        shares = rescale(noisy)
        answers += [
            compare.normal(Procedure.RESCALING, key, real, shares),
            compare.normal(Procedure.NOISE_AWARE, key, real, shares, noise=flat.noise),
            compare.normal(Procedure.PROJECTION, key, real, project(noisy)),
        ]
        orders = {Procedure.ALL_BUT_ONE: design.sequence, Procedure.REVERSED: design.sequence[::-1]}
        for procedure, order in orders.items():
            shares = all_but_one(sample, noise=flat.noise, order=order, bounding=bounding, rng=rng)
            answers.append(compare.normal(procedure, key, real, shares))
        nodes = draw(tree.sums(sample), noise=layered.noise, bounding=bounding, rng=rng)
        shares = tree.shares(tree.consistent(nodes, nonnegative=True))
        answers.append(compare.normal(Procedure.HISTOGRAM, key, layered.epsilon(path), shares))
        sets = np.broadcast_to(sample, (design.sets, *sample.shape))
        shares = rescale(draw(sets, noise=part.noise, bounding=bounding, rng=rng))
        real = design.sets * part.epsilon(one)
        answers.append(compare.combined(key, real, shares))
    return compare.accuracies(answers)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answers:
    """What one procedure answers to every sample, shape ``(samples, targets)``.

    The intervals around them are ``ends``, with a last axis of length 2; without, they
    are ordinary ones, which know of no noise (``wald``).
    """

    procedure: Procedure
    mechanism: str | None
    effective_epsilon: float
    released: FloatArray
    ends: FloatArray | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Comparison:
    """Compares releases of one setting with the truth, target by target."""

    weights: FloatArray
    truth: FloatArray
    epsilon: float
    people: int

    @classmethod
    def of(cls, design: ProportionDesign, epsilon: float, people: int) -> _Comparison:
        weights = np.zeros((len(design.targets), len(design.shares)))
        for row, target in enumerate(design.targets):
            weights[row, list(target)] = 1.0
        truth = weights @ np.array(design.shares)
        return cls(weights=weights, truth=truth, epsilon=epsilon, people=people)

    def normal(
        self,
        procedure: Procedure,
        key: str | None,
        real: float,
        shares: FloatArray,
        *,
        noise: float = 0.0,
    ) -> _Answers:
        released, ends = shares @ self.weights.T, None
        if noise > 0:
            variance = 2 * noise**2 * self.weights.sum(axis=1)
            ends = score_interval(released, people=self.people, noise_variance=variance)
        return _Answers(
            procedure=procedure, mechanism=key, effective_epsilon=real, released=released, ends=ends
        )

    def combined(self, key: str, real: float, shares: FloatArray) -> _Answers:
        released = shares @ self.weights.T
        found = combine(released, sampling_variance(released, self.people))
        return _Answers(
            procedure=Procedure.SYNTHESIS,
            mechanism=key,
            effective_epsilon=real,
            released=found.estimate,
            ends=np.stack([found.lower, found.upper], axis=-1),
        )

    def accuracies(self, answers: Sequence[_Answers]) -> tuple[ProcedureAccuracy, ...]:
        """Compare the answers of all procedures at once; return one result for each."""
        released = np.stack([answer.released for answer in answers])
        ends = wald(released, people=self.people)
        for place, answer in enumerate(answers):
            if answer.ends is not None:
                ends[place] = answer.ends
        off = released - self.truth
        covered = (ends[..., 0] <= self.truth) & (self.truth <= ends[..., 1])
        count = off.shape[1]
        square = off**2
        bias, rmse = off.mean(axis=1), np.sqrt(square.mean(axis=1))
        coverage = covered.mean(axis=1)
        # Two successes and failures are added: at 0 and 1 there is an error too.
        smoothed = (coverage * count + 2) / (count + 4)
        slope = np.where(rmse > 0, 2 * rmse, 1.0)
        errors = np.stack(
            [
                off.std(axis=1) / np.sqrt(count),
                square.std(axis=1) / np.sqrt(count) / slope,
                np.sqrt(smoothed * (1 - smoothed) / (count + 4)),
            ],
            axis=1,
        )
        return tuple(
            ProcedureAccuracy(
                procedure=answer.procedure,
                mechanism=answer.mechanism,
                epsilon=self.epsilon,
                effective_epsilon=answer.effective_epsilon,
                people=self.people,
                bias=bias[place],
                rmse=rmse[place],
                coverage=coverage[place],
                errors=errors[place],
            )
            for place, answer in enumerate(answers)
        )


def layered_sensitivity(cells: int, people: int) -> Sensitivity:
    """Return what a person changes: one share in each of ``cells`` layers of sums."""
    return Sensitivity(
        coordinates=cells, l1=cells / people, l2=float(np.sqrt(cells)) / people, largest=1 / people
    )


def calibrated(key: str, sensitivity: Sensitivity, epsilon: float) -> Mechanism:
    """Return a mechanism of the study for shares, which lie in [0, 1]."""
    return CATALOG[key].calibrate(sensitivity=sensitivity, epsilon=epsilon, bounds=UNIT)
