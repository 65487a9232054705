"""Simulation study 2: a vector of proportions, released under constraints (Liu 2016).

Samples are drawn from a multinomial law; their shares are released by every procedure
with every mechanism, and compared with the true proportions: bias, root mean squared
error, and how often a 95 % interval covers. A person's record is in one cell, and the
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
from dpcore.inference.multiple_synthesis import combine
from dpcore.inference.share_intervals import noise_aware, sampling_variance, wald
from dpcore.mechanisms.base import Mechanism, Sensitivity
from dpcore.mechanisms.bounded import draw
from dpcore.mechanisms.catalog import CATALOG
from dpcore.postprocessing.constrained_proportions import all_but_one, project, rescale
from dpcore.postprocessing.universal_histogram import Tree
from dpcore.studies.proportions.design import BOUNDING, Design, Procedure

UNIT = Interval(lower=0.0, upper=1.0)


class Measure(StrEnum):
    """What is reported of a procedure."""

    BIAS = "bias"
    RMSE = "typical error"
    COVERAGE = "coverage"


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """How one procedure did in one setting; arrays have one entry a target."""

    procedure: Procedure
    mechanism: str | None
    """Key of the mechanism; none for the original."""
    epsilon: float
    """Privacy parameter of the setting."""
    real_epsilon: float
    """What the releases really cost; infinite for the original."""
    people: int
    bias: FloatArray
    """Mean error."""
    rmse: FloatArray
    coverage: FloatArray
    """Share of the 95 % intervals that cover."""
    errors: FloatArray
    """Standard errors of simulation of these three, shape ``(3, targets)``."""

    def of(self, measure: Measure) -> tuple[FloatArray, FloatArray]:
        """Return one measure of every target, and its standard error."""
        position = list(Measure).index(measure)
        return (self.bias, self.rmse, self.coverage)[position], self.errors[position]


def run(design: Design, *, rng: np.random.Generator) -> Iterator[tuple[Accuracy, ...]]:
    """Yield the results of one setting after another, the smallest epsilons first.

    Samples of one size are the same for every epsilon, mechanism and procedure.
    """
    tree = design.tree
    for people in design.people:
        counts = rng.multinomial(people, design.shares, design.repetitions)
        for epsilon in design.epsilons:
            yield _setting(design, tree, counts / people, epsilon, people, rng)


def _setting(
    design: Design,
    tree: Tree,
    sample: FloatArray,
    epsilon: float,
    people: int,
    rng: np.random.Generator,
) -> tuple[Accuracy, ...]:
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
    real_epsilon: float
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
    def of(cls, design: Design, epsilon: float, people: int) -> _Comparison:
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
            ends = noise_aware(released, people=self.people, noise_variance=variance)
        return _Answers(
            procedure=procedure, mechanism=key, real_epsilon=real, released=released, ends=ends
        )

    def combined(self, key: str, real: float, shares: FloatArray) -> _Answers:
        released = shares @ self.weights.T
        found = combine(released, sampling_variance(released, self.people))
        return _Answers(
            procedure=Procedure.SYNTHESIS,
            mechanism=key,
            real_epsilon=real,
            released=found.estimate,
            ends=np.stack([found.lower, found.upper], axis=-1),
        )

    def accuracies(self, answers: Sequence[_Answers]) -> tuple[Accuracy, ...]:
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
            Accuracy(
                procedure=answer.procedure,
                mechanism=answer.mechanism,
                epsilon=self.epsilon,
                real_epsilon=answer.real_epsilon,
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
