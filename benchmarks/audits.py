"""How often audits refute mechanisms that hold: ``python -m benchmarks.audits [names]``.

Each audit is at the pair of values that is hardest to hide. With 95% confidence at most
5 of 100 audits may refute a claim that holds. A planted fault is audited, too: noise for
eight times the ε that is claimed. Draws are secure, but for Gaussian noise within bounds: its
exact sampler would need days for so many. There the law is simulated, and with ``--simulated``
that of all noise by OpenDP.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from benchmarks.coverage import label_column, number_column, terms_of
from dpcore.analyses import secure
from dpcore.analyses.base import Question, Request
from dpcore.analyses.bounds import BoundsQuery
from dpcore.analyses.groups import ANY_SIZE, GroupedQuery
from dpcore.analyses.label_rounds import LabelRoundsQuery
from dpcore.analyses.labels import LabelsQuery
from dpcore.analyses.marginals import MarginalsQuery
from dpcore.analyses.number import Query
from dpcore.analyses.sharpening import EarlierAnswer, SharpenedMechanism, sharper_draw
from dpcore.analyses.spanning_tree import SyntheticQuery
from dpcore.analyses.weighted import WeightedQuery
from dpcore.arrays import FloatArray
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.mechanisms.catalog import DISCRETE
from dpcore.mechanisms.exponential import Exponential
from dpcore.mechanisms.mechanism import Mechanism
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.entries import Membership
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from dpcore.studies.auditing.lower_bound import audit
from dpcore.studies.auditing.trials import WITH, Trial, TrialDraws, batches, of_mechanism, worst
from dpcore.studies.meaning.attacker import worst_pair
from dpcore.studies.teaching.laboratory import Setup

_GAUSSIAN: Final = ("bit-gaussian", "truncated-gaussian", "bounded-gaussian")
BOUNDED: Final = (*_GAUSSIAN, "limited", DISCRETE.key)
_AUDITS: Final = 500
_DRAWS: Final = 1_000
_FEWER_DRAWS: Final = 300
"""Of questions, whose draws take longer."""
_EPSILON: Final = 1.0
_FAULT: Final = 8
_DELTA: Final = 1e-3
_SMOKER: Final = Column(
    name="smoker",
    kind=ColumnKind.YES_NO,
    labels=("no", "yes"),
    missing=MissingPolicy.REPLACE,
    replacement="no",
)
_AGE, _REGION = number_column("age", 0, 100), label_column("region", ("north", "south"))
_TERMS: Final = terms_of(100)


def main() -> None:
    """Audit each mechanism, honest and with the fault, and print how often it is refuted."""
    simulated = "--simulated" in sys.argv
    for name in sys.argv[1 + simulated :] or AUDITED:
        honest, faulty = (
            refuted(name, _AUDITS, faulty=faulty, simulated=simulated) for faulty in (False, True)
        )
        print(f"{name:<36} honest {honest:>4} of {_AUDITS}, faulty {faulty:>4}", flush=True)


def refuted(name: str, audits: int, *, faulty: bool, simulated: bool = False) -> int:
    """Return how many audits of a mechanism refute its claim."""
    honest = AUDITED[name](_EPSILON)
    trial = replace(AUDITED[name](_FAULT * _EPSILON), claim=honest.claim) if faulty else honest
    draws = _DRAWS if name in BOUNDED else _FEWER_DRAWS
    drawn = (TrialDraws.together(batches(trial, draws)) for _ in range(audits))
    how = _simulator() if simulated or name in _GAUSSIAN else secure.draw
    with patch.object(secure, "draw", how):
        return sum(audit(trial, each, confidence=0.95).refuted for each in drawn)


def _simulator() -> Callable[..., FloatArray]:
    """Return what stands in for secure draws: NumPy's generator, of the same law."""
    rng = np.random.default_rng(1)

    def simulated(
        mechanism: Mechanism | Exponential,
        value: FloatArray,
        **_: Any,  # noqa: ANN401 - sensitivity and cost
    ) -> FloatArray:
        size = (1,) if isinstance(mechanism, Exponential) else value.shape
        return np.asarray(mechanism.simulate(value, rng=rng, size=size), dtype=np.float64)

    return simulated


def _within_bounds(key: str, epsilon: float) -> Trial:
    setup = Setup(key=key, epsilon=epsilon, place=0.0, shift=0.5)
    return replace(of_mechanism(setup, rng=np.random.default_rng(1), worst=True), batch=_DRAWS)


def _of_question(query: Question, key: str, epsilon: float) -> Trial:
    trial = worst(Request(query=query, mechanism_key=key, epsilon=epsilon, delta=_DELTA))
    return replace(trial, batch=_DRAWS)


