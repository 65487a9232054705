"""What all recipes of new columns share: cells of labels, and who is left out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.data.columns import Column, MissingPolicy
from dpcore.data.dataset import Dataset

if TYPE_CHECKING:
    import pandas as pd


def left_out(made: Column, *sources: Column) -> Column:
    """Return a new column that leaves out whoever one that it is made of does."""
    dropped = any(one.is_declared and one.missing is MissingPolicy.DROP for one in sources)
    if not dropped:
        return made
    return replace(made, missing=MissingPolicy.DROP, replacement=None)


def label_cells(
    codes: NDArray[np.intp], missing: NDArray[np.bool_], labels: tuple[str, ...], source: Dataset
) -> pd.Series:
    """Return the label of each row as a cell, by its position among the labels."""
    from pandas import Categorical, Index, Series  # noqa: PLC0415 - slow to import

    places = np.where(missing, -1, codes).tolist()
    known = Categorical.from_codes(places, Index(labels))
    return Series(known, index=source.frame.index).astype("str")
