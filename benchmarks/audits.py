"""How often audits refute bounded noise that holds: ``python -m benchmarks.audits``.

Each audit is at the pair of values that is hardest to hide. With 95% confidence at most
5 of 100 audits may refute a claim that holds. A planted fault is audited, too: noise for
eight times the ε that is claimed. Draws are secure, but for Gaussian noise: its exact
sampler would need days for so many. There the law is simulated.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Final

import numpy as np

from dpcore.analyses.base import Request
from dpcore.analyses.number import Query
from dpcore.arrays import FloatArray
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.mechanisms.bounded_gaussian import BoundedGaussian
from dpcore.mechanisms.catalog import DISCRETE
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.entries import Membership
from dpcore.statistics.kinds import StatisticKind
from dpcore.studies.auditing.lower_bound import audit
from dpcore.studies.auditing.trials import WITH, Trial, TrialDraws, batches, of_mechanism, worst
from dpcore.studies.meaning.attacker import worst_pair
from dpcore.studies.teaching.laboratory import Setup

BOUNDED: Final = ("bit-gaussian", "truncated-gaussian", "bounded-gaussian", "limited", DISCRETE.key)
_AUDITS: Final = 500
_DRAWS: Final = 1_000
_EPSILON: Final = 1.0
_FAULT: Final = 8
_COUNTED: Final = Query(
    kind=StatisticKind.COUNT,
    column=Column(
        name="smoker",
        kind=ColumnKind.YES_NO,
        labels=("no", "yes"),
        missing=MissingPolicy.REPLACE,
        replacement="no",
    ),
    membership=Membership(label="yes"),
    relation=NeighboringRelation.SUBSTITUTION,
    unit=PrivacyUnit(),
    size=TableSize(people=100, public=True),
)


def main() -> None:
    """Audit each mechanism, honest and with the fault, and print how often it is refuted."""
    audits = int(sys.argv[1]) if len(sys.argv) > 1 else _AUDITS
    for key in BOUNDED:
        honest, faulty = (refuted(key, audits, faulty=faulty) for faulty in (False, True))
        print(f"{key:<20} honest {honest:>4} of {audits}, faulty {faulty:>4} of {audits}")


def refuted(key: str, audits: int, *, faulty: bool) -> int:
    """Return how many audits of a mechanism refute its claim."""
    honest = _trial(key, _EPSILON)
    trial = replace(_trial(key, _FAULT * _EPSILON), claim=honest.claim) if faulty else honest
    drawn = (TrialDraws.together(batches(trial, _DRAWS)) for _ in range(audits))
    return sum(audit(trial, each, confidence=0.95).refuted for each in drawn)


def _trial(key: str, epsilon: float) -> Trial:
    if key == DISCRETE.key:
        return worst(Request(query=_COUNTED, mechanism_key=key, epsilon=epsilon))
    setup, rng = Setup(key=key, epsilon=epsilon, place=0.0, shift=0.5), np.random.default_rng(1)
    mechanism = setup.mechanism()
    pair = worst_pair(mechanism, setup.shift)
    trial = of_mechanism(setup, rng=rng, worst=True)
    if not isinstance(mechanism, BoundedGaussian):
        return trial

    def simulated(world: int, size: int) -> FloatArray:
        at = pair.low if world == WITH else pair.high
        return mechanism.simulate(np.array(at), rng=rng, size=(size, 1))

    return replace(trial, draw=simulated, batch=_DRAWS)


if __name__ == "__main__":
    main()
