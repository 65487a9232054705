"""What many tests ask under: relations, sizes, bounds and a sensitivity."""

from dpcore.data.bounds import Interval
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.relations import NeighboringRelation, TableSize

SUBSTITUTION = NeighboringRelation.SUBSTITUTION
ADD_REMOVE = NeighboringRelation.ADD_REMOVE
UNIT = Interval(lower=0.0, upper=1.0)
ONE = Sensitivity.scalar(1.0)


def public(people):
    """As many rows as everybody knows."""
    return TableSize(people=people, public=True)


def private(people):
    """At least as many rows, and how many is secret."""
    return TableSize(people=people, public=False)
