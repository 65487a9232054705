"""What a release from a secret sample reveals about each person. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from dpcore.individual.exposure import expose
from dpcore.individual.release_losses import (
    Lengths,
    Plan,
    ReleaseLosses,
    of_newcomers,
)
from dpcore.privacy.events import FixedSampleEvent, SampleEvent
from dpcore.relations import NeighboringRelation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.arrays import FloatArray
    from dpcore.statistics.base import Statistic


class SampledPlan(Plan, Protocol):
    """How a release from a secret sample was drawn."""

    @property
    def event(self) -> SampleEvent:
        """The noise on the sample, and the rate."""
        ...

    @property
    def shift(self) -> float | None:
        """How much more a person moves the sample than the table; None if not fixed."""
        ...


def sampled_losses(
    plan: SampledPlan,
    statistic: Statistic,
    values: FloatArray,
    *,
    rows: NDArray[np.intp],
    people: int,
    relation: NeighboringRelation,
) -> ReleaseLosses:
    """Return what a release from a secret sample reveals about each of ``people``.

    Kept is the shift of a person who is in the sample, over the noise. Where it depends
    on who else is sampled, everybody behind the statistic counts at the worst case.
    With a sample of a fixed size losses are about another record instead of the
    person's: with one row less it would be another sample. They are upper bounds,
    because the rows that make room for a person count as well.

    Where everybody is sampled with the same chance and a record is *replaced*, the
    answer with either record is compared with that of a sample without the person, too:
    with ``Q`` that law, and ``P``, ``P'`` those with either record, the profile at the
    amplified level is at most ``q`` times the larger one of ``P`` to ``P'`` and ``P``
    to ``Q`` (advanced joint convexity, Balle, Barthe and Gaboardi 2018, theorem 2).

    Arguments and errors as for ``release_losses``.

    """
    event = plan.event
    fixed = isinstance(event, FixedSampleEvent)
    replaced = fixed or relation is NeighboringRelation.SUBSTITUTION
    steps = Lengths(noise=plan.noise * event.rate, largest=event.ratio)

    def largest(change: NeighboringRelation) -> tuple[FloatArray, float]:
        found = expose(steps, statistic, values, relation=change).epsilon
        return found, of_newcomers(steps, statistic, values, change, 1)

    if plan.shift is None:
        # A record that is replaced leaves, and another one joins.
        most = event.ratio * (2 if replaced and not fixed else 1)
        here, others = np.full(len(values), most), most
    elif fixed:
        here, others = largest(NeighboringRelation.SUBSTITUTION)
    else:
        here, others = largest(NeighboringRelation.ADD_REMOVE)
        if replaced:
            other, joined = largest(NeighboringRelation.SUBSTITUTION)
            others = max(others, joined)
            here = np.maximum(np.maximum(here, other), others)
    own = here
    if len(rows) < people:
        own = np.full(people, others if replaced else 0.0)
        own[rows] = here
    return ReleaseLosses(event=event, own=own, replaced=replaced and not fixed)
