"""Recoded labels: several ways to write an answer become one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dpcore.data.cells import label_codes, text_of
from dpcore.data.columns import MAX_LABELS, Column, ColumnKind, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.data.preparation.conditions import named
from dpcore.errors import ParameterError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class Recode:
    """Which labels become which. PUBLIC.

    Attributes:
        labels: As they are written in the table.
        into: What they become.

    Raises:
        ParameterError: There is no label, or a blank one.

    """

    labels: tuple[str, ...]
    into: str

    def __post_init__(self) -> None:
        known = (*self.labels, self.into)
        if not self.labels or any(not one or one != one.strip() for one in known):
            raise ParameterError(
                "name the labels that are recoded and the one that they become, none of them blank."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Recoded:
    """A column in which some labels are recoded; all other cells stay.

    A label is met by a cell as the column declares: as written, or as a number. A
    missing code that is recoded becomes an answer.

    Attributes:
        column: Which column.
        recodes: What becomes what, each label once.

    Raises:
        ParameterError: A label is recoded twice, or there is none.

    >>> recode = Recode(labels=("Unknown", "-"), into="unknown")
    >>> Recoded(column="ward", recodes=(recode,)).name
    'ward with Unknown or "-" as unknown'

    """

    column: str
    recodes: tuple[Recode, ...]

    def __post_init__(self) -> None:
        every = [label for one in self.recodes for label in one.labels]
        if not every or len(set(every)) < len(every) or len(every) > MAX_LABELS:
            raise ParameterError(f"recode 1 to {MAX_LABELS} labels, each of them once.")

    @property
    def name(self) -> str:
        """Return what the column is called: the whole recipe."""
        told = "; ".join(
            f"{' or '.join(map(named, one.labels))} as {named(one.into)}" for one in self.recodes
        )
        return f"{named(self.column)} with {told}"

    def described(self, source: Dataset) -> Column:
        """Return the public description: the list of labels follows the recoding.

        Raises:
            ParameterError: The column has no labels, or two labels are recoded that
                denote the same cell.

        """
        old = source.column(self.column)
        if not old.kind.has_labels:
            raise ParameterError(f"{self.column!r} has no labels to recode; declare it a category.")
        # Refuses two that denote the same cell.
        kind = ColumnKind.CATEGORY
        Column(name=old.name, kind=kind, labels=self._from, equality=old.equality)
        labels = dict.fromkeys(self._becomes(old, label) for label in old.labels)
        if old.labels:
            labels |= dict.fromkeys(one.into for one in self.recodes)
        made = Column(
            name=self.name,
            kind=ColumnKind.CATEGORY,
            labels=tuple(labels),
            description=old.description,
            equality=old.equality,
            missing_codes=old.missing_codes,
            notation=old.notation,
        )
        if old.missing is not MissingPolicy.REPLACE:
            return made
        return replace(
            made,
            missing=old.missing,
            replacement=self._becomes(old, str(old.replacement)),
            complete=old.complete,
        )

    def made(self, source: Dataset) -> pd.Series:
        """Return the cells. CONFIDENTIAL.

        Raises:
            ParameterError: There is no such column.

        """
        old = source.column(self.column)
        cells: pd.Series = source.frame[self.column]
        texts = text_of(cells)
        for labels, becomes in (
            # Listed answers first, in the spelling of the list.
            (old.labels, old.labels),
            (self._from, self._into),
        ):
            codes = label_codes(
                cells, labels, numeric=old.compares_numbers, any_case=old.kind is ColumnKind.YES_NO
            )
            met = (codes >= 0) & (codes < len(labels))
            written = np.array([*becomes, ""], dtype=object)[np.where(met, codes, -1)]
            texts = texts.mask(met, written)
        return texts.astype("str").where(cells.notna())

    @property
    def _from(self) -> tuple[str, ...]:
        return tuple(label for one in self.recodes for label in one.labels)

    @property
    def _into(self) -> tuple[str, ...]:
        return tuple(one.into for one in self.recodes for _ in one.labels)

    def _becomes(self, old: Column, label: str) -> str:
        """Return what a label of the list becomes."""
        import pandas as pd  # noqa: PLC0415 - slow to import

        (code,) = label_codes(
            pd.Series([label], dtype="str"),
            self._from,
            numeric=old.compares_numbers,
            any_case=old.kind is ColumnKind.YES_NO,
        )
        return self._into[code] if code < len(self._from) else label
