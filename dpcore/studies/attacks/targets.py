"""Whom an attack is aimed at: a class-sized sample of a table, and a column of it.

The sample has a fixed size and its rows are drawn without a look at any value, so that
a large table is attacked as quickly as a small one. The village is simulated: nobody is
in it, and everything about it may be shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.data.quantities import quantity_of
from dpcore.errors import DataError, ParameterError
from dpcore.formatting import in_full

SAMPLE: Final = 200
"""How many people an attack looks at, at most."""
FEWEST: Final = 10
"""With fewer people there is no crowd to hide in, and nothing to show."""
SOMEBODY: Final = "Alice"
"""Who moves into the village: its first person."""
_INCOME = Column(
    name="income",
    kind=ColumnKind.NUMBER,
    bounds=Interval(lower=0.0, upper=150_000.0),
    missing=MissingPolicy.REPLACE,
    replacement=0.0,
    unit="€ a year",
)
_DEBT = Column(
    name="in debt",
    kind=ColumnKind.YES_NO,
    labels=("no", "yes"),
    missing=MissingPolicy.REPLACE,
    replacement="no",
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Target:
    """A column of the sample, as numbers. CONFIDENTIAL, unless it is simulated.

    Attributes:
        amounts: One number a person within the bounds, shape ``(n,)``.
        bounds: The public bounds.
        what: What the numbers are, in words.
        unit: Their unit; empty if they have none.

    """

    amounts: FloatArray = field(repr=False)
    bounds: Interval
    what: str
    unit: str = ""

    @property
    def people(self) -> int:
        """Return how many people there are."""
        return len(self.amounts)

    @property
    def largest(self) -> float:
        """Return the most that one person adds to or takes from the total. Public."""
        return max(abs(self.bounds.lower), abs(self.bounds.upper))


def village(people: int = SAMPLE) -> Dataset:
    """Return a simulated village, which is the same every time.

    >>> village().people
    200
    """
    import pandas as pd  # noqa: PLC0415 - slow to import

    rng = np.random.default_rng(7)
    income = np.clip(rng.lognormal(10.4, 0.45, people), 0, 150_000).round(2)
    debt = rng.random(people) < 0.5  # noqa: PLR2004 - a coin
    frame = pd.DataFrame({"income": income, "in debt": np.where(debt, "yes", "no")})
    frame.index = pd.RangeIndex(2, people + 2, name="line")
    return Dataset(name="a simulated village", frame=frame, columns=(_INCOME, _DEBT))


def class_sample(dataset: Dataset, *, rng: np.random.Generator) -> Dataset:
    """Return ``SAMPLE`` rows drawn at random, or all rows if there are no more.

    Raises:
        ParameterError: Several rows of a person count.

    """
    if dataset.cap is not None:
        raise ParameterError("attacks are shown on a table of one row a person.")
    if dataset.people <= SAMPLE:
        return dataset
    rows = np.sort(rng.choice(dataset.people, SAMPLE, replace=False))
    return replace(dataset, frame=dataset.frame.iloc[rows])


def attackable(dataset: Dataset) -> tuple[Column, ...]:
    """Return the columns that have bounds or labels."""
    return tuple(column for column in dataset.columns if column.is_declared)


def numbers(dataset: Dataset, column: Column, label: str | None = None) -> Target:
    """Return a column as numbers: of labels, 1 for ``label`` and 0 for all others.

    Who has no value counts as the public replacement, or is left out.

    Raises:
        DataError: Cells are not numbers, or fewer than ``FEWEST`` people have a value.
        ParameterError: The column has neither bounds nor that label.

    """
    if column.kind.is_numeric:
        if column.bounds is None:
            raise ParameterError("set the bounds of the column on Data first.")
        found, bounds = dataset.numbers(column.name), column.bounds
        what, unit = column.title, quantity_of(column).unit
        if isinstance(column.replacement, float | int):
            found = np.where(np.isnan(found), float(column.replacement), found)
    else:
        if label not in column.labels:
            raise ParameterError("choose one of the labels of the column.")
        codes = dataset.codes(column.name).astype(np.float64)
        if isinstance(column.replacement, str):
            codes[codes < 0] = column.labels.index(column.replacement)
        codes[codes < 0] = np.nan
        found = np.where(np.isnan(codes), codes, codes == column.labels.index(label))
        bounds = Interval(lower=0.0, upper=1.0)
        what, unit = f"{column.title}: {label}", ""
    found = bounds.clip(found[~np.isnan(found)])
    if len(found) < FEWEST:
        raise DataError(
            f"an attack needs at least {FEWEST} people with a value of the column; "
            "choose another one."
        )
    return Target(amounts=found, bounds=bounds, what=what, unit=unit)


def at_least(target: Target, threshold: float) -> Target:
    """Return 1 for those whose number reaches a public threshold, and 0 for others."""
    return Target(
        amounts=np.asarray(target.amounts >= threshold, dtype=np.float64),
        bounds=Interval(lower=0.0, upper=1.0),
        what=f"{target.what} at least {in_full(threshold)}",
    )
