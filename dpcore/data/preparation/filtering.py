"""Some of the rows of a table, as a table like any other. CONFIDENTIAL."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpcore.data.dataset import Dataset
from dpcore.data.fingerprints import fingerprint_as_read
from dpcore.data.preparation.conditions import Condition
from dpcore.errors import DataError, ParameterError

_WHERE = " where "


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FilteredDataset(Dataset):
    """The rows of a table that meet public conditions. CONFIDENTIAL.

    How many they are is private whatever is public about the table: a replaced record
    may meet the conditions where the old one did not. So its neighbors are those in
    which one person was added or removed; in the table that was read that is one
    person added or removed, too, or nothing.

    The names of its columns say the conditions. So a question about one, the record of
    its answer and every paper about it do.

    Attributes:
        source: The table that the rows are of.
        conditions: What all of them meet, at least one.

    """

    source: Dataset
    conditions: tuple[Condition, ...]

    @property
    def number_is_private(self) -> bool:
        """Return whether the number of rows is private under every relation."""
        return True

    @property
    def ending(self) -> str:
        """Return the conditions, and what names ended with before."""
        return self.source.ending + ending_of(self.conditions)

    @property
    def header(self) -> tuple[str, ...]:
        """Return the names of the columns of the file."""
        return self.source.header

    def undone(self) -> Dataset:
        """Return the table that the rows are of, with what was declared of them."""
        pairs = zip(self.columns, self.source.columns, strict=True)
        return self.source.with_columns(
            *(
                replace(declared, name=before.name, display_name=before.display_name)
                for declared, before in pairs
            )
        )

    def fingerprint(self, key: bytes) -> str:
        """Return that of the whole table: the same people pay on the same account.

        Raises:
            ParameterError: The key has less than 16 or more than 64 bytes.

        """
        of = self.source.fingerprint(key)
        return fingerprint_as_read(of, self.source.columns, key=key)


def meeting(source: Dataset, conditions: tuple[Condition, ...]) -> FilteredDataset:
    """Return the rows that meet all conditions; what is declared of them stays.

    Raises:
        DataError: No row meets them.
        ParameterError: No condition, an unknown column, or a column whose name could be
            taken for one with a condition.

    """
    if not conditions:
        raise ParameterError("name at least one condition.")
    check_names(source)
    rows = met_by(source, conditions)
    if not rows.any():
        raise DataError("no row meets the conditions. Check how they are written.")
    ending = ending_of(conditions)
    names = {column.name: f"{column.name}{ending}" for column in source.columns}
    return FilteredDataset(
        name=source.name,
        frame=source.frame.loc[rows].rename(columns=names),
        columns=tuple(
            # Another column, which nobody has named yet.
            replace(column, name=names[column.name], display_name="")
            for column in source.columns
        ),
        source=source,
        conditions=conditions,
    )


def ending_of(conditions: tuple[Condition, ...]) -> str:
    """Return what conditions add to the name of a column, in whatever order."""
    texts = sorted({one.text for one in conditions})
    return f"{_WHERE}{' and '.join(texts)}" * bool(texts)


def check_names(source: Dataset) -> None:
    """Refuse a column that could be taken for one with a condition.

    Raises:
        ParameterError: There is one.

    """
    if any(_WHERE in column.name for column in source.columns):
        raise ParameterError(
            f"a column has “{_WHERE.strip()}” in its name, which is how conditions are "
            "named. Rename it in the file."
        )


def met_by(source: Dataset, conditions: tuple[Condition, ...]) -> NDArray[np.bool_]:
    """Return which rows meet all of at least one conditions, shape ``(n,)``.

    Raises:
        ParameterError: There is no such column.

    """
    met = np.ones(source.rows, dtype=np.bool_)
    for one in conditions:
        met &= one.met(source)
    return met
