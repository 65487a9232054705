"""Trials: a nominal guarantee, and a release drawn in two neighboring worlds.

The worlds are neighboring tables: one person is there or not, or has another record.
Everything else is the same, and known to whoever audits.

Noise is drawn by the secure sampler, by the same call that a release makes; where all
that is drawn is one mechanism's noise, many answers are drawn in one call, as one long
answer. What a release makes of the noise afterwards is post-processing, and left out
there. Nothing is charged, and nothing written down: it is a simulation. What is made of
a real table is CONFIDENTIAL.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

import numpy as np

from dpcore.analyses import secure
from dpcore.analyses.base import Releasable, Request
from dpcore.analyses.bootstrap import BootstrapRequest
from dpcore.analyses.label_rounds import LabelRoundsPlan
from dpcore.analyses.labels import LabelsPlan
from dpcore.analyses.measurement import OneMechanism
from dpcore.analyses.reading import as_declared
from dpcore.analyses.resized import ResizedRequest
from dpcore.analyses.spanning_tree import TreePlan, pairs_of
from dpcore.arrays import FloatArray
from dpcore.data.dataset import Dataset
from dpcore.errors import ParameterError
from dpcore.formatting import significant
from dpcore.mechanisms.label_rounds import LabelHoldings
from dpcore.mechanisms.mechanism import Mechanism
from dpcore.privacy_filter import PrivacyCost, computed
from dpcore.relations import NeighboringRelation
from dpcore.statistics.quantiles import RankScores
from dpcore.studies.meaning.attacker import Guarantee, worst_pair
from dpcore.studies.teaching.laboratory import Setup

WITH, WITHOUT = 0, 1
"""The two worlds, as a trial numbers them."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trial:
    """A release on two datasets, and what it claims about them.

    CONFIDENTIAL where the worlds are made of a real table.

    Attributes:
        claim: The claimed guarantee.
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
class TrialDraws:
    """Answers of both worlds, shape ``(n, k)`` each."""

    first: FloatArray = field(repr=False)
    second: FloatArray = field(repr=False)

    @classmethod
    def together(cls, pieces: Iterable[TrialDraws]) -> TrialDraws:
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

    def halves(self) -> tuple[TrialDraws, TrialDraws]:
        """Return the first half, to search in, and the second half, to test on."""
        half = self.number // 2
        return (
            TrialDraws(first=self.first[:half], second=self.second[:half]),
            TrialDraws(
                first=self.first[half : self.number], second=self.second[half : self.number]
            ),
        )


def batches(trial: Trial, draws: int) -> Iterator[TrialDraws]:
    """Draw so many answers of each world, a batch at a time.

    Raises:
        ParameterError: ``draws`` is below 4: there are two halves of two each.

    """
    if draws < 4:  # noqa: PLR2004 - as said
        raise ParameterError(f"an audit needs at least 4 draws of each world, got {draws}.")
    for start in range(0, draws, trial.batch):
        size = min(trial.batch, draws - start)
        yield TrialDraws(first=trial.draw(WITH, size), second=trial.draw(WITHOUT, size))


def pieces(trial: Trial, draws: int) -> int:
    """Return how many batches so many draws make.

    >>> from dpcore.studies.meaning.attacker import Guarantee
    >>> pieces(Trial(claim=Guarantee(epsilon=1.0), labels=("",), sides=("", ""),
    ...     draw=lambda world, size: np.zeros((size, 1))), 2500)
    3
    """
    return -(-draws // trial.batch)


_LEAST_EPSILON: Final = 1e-6
"""Stands for a claimed epsilon of 0."""
_BATCH: Final = 2000
_ONE_BY_ONE: Final = 50
_FEW_PEOPLE: Final = 100
_ROUNDING: Final = 1 + 1e-9
_NEVER: Final = 1e-300
_WORST: Final = ("in one world of the worst pair", "in the other")
_VALUES: Final = ("with the first value", "with the second")


def of_mechanism(setup: Setup, *, rng: np.random.Generator, worst: bool = False) -> Trial:
    """Return the trial of a mechanism at two values between 0 and 1.

    They are those of the setup, or the ``worst`` ones as far apart. A mechanism without
    a secure sampler is simulated by ``rng``.
    """
    mechanism, sensitivity = setup.mechanism(), setup.sensitivity
    low, high = setup.place, setup.other
    if worst:
        pair = worst_pair(mechanism, setup.shift)
        low, high = pair.low, pair.high
    cost = PrivacyCost(
        epsilon=computed(mechanism.epsilon(sensitivity, delta=setup.delta)),
        delta=computed(setup.delta),
        rho=computed(mechanism.rho(sensitivity)),
    )

    def draw(world: int, size: int) -> FloatArray:
        place = np.full(size, low if world == WITH else high)
        if setup.entry.releasable:
            drawn = secure.draw(mechanism, place, sensitivity=sensitivity, cost=cost)
        else:
            drawn = mechanism.simulate(place, rng=rng, size=(size,))
        return drawn.reshape(-1, 1)

    return Trial(
        claim=Guarantee(epsilon=setup.epsilon, delta=setup.delta),
        labels=("the answer",),
        sides=(f"where the value is {significant(low, 4)}", f"where it is {significant(high, 4)}"),
        draw=draw,
        exact=float(mechanism.pairwise_epsilon([low], [high], delta=setup.delta)),
        batch=mechanism.drawn_at_once,
    )


def worst(request: Releasable) -> Trial:
    """Return the trial of a question at the pair of answers that is hardest to hide.

    PUBLIC: it is made of public numbers alone.

    Raises:
        ParameterError: No such pair is known for questions of this kind.

    """
    return _trial(request, *_worst_values(request), sides=_WORST)


def typed(request: Releasable, first: float, second: float) -> Trial:
    """Return the trial of a question whose answer without noise is one of two numbers.

    Raises:
        ParameterError: The answer is not a single number with noise, or one person
            cannot move it so far.

    """
    plan = request.plan
    single = isinstance(plan, OneMechanism) and isinstance(plan.mechanism, Mechanism)
    if not single or len(cast("Any", plan).statistic.labels) != 1:
        raise ParameterError(
            "a pair of values can be typed for an answer that is one number plus "
            "noise. Audit this question on the worst pair, or on a person of the table."
        )
    reach = cast("OneMechanism", plan).sensitivity.largest
    if not abs(first - second) <= reach * _ROUNDING:
        raise ParameterError(
            f"one {request.unit.noun} moves this answer by at most {significant(reach, 6)}: "
            "choose two values within that distance."
        )
    return _trial(request, np.array([first]), np.array([second]), sides=_VALUES)


def of_person(request: Releasable, dataset: Dataset, row: int, other: int) -> Trial:
    """Return the trial of a question on a table, and on it with a row changed.

    The row is left out where one person may be there or not; under substitution it
    becomes a copy of row ``other``. CONFIDENTIAL.

    Raises:
        DataError: The table cannot be read as it is declared.
        ParameterError: There is no such row.

    """
    table = narrowed(request, dataset)
    if request.relation is NeighboringRelation.ADD_REMOVE:
        sides = ("with the person", "without")
        neighbor = neighboring(table, row)
    else:
        sides = ("with the person's record", "with the other one in its place")
        neighbor = neighboring(table, row, other)
    first, second = (request.value(each) for each in (table, neighbor))
    return _trial(request, first, second, sides=sides)


def narrowed(request: Releasable, dataset: Dataset) -> Dataset:
    """Return a table as a question declares it, with its columns only. CONFIDENTIAL.

    So a copy with one row changed is small.
    """
    table = as_declared(request, dataset)
    names = {column.name for column in request.asked.columns}
    kept = tuple(column for column in table.columns if column.name in names)
    if not kept:  # everybody is counted
        return table
    return replace(table, frame=table.frame[[column.name for column in kept]], columns=kept)


def neighboring(dataset: Dataset, row: int, other: int | None = None) -> Dataset:
    """Return a table without a row, or with it a copy of another one. CONFIDENTIAL.

    Raises:
        ParameterError: There is no such row, or no other.

    """
    _check(dataset, row)
    places = np.arange(dataset.people)
    if other is not None:
        _check(dataset, other)
        places[row] = other
    elif dataset.people > 1:
        places = np.delete(places, row)
    else:
        raise ParameterError("the only row of a table cannot be left out.")
    return replace(dataset, frame=dataset.frame.iloc[places])


def of_one_record(dataset: Dataset, row: int) -> Dataset:
    """Return a table in which everybody has the same record. CONFIDENTIAL.

    Raises:
        ParameterError: There is no such row.

    """
    _check(dataset, row)
    return replace(dataset, frame=dataset.frame.iloc[np.full(dataset.people, row)])


def claim(request: Releasable) -> Guarantee:
    """Return what a question claims: what was asked for, else what it costs."""
    if isinstance(request, Request):
        return Guarantee(epsilon=request.epsilon, delta=request.used_delta)
    if isinstance(request, BootstrapRequest):
        return Guarantee(epsilon=request.claimed, delta=request.delta)
    epsilon, delta = float(request.cost.epsilon), float(request.cost.delta)
    if not math.isfinite(epsilon):
        raise ParameterError("this question has no privacy claim to refute.")
    return Guarantee(epsilon=max(epsilon, _LEAST_EPSILON), delta=delta)


def _check(dataset: Dataset, row: int) -> None:
    if dataset.cap is not None:
        raise ParameterError("an audit changes one row: make one row a person on Data.")
    if not 0 <= row < dataset.people:
        raise ParameterError(f"the table has rows 1 to {dataset.people}.")


def _trial(
    request: Releasable,
    first: Any,  # noqa: ANN401 - what the plan of the request draws from
    second: Any,  # noqa: ANN401 - as above
    *,
    sides: tuple[str, str],
) -> Trial:
    if isinstance(request, Request) and not request.entry.releasable:
        raise ParameterError(
            f"{request.entry.label} has no secure sampler, so there is no release to test. Its "
            "simulated draws can be audited under Learn › Explore › Audit."
        )
    plan, cost, claimed = request.plan, request.cost, claim(request)
    values = (first, second)
    if type(plan) in _BY_STEPS:
        return _BY_STEPS[type(plan)][1](plan, values, claimed, sides)
    if isinstance(plan, OneMechanism):
        exact = plan.pairwise_epsilon(first, second, delta=claimed.delta)
        if isinstance(plan.mechanism, Mechanism):
            mechanism = plan.mechanism
            return Trial(
                claim=claimed,
                labels=tuple(cast("Any", plan).statistic.labels),
                sides=sides,
                draw=lambda world, size: _many(plan, values[world], size, cost),
                evidence=_evidence(mechanism, first, second),
                exact=float(exact),
                batch=max(10, mechanism.drawn_at_once // max(1, len(first))),
            )
    return Trial(
        claim=claimed,
        labels=plan.answer(first, cost=cost).labels,
        sides=sides,
        draw=lambda world, size: np.array(
            [plan.answer(values[world], cost=cost).values for _ in range(size)]
        ),
        exact=float(exact) if isinstance(plan, OneMechanism) else None,
        batch=_ONE_BY_ONE,
    )


def _of_labels(
    plan: LabelsPlan,
    worlds: tuple[Mapping[str, int], Mapping[str, int]],
    claimed: Guarantee,
    sides: tuple[str, str],
) -> Trial:
    """Return the trial of labels: of each its noisy number, 0 where it is not released."""
    labels = tuple(sorted({label for world in worlds for label in world}))
    people = np.array([[world.get(label, 0) for label in labels] for world in worlds])

    def draw(world: int, size: int) -> FloatArray:
        there = people[world] > 0
        noisy = np.zeros((size, len(labels)))
        drawn = plan.law.secure_draw(np.tile(people[world][there], size)).reshape(size, -1)
        noisy[:, there] = np.where(drawn > plan.law.threshold, drawn, 0)
        return noisy

    moved = people[:, people[0] != people[1]].T.tolist()
    pair = moved[0] if len(moved) == 1 else None
    exact = None if pair is None else plan.law.epsilon_between(pair[0], pair[1], claimed.delta)
    batch = max(10, _BATCH // len(labels))
    return Trial(claim=claimed, labels=labels, sides=sides, draw=draw, exact=exact, batch=batch)


def of_rounds(
    plan: LabelRoundsPlan,
    worlds: tuple[Mapping[tuple[str, ...], int], Mapping[tuple[str, ...], int]],
    claimed: Guarantee,
    sides: tuple[str, str],
) -> Trial:
    """Return the trial of labels in rounds: of each the round in which it is found, or 0.

    The worlds are how many people have which labels.
    """
    labels = tuple(sorted({label for world in worlds for held in world for label in held}))
    held = [LabelHoldings.of(world, labels) for world in worlds]

    def evidence(answers: FloatArray) -> FloatArray:
        one, other = (plan.law.log_probability(answers, each) for each in held)
        return one - other

    return Trial(
        claim=claimed,
        labels=labels,
        sides=sides,
        draw=lambda world, size: plan.law.secure_draw(held[world], size).astype(np.float64),
        evidence=evidence,
        batch=max(10, _BATCH // len(labels)),
    )


def _of_tree(
    plan: TreePlan,
    worlds: tuple[FloatArray, FloatArray],
    claimed: Guarantee,
    sides: tuple[str, str],
) -> Trial:
    """Return the trial of a synthetic table: of each draw its log-likelihood ratio.

    No other test of all that is released tells more (Neyman and Pearson 1933).
    """

    def draw(world: int, size: int) -> FloatArray:
        drawn = [plan.drawn(worlds[world]) for _ in range(size)]
        densities = [[plan.log_density(one, value) for value in worlds] for one in drawn]
        return -np.diff(densities)

    return Trial(
        claim=claimed,
        labels=("log-likelihood ratio",),
        sides=sides,
        draw=draw,
        evidence=lambda ratios: ratios[:, 0],
        batch=_ONE_BY_ONE,
    )


def _worst_tree(request: Releasable, plan: TreePlan) -> tuple[FloatArray, FloatArray]:
    """Return counts of people who are all alike, and without one, or with one as the last."""
    people = plan.size.people if plan.size.public else _FEW_PEOPLE
    first = np.concatenate([np.eye(1, math.prod(shape))[0] for _, shape in pairs_of(plan.shape)])
    moved = people * first - first
    if request.relation is NeighboringRelation.SUBSTITUTION:
        moved += np.concatenate(
            [np.eye(1, math.prod(s), math.prod(s) - 1)[0] for _, s in pairs_of(plan.shape)]
        )
    return people * first, moved


def _worst_labels(request: Releasable, plan: LabelsPlan) -> tuple[dict[str, int], dict[str, int]]:
    """Return labels that are as often released as not, before and after a person leaves."""
    unit, least = request.unit, plan.law.threshold
    here, gone = ([least + more] * (unit.cap or 1) for more in (unit.rows, 0))
    if request.relation is NeighboringRelation.SUBSTITUTION:
        here, gone = here + gone, gone + here
    names = [f"label {place + 1}" for place in range(len(here))]
    return dict(zip(names, here, strict=True)), dict(zip(names, gone, strict=True))


def _worst_rounds(
    request: Releasable, plan: LabelRoundsPlan
) -> tuple[dict[tuple[str, ...], int], dict[tuple[str, ...], int]]:
    """Return who has labels that the last round finds as often as not, with a person and without.

    That person has all labels that anybody can have. Each of the others has one of them.
    """
    most = request.unit.cap or 1
    names = [f"label {place + 1}" for place in range(plan.changes)]
    here, other = tuple(names[:most]), tuple(names[most:])
    others = {(name,): max(1, round(plan.thresholds[-1])) for name in names}
    return others | {here: 1}, others | ({other: 1} if other else {})


def _many(plan: OneMechanism, value: FloatArray, size: int, cost: PrivacyCost) -> FloatArray:
    """Return many answers, drawn in one call as one that is as long as all of them."""
    drawn = secure.draw(
        plan.mechanism, np.tile(value, size), sensitivity=plan.sensitivity, cost=cost
    )
    return drawn.reshape(size, -1)


def _evidence(
    mechanism: Mechanism, first: FloatArray, second: FloatArray
) -> Callable[[FloatArray], FloatArray]:
    """Return the exact log-likelihood ratio of answers: noises are independent."""
    moved = np.flatnonzero(first != second)
    bounds = getattr(mechanism, "bounds", None)

    def log_density(x: FloatArray, at: FloatArray) -> FloatArray:
        found = mechanism.pdf(x, at)
        if bounds is not None:
            lower, upper = mechanism.atoms(at)
            found = np.where((x == bounds.lower) & (lower > 0), lower, found)
            found = np.where((x == bounds.upper) & (upper > 0), upper, found)
        return np.asarray(np.log(np.maximum(found, _NEVER)))

    def of(answers: FloatArray) -> FloatArray:
        x = answers[:, moved]
        ratio = log_density(x, first[moved]) - log_density(x, second[moved])
        return np.asarray(ratio.sum(axis=1))

    return of


_BY_STEPS: Final[Mapping[type, tuple[Callable[..., tuple[Any, Any]], Callable[..., Trial]]]] = {
    LabelsPlan: (_worst_labels, _of_labels),
    LabelRoundsPlan: (_worst_rounds, of_rounds),
    TreePlan: (_worst_tree, _of_tree),
}
"""Of plans that draw more than the noise of one mechanism: the worst pair, and the trial of one."""


def _worst_values(request: Releasable) -> tuple[Any, Any]:
    """Return what the plan draws from in the two worlds of the worst pair."""
    plan = request.plan
    if isinstance(request, BootstrapRequest | ResizedRequest):
        # Nobody else stands out: all are at one bound, and a single one at the other.
        return _one_apart(request.plan.bounds, request.query.size.people)
    if type(plan) in _BY_STEPS:
        return _BY_STEPS[type(plan)][0](request, plan)
    if isinstance(plan, OneMechanism):
        if isinstance(plan.mechanism, Mechanism):
            return _worst_noise(plan, plan.mechanism)
        scores = cast("RankScores", cast("Any", plan).statistic)
        query = cast("Request", request).query
        people = query.size.people if query.size.public else _FEW_PEOPLE
        first, second = _one_apart(query.bounds, people)
        return scores.value(first), scores.value(second)
    raise ParameterError(
        "the worst pair is not known for a question of this kind. Audit it on a row of the table."
    )


def _one_apart(bounds: Any, people: int) -> tuple[FloatArray, FloatArray]:  # noqa: ANN401 - any interval
    """Return people at the lower bound, and the same with one at the upper one."""
    second = np.full(people, float(bounds.lower))
    first = second.copy()
    first[0] = bounds.upper
    return first, second


def _worst_noise(plan: OneMechanism, mechanism: Mechanism) -> tuple[FloatArray, FloatArray]:
    """Return two vectors that are as far apart as the sensitivity allows.

    One number moves as far as any can, and the others share what is left of the total,
    up and down in turn.
    """
    sensitivity = plan.sensitivity
    numbers = len(cast("Any", plan).statistic.labels)
    moves = np.zeros(numbers)
    moves[0] = sensitivity.largest
    others = min(sensitivity.coordinates, numbers) - 1
    if others > 0:
        left = min(sensitivity.l1 - sensitivity.largest, others * sensitivity.largest)
        square = max(0.0, sensitivity.l2**2 - sensitivity.largest**2)
        moves[1 : others + 1] = min(left / others, math.sqrt(square / others))
    pairs = [worst_pair(mechanism, float(move)) for move in moves]
    low, high = (np.array([getattr(p, end) for p in pairs]) for end in ("low", "high"))
    turned = np.arange(numbers) % 2 == 1
    return np.where(turned, low, high), np.where(turned, high, low)
