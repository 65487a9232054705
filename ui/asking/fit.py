"""How a declaration fits the table: what only the curator may see of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import streamlit as st

from dpcore.data.columns import Column
from dpcore.data.dataset import Dataset
from dpcore.data.partitions.table import Table
from dpcore.formatting import percent
from ui import confidential, partwise, session
from ui.text import literal


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fit:
    """How a declaration fits some rows. CONFIDENTIAL.

    Attributes:
        missing: Number of rows without a value.
        outside: Number of values outside the bounds or the list.
        below: Number of values below the bounds.
        above: Number of values above the bounds.
        least: The least number; infinite where there is none.
        most: The largest number.

    """

    missing: int = field(default=0, repr=False)
    invalid: int = field(default=0, repr=False)
    outside: int = field(default=0, repr=False)
    below: int = field(default=0, repr=False)
    above: int = field(default=0, repr=False)
    least: float = field(default=math.inf, repr=False)
    most: float = field(default=-math.inf, repr=False)

    @classmethod
    def of(cls, name: str, part: Dataset) -> _Fit:
        """Return how the declaration of a column fits a part of a table."""
        column = part.column(name)
        absent = {"missing": int(part.missing(name).sum()), "invalid": part.invalid(name)}
        if not column.is_declared:
            return cls(**absent)
        if not column.kind.is_numeric:
            return cls(**absent, outside=part.outside(name))
        below, above = part.beyond(name)
        values = part.numbers(name)
        values = values[~np.isnan(values)]
        return cls(
            **absent,
            outside=below + above,
            below=below,
            above=above,
            least=float(values.min(initial=math.inf)),
            most=float(values.max(initial=-math.inf)),
        )

    @classmethod
    def together(cls, table: Table, name: str) -> _Fit:
        """Return how the declaration of a column fits a whole table."""
        parts = [*table.each(partial(cls.of, name), [name])]
        return cls(
            missing=sum(part.missing for part in parts),
            invalid=sum(part.invalid for part in parts),
            outside=sum(part.outside for part in parts),
            below=sum(part.below for part in parts),
            above=sum(part.above for part in parts),
            least=min(part.least for part in parts),
            most=max(part.most for part in parts),
        )

    def touches(self, column: Column) -> bool:
        """Return whether the bounds are exactly the least and the largest number."""
        bounds = column.bounds
        return bounds is not None and (self.least, self.most) == (bounds.lower, bounds.upper)


def check(dataset: Table, position: int, *, codebook: bool, key: str = "fit") -> None:
    """Show the curator how the declaration fits the table. CONFIDENTIAL.

    With a published ``codebook`` nobody suspects that bounds were looked up.
    """
    column = dataset.columns[position]
    # A private draft stays closed even where another table is in Classroom mode.
    ready = codebook or session.draft() is None
    what = f"how {'these bounds fit' if column.kind.is_numeric else 'this list fits'} the data"
    confidential.area(key, what, partial(_tell, dataset, column, codebook=codebook), ready=ready)


def _tell(dataset: Table, column: Column, *, codebook: bool) -> None:
    of_number = column.kind.is_numeric

    def many(count: int) -> str:
        """Say how many: a row of a draft need not have a name yet."""
        return f"{count:,} {'row' if count == 1 else 'rows'}"

    fits = partwise.found(
        "fit",
        f"{session.generation()} {column}",
        dataset,
        lambda table: _Fit.together(table, column.name),
        doing="Checking how it fits",
    )
    if fits is None:
        return
    outside = fits.outside
    st.markdown(f"{many(fits.missing)} with a missing value.")
    if fits.invalid:
        st.markdown(
            f"Of these, {fits.invalid:,} have a cell that is not of the type "
            f"{column.kind}. Invalid cells are treated as missing."
        )
    if not column.is_declared:
        st.markdown("Declare the public bounds or categories to see how they fit.")
        return
    rows = max(dataset.rows, 1)
    share = outside / rows
    where = "bounds" if of_number else "list"
    st.markdown(f"{many(outside)} outside the {where} ({percent(share)}).")
    if not of_number and outside and isinstance(dataset, Dataset):
        found = dataset.outside_labels(column.name)
        listed = ", ".join(f"{label} ({count:,})" for label, count in found)
        st.markdown(f"Values outside the list: {literal(listed)}.")
    if of_number and outside:
        more = (
            " Release shows the effect on a result before it is released."
            if isinstance(dataset, Dataset)
            else " Each is clamped to the bound, including codes such as -9."
        )
        st.markdown(
            f"{many(fits.below)} below the lower bound ({percent(fits.below / rows)}), "
            f"{many(fits.above)} above the upper one ({percent(fits.above / rows)}).{more}"
        )
    if of_number and share > 0.05:  # noqa: PLR2004
        st.warning(
            "Clamping moves more than one in twenty rows. The release will be "
            "biased; wider bounds cost noise instead."
        )
    known = column.found_epsilon is None
    if of_number and known and not codebook and fits.touches(column):
        st.warning(
            "These bounds are exactly the smallest and largest value of the table. "
            "If they were looked up there, they reveal those two rows: choose "
            "bounds that you would know without the table."
        )