def _sharpened(query: Question, key: str, epsilon: float) -> Trial:
    """Return the trial of an answer for half of ε together with the sharper one.

    The sharper one alone has the exact log-likelihood ratio of both.
    """
    second = Request(query=query, mechanism_key=key, epsilon=epsilon)
    first = replace(second, epsilon=epsilon / 2)
    alone, mechanism = worst(second), first.mechanism
    evidence = alone.evidence
    assert isinstance(mechanism, SharpenedMechanism)  # noqa: S101 - as asked
    assert evidence is not None  # noqa: S101 - of one number
    pair = worst_pair(second.mechanism, second.sensitivity.largest)

    def draw(world: int, size: int) -> FloatArray:
        value = np.full(size, pair.low if world == WITH else pair.high)
        law = {"sensitivity": first.sensitivity, "cost": first.cost}
        drawn = secure.draw(mechanism, value, **law)
        earlier = EarlierAnswer(
            id="",
            epsilon=first.epsilon,
            scale=mechanism.secure_scale(size, **law),
            values=tuple(drawn.tolist()),
        )
        sharper = sharper_draw(
            second.mechanism, value, earlier, sensitivity=second.sensitivity, cost=second.cost
        )
        return np.column_stack([drawn, sharper])

    return replace(
        alone,
        labels=("the first answer", "the sharper one"),
        draw=draw,
        evidence=lambda answers: evidence(answers[:, 1:]),
        batch=_DRAWS,
    )


def _several() -> dict[str, tuple[Question, str]]:
    """Return questions of several numbers or steps, each with its mechanism."""
    kinds = StatisticKind
    any_size = _TERMS | {"size": ANY_SIZE}
    relation, unit = NeighboringRelation.SUBSTITUTION, PrivacyUnit()
    weight = {"group": Grouping.of(_REGION), "weight": number_column("weight", 0, 4)}
    mean = Query(kind=kinds.MEAN, column=_AGE, **any_size)
    share = Query(
        kind=kinds.PROPORTION, column=_SMOKER, membership=Membership(label="yes"), **any_size
    )
    spread = Query(kind=kinds.MEAN_AND_SPREAD, column=_AGE, **_TERMS)
    spreads = GroupedQuery(part=replace(spread, size=ANY_SIZE), group=Grouping.of(_REGION))
    sides = (Query(kind=kinds.HISTOGRAM, column=each, **_TERMS) for each in (_SMOKER, _REGION))
    items = BoundsQuery.of(
        Column(name="items", kind=ColumnKind.WHOLE), relation=relation, unit=unit
    )
    town = Column(name="town", kind=ColumnKind.CATEGORY)
    return {
        "weighted mean by region: Laplace": (WeightedQuery(part=mean, **weight), "laplace"),
        "weighted share by region: Gaussian": (WeightedQuery(part=share, **weight), "gaussian"),
        "two marginals: Laplace": (
            MarginalsQuery(crossed=tuple(sides), tables=((0,), (0, 1))),
            "laplace",
        ),
        "mean and standard deviation: Laplace": (spread, "laplace"),
        "mean and standard deviation: Gaussian": (spread, "gaussian"),
        "mean and standard deviation by region: Laplace": (spreads, "laplace"),
        "mean and standard deviation by region: Gaussian": (spreads, "gaussian"),
        "found labels": (LabelsQuery.of(town, relation=relation, unit=unit), "label-selection"),
        "labels in three rounds": (
            LabelRoundsQuery.of(town, relation=relation, unit=PrivacyUnit(cap=2)),
            "label-rounds",
        ),
        "found bounds, 9 bins": (replace(items, decades=(0, 1)), "laplace"),
        "synthetic data by MST": (
            SyntheticQuery.of(
                [(_SMOKER, None), (_REGION, None), (_AGE, (0.0, 50.0, 100.0))],
                relation=relation,
                unit=unit,
                size=TableSize(people=100, public=True),
            ),
            "spanning-tree",
        ),
    }


_MEAN: Final = Query(kind=StatisticKind.MEAN, column=_AGE, **_TERMS)
_COUNT: Final = Query(
    kind=StatisticKind.COUNT, column=_SMOKER, membership=Membership(label="yes"), **_TERMS
)
AUDITED: Final[Mapping[str, Callable[[float], Trial]]] = {
    **{key: partial(_within_bounds, key) for key in BOUNDED if key != DISCRETE.key},
    DISCRETE.key: partial(_of_question, _COUNT, DISCRETE.key),
    "a mean and its sharper answer": partial(_sharpened, _MEAN, "laplace"),
    "a count and its sharper answer": partial(_sharpened, _COUNT, DISCRETE.key),
    **{name: partial(_of_question, *asked) for name, asked in _several().items()},
}


if __name__ == "__main__":
    main()
