"""What is public about the groups that people belong to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.scatter import largest_scatter
from dpcore.statistics.tables import check_people


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSizes:
    """Sizes of the ``J`` groups behind a pooled statistic.

    Everybody belongs to one group; ``n`` people, ``n_j`` in group ``j``. The pooled sum
    of squares or products is divided by ``n - J``. What may differ between neighbors:

    * *Labels public*: everybody's group is known, so another record stays in its group
      and all sizes are public. An assumption of the guarantee, which cannot be checked:
      where it is false, a person who changes groups changes whether the statistic is
      refused. Under add/remove this is the convention of Liu (2016):
      noise is scaled by sizes of which one differs by 1 in the neighbor. It treats the
      sizes as published although one person's presence changes them; substitution is
      the coherent choice.
    * *Labels private*: another record may lie in another group, so the sizes are as
      confidential as the records. Only ``n`` and ``J`` are used, and all sizes with
      that sum are covered, empty groups included. There is no add/remove: ``n`` itself
      would be private, and with it the divisor.

    Attributes:
        sizes: Number of people in each group. With private labels only how many numbers
            there are, and their sum, count.
        labels_public: Whether everybody's group is public.

    """

    sizes: tuple[int, ...]
    labels_public: bool = True

    def __post_init__(self) -> None:
        if not self.sizes or min(self.sizes) < self._smallest:
            raise ParameterError(
                f"pooled statistics need groups of at least {self._smallest} rows, "
                f"got sizes {self.sizes}."
            )
        if self.freedom < 1:
            raise ParameterError(
                f"pooled statistics need more rows than groups, got {self.people} "
                f"rows in {self.count} groups."
            )

    @property
    def people(self) -> int:
        """Return the number of people ``n``."""
        return sum(self.sizes)

    @property
    def count(self) -> int:
        """Return the number of groups ``J``."""
        return len(self.sizes)

    @property
    def freedom(self) -> int:
        """Return the degrees of freedom ``n - J``, the divisor."""
        return self.people - self.count

    @property
    def fewest_people(self) -> int:
        """Return the fewest people that so many groups may have."""
        return max(self._smallest * self.count, self.count + 1)

    @property
    def possible(self) -> tuple[int, ...]:
        """Return the sizes of the table that can scatter most.

        With private labels everybody may be in one group, and no split scatters more:
        ``F(m) = m / 4`` for even m, ``m / 4 - 1 / (4 m)`` for odd m.
        """
        return self.sizes if self.labels_public else (self.people,)

    @property
    def largest_scatter(self) -> float:
        """Return the most that people with values in [0, 1] scatter within groups."""
        return sum(largest_scatter(size) for size in self.possible)

    def resized(self, people: int) -> Self:
        """Return as many groups with ``people`` altogether, in like proportions.

        Raises:
            ParameterError: If there are fewer than ``fewest_people``.

        >>> GroupSizes(sizes=(302, 698)).resized(10).sizes
        (4, 6)

        """
        if people < self.fewest_people:
            raise ParameterError(
                f"{self.count} groups need at least {self.fewest_people} rows, got {people}."
            )
        above = np.array(self.sizes) - self._smallest
        if not above.any():
            above += 1
        room = people - self._smallest * self.count
        # Whole numbers with the right sum: differences of rounded partial sums.
        ends = np.rint(np.cumsum(above) / above.sum() * room).astype(np.intp)
        sizes = np.diff(ends, prepend=0) + self._smallest
        return replace(self, sizes=tuple(sizes.tolist()))

    def check_relation(self, relation: NeighboringRelation) -> None:
        """Refuse a relation under which the sensitivity is not a public number.

        Raises:
            ParameterError: If so.

        """
        if relation is NeighboringRelation.SUBSTITUTION:
            return
        if not self.labels_public:
            raise ParameterError(
                "with private labels and rows added or removed, the sizes of the "
                "groups and the divisor are private; choose substitution, or make the "
                "labels public."
            )
        if self.freedom == 1:
            raise ParameterError("pooled statistics of n = J + 1 rows need all of them.")

    @property
    def _smallest(self) -> int:
        """Return the fewest people of a group; a public one scatters."""
        return 2 if self.labels_public else 0

    def check_table(self, counts: FloatArray) -> None:
        """Refuse a table whose groups have other sizes ``counts`` than are public.

        Raises:
            ParameterError: If so.

        """
        check_people(int(counts.sum()), TableSize(people=self.people, public=True))
        if self.labels_public and not np.array_equal(counts, self.sizes):
            raise ParameterError("the groups of the table do not have their public sizes.")
