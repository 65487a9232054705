"""A table together with everything that was publicly declared about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpcore.data.columns import MissingPolicy
from dpcore.relations import NeighboringRelation, TableSize

if TYPE_CHECKING:
    from dpcore.data.columns import Column
    from dpcore.data.dataset import Dataset
    from ui.terms import Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """The table in use and the public facts declared about it.

    Attributes:
        dataset: CONFIDENTIAL.
        fingerprint: Keyed fingerprint of the table: the name of its ledger account.
        terms: Whom the study protects against what, and what it may cost.
        example: Key of the built-in example, or ``None`` for an upload.

    """

    dataset: Dataset
    fingerprint: str
    terms: Terms
    example: str | None

    def size(self, *columns: Column) -> TableSize:
        """Return what is public about the number of people behind ``columns``.

        The number is public where nobody can join, leave or be dropped.
        """
        fixed = self.terms.relation is NeighboringRelation.SUBSTITUTION
        if fixed and all(c.missing is MissingPolicy.REPLACE for c in columns):
            return TableSize(people=self.dataset.people, public=True)
        return TableSize(people=self.terms.minimum_people, public=False)
