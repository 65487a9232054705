"""How the public values that questions are made of stand in JSON.

Every number of a bound becomes a float, so that 0 and 0.0 describe the same analysis.
"""

from __future__ import annotations

from typing import Final

from dpcore import codec
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.membership import Membership


def _interval(content: object) -> Interval:
    lower, upper = codec.ENDS.read(content)
    return Interval(lower=lower, upper=upper)


# Adding 0.0 turns -0.0 into 0.0.
PLACE: Final[codec.Pair[float]] = codec.Pair(
    lambda number: float(number) + 0.0, codec.NUMBER.read
)
INTERVAL: Final[codec.Pair[Interval]] = codec.Pair(
    lambda interval: codec.ENDS.write((interval.lower + 0.0, interval.upper + 0.0)),
    _interval,
)
REPLACEMENT: Final[codec.Pair[float | str]] = codec.Pair(
    lambda value: value if isinstance(value, str) else PLACE.write(value),
    lambda content: content if isinstance(content, str) else PLACE.read(content),
)
COLUMN: Final = codec.Schema(
    Column,
    name=codec.TEXT,
    kind=codec.choice(ColumnKind),
    bounds=codec.optional(INTERVAL),
    labels=codec.several(codec.TEXT),
    missing=codec.choice(MissingPolicy),
    replacement=codec.optional(REPLACEMENT),
)
"""What an analysis depends on: not the unit or the description."""
MEMBERSHIP: Final = codec.Schema(
    Membership, label=codec.if_any(codec.TEXT), interval=codec.if_any(INTERVAL)
)
RELATION: Final = codec.choice(NeighboringRelation)
UNIT: Final = codec.Schema(
    PrivacyUnit, noun=codec.TEXT, rows=codec.WHOLE, cap=codec.if_any(codec.WHOLE)
)
SIZE: Final = codec.Schema(TableSize, people=codec.WHOLE, public=codec.TRUTH)
SHARED: Final = codec.Schema(
    dict, kind=codec.choice(StatisticKind), relation=RELATION, unit=UNIT, size=SIZE
).parts
"""What defines every analysis: statistic, relation, unit and size."""
