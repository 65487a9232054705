"""The same question asked of every group of people, in public terms only.

Nothing is public about the size of a group. Counts and sums of groups need none. What
divides by the number of people is not released as such: the counts and sums are from
which it follows, for groups of every size (``GroupMoments``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.data.dataset import Dataset
from dpcore.errors import ParameterError
from dpcore.relations import TableSize
from dpcore.statistics.base import Statistic
from dpcore.statistics.conditions import divided, said_once, ungrouped
from dpcore.statistics.entries import check_group, group_codes, name_of_others
from dpcore.statistics.group_sums import Grouped, GroupMoments, count_names
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.of_groups import OfGroups
from dpcore.statistics.parameters import COLUMN
from dpcore.statistics.sums_and_means import Sum
from dpcore.statistics.user_level import of_people

ANY_SIZE: Final = TableSize(people=100, public=False)
"""The size of the part of a grouped question: private, and its number is not used.

Counts and sums of groups have always named a number that they did not need, most often
this one; with it the same question still has the answer that was given then.
"""
_UNIT: Final = Interval(lower=0.0, upper=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupedQuery(OfGroups):
    """A statistic of one column for each label of another, and for all other people.

    Attributes:
        part: The question asked of each group, of ``ANY_SIZE``.
        group: The column of a public list of labels that makes the groups.

    """

    def __post_init__(self) -> None:
        if not self.part.kind.by_group:
            raise ParameterError(
                f"{self.part.kind} cannot be asked by group; choose a statistic that "
                "is one number, such as a mean."
            )
        check_group(self.group)
        if self.part.size.public:
            raise ParameterError("the sizes of groups are private: nothing is public about them.")
        # Builds the statistic once, so that its own demands are met from here on.
        _ = self.sensitivity

    @property
    def kind(self) -> StatisticKind:
        """Return which statistic each group has."""
        return self.part.kind

    @property
    def moments(self) -> GroupMoments | None:
        """Return the counts and sums that a ratio follows from; None for the others."""
        if not self.kind.of_ratios:
            return None
        shares = self.kind is StatisticKind.PROPORTION
        return GroupMoments(
            labels_of_groups=self.group.labels,
            bounds=(None if shares else self.column.bounds) or _UNIT,
            degree=1 if shares or self.kind is StatisticKind.MEAN else 2,
        )

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the name of each group; the last is that of all others."""
        return (*self.group.labels, name_of_others(self.group.labels))

    @property
    def statistic(self) -> Statistic:
        """Return the statistic of all groups together."""
        if self.unit.cap is not None:
            return of_people(self._of_rows, self.unit.cap)
        return self._of_rows

    @property
    def _of_rows(self) -> Statistic:
        if self.moments is not None:
            return self.moments
        part = self.part.of_rows
        if not isinstance(part, Sum):
            raise ParameterError(f"a {self.part.kind} cannot be asked by group.")
        return Grouped.alike(labels_of_groups=self.group.labels, part=part)

    @property
    def title(self) -> str:
        """Return the question in words, such as "mean of age by region"."""
        return " by ".join(said_once(self.part.title, self.group.title))

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return what becomes of values and groups before they are counted."""
        size = divided(self.kind, self.size, self.unit)
        kept = (said for said in self.part.conditions if said not in size)
        return (*kept, *ungrouped(self.group))

    @property
    def unit_text(self) -> str:
        """Return the unit of the answer, empty where it has none."""
        return self.part.unit_text

    @property
    def is_whole(self) -> bool:
        """Return whether the answers are whole numbers, such as counts."""
        return self.part.is_whole

    @property
    def units(self) -> dict[str, str]:
        """Return the units of the counts that ratios come with, by name."""
        if self.moments is None:
            return {}
        names = count_names(self.groups, self.unit.counted)
        return dict.fromkeys(names.values(), self.unit.counted)

    def rows(self, dataset: Dataset) -> NDArray[np.intp]:
        """Return the row, from 0, of each entry of ``values``. CONFIDENTIAL."""
        return self.part.rows(dataset)

    def values(self, dataset: Dataset) -> FloatArray:
        """Return each person's number and code of the group, (n, 2). CONFIDENTIAL.

        Where several rows of a person count, all of those of a person in one line
        (``rows_of_people.packed``). People without a label, or with one that is not on
        the public list, belong to the last group.

        Raises:
            DataError: If a column cannot be read as declared.
            ParameterError: If the data set declares a column otherwise.

        """
        codes = group_codes(dataset, self.group, self.part.counted_rows(dataset))
        both = np.column_stack([self.part.row_values(dataset), codes])
        return self.part.of_owners(both, dataset)

    def parameters(self) -> dict[str, Any]:
        """Return all that defines the analysis, ready for JSON.

        Ratios of groups once had a public minimum of people; they name no size now, and
        the degree of their sums instead, so that the two are never the same analysis.
        """
        parameters = self.part.parameters() | {"group": COLUMN.write(self.group)}
        if self.moments is not None:
            del parameters["size"]
            parameters["moments"] = self.moments.degree
        return parameters
