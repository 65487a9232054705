"""Groups of people by the labels of one column, or of several together."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final, Self

from dpcore.data.columns import MAX_LABELS, Column, ColumnKind
from dpcore.errors import ParameterError
from dpcore.formatting import distinct
from dpcore.statistics.conditions import said_once

MOST_COLUMNS: Final = 3
SIDE_BY_SIDE: Final = " × "


@dataclass(frozen=True, kw_only=True)
class Grouping:
    """The columns whose public lists of labels make groups of people. PUBLIC.

    No column makes one group of everybody; it is false.

    Grouping by several columns is grouping by their product: everybody is in the cell
    of their labels, and in the last group, that of all others, without a listed label
    of one of them. So one column is the case of one, with the same sensitivity.

    Attributes:
        columns: The columns, all different; the labels of the last one vary first.

    Raises:
        ParameterError: A column has no list of labels, or there are too many columns or
            groups.

    >>> from dpcore.data.columns import ColumnKind
    >>> sex = Column(name="sex", kind=ColumnKind.CATEGORY, labels=("women", "men"))
    >>> grade = Column(name="grade", kind=ColumnKind.CATEGORY, labels=("A", "B"))
    >>> Grouping.of(sex, grade).labels
    ('women × A', 'women × B', 'men × A', 'men × B')

    """

    columns: tuple[Column, ...]

    @classmethod
    def of(cls, *columns: Column) -> Self:
        """Return the groups that some columns make together."""
        return cls(columns=columns)

    def __post_init__(self) -> None:
        for column in self.columns:
            if column.kind.is_numeric or not column.labels:
                raise ParameterError(
                    f"{column.name!r} needs a public list of labels to make groups; declare it "
                    "on the Data page."
                )
        names = {column.name for column in self.columns}
        if len(names) > MOST_COLUMNS or len(names) < len(self.columns):
            raise ParameterError(f"groups are made by at most {MOST_COLUMNS} different columns.")
        if len(self.columns) > 1 and math.prod(self.shape) > MAX_LABELS:
            sizes = SIDE_BY_SIDE.join(map(str, self.shape))
            raise ParameterError(
                f"{self.name} make {sizes} = {math.prod(self.shape):,} groups, and at most "
                f"{MAX_LABELS} can be asked for. Choose fewer columns or shorter lists."
            )

    def __bool__(self) -> bool:
        """Tell whether some column makes groups."""
        return bool(self.columns)

    @property
    def shape(self) -> tuple[int, ...]:
        """Return how many labels each column has."""
        return tuple(len(column.labels) for column in self.columns)

    @property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        """Return the labels of each listed group, one of each column."""
        return tuple(product(*(column.labels for column in self.columns)))

    @cached_property
    def column(self) -> Column:
        """Return the column, or one whose labels are the cells of several."""
        if len(self.columns) == 1:
            return self.columns[0]
        labels = distinct(SIDE_BY_SIDE.join(cell) for cell in self.cells if cell)
        return Column(name=self.name or "group", kind=ColumnKind.CATEGORY, labels=labels)

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the name of each listed group."""
        return self.column.labels

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the name of each group; the last is that of all others."""
        return (*self.labels, name_of_others(self.labels))

    @property
    def name(self) -> str:
        """Return the names of the columns."""
        return enumerated(column.name for column in self.columns)

    @property
    def title(self) -> str:
        """Return what pages and documents call the columns."""
        titles = [column.title for column in self.columns]
        return enumerated(said_once(*titles) if titles else ())


def enumerated(names: Iterable[str]) -> str:
    """Return names as a list in words.

    >>> enumerated(["a"]), enumerated(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *first, last = [*names] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def name_of_others(labels: tuple[str, ...]) -> str:
    """Return a name, not among ``labels``, for those who have none of them.

    >>> name_of_others(("north", "south")), name_of_others(("one", "other"))
    ('other', 'other values')
    >>> name_of_others(())
    'everybody'
    """
    name = "other" if labels else "everybody"
    while name in labels:
        name += " values"
    return name
