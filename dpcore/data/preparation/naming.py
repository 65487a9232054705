"""What a table calls its people, where a column says whose rows are. CONFIDENTIAL."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpcore.data.cells import text_of
from dpcore.data.dataset import Dataset
from dpcore.data.preparation.capping import CappedDataset
from dpcore.data.preparation.filtering import FilteredDataset
from dpcore.data.preparation.people import PeopleDataset


def names_of(dataset: Dataset, people: NDArray[np.intp]) -> dict[str, list[str]]:
    """Return what some people are called, by the columns that say it. CONFIDENTIAL.

    ``people`` are their places from 0, as a question counts them: rows of the table, or
    persons where several rows of one count. Empty where no column says whose rows
    belong together.
    """
    if isinstance(dataset, CappedDataset):
        return dataset.names(people)
    made = dataset
    while isinstance(made, FilteredDataset):
        made = made.source
    if not isinstance(made, PeopleDataset):
        return {}
    # Whoever was made of several rows stands on the line of the first of them.
    lines = dataset.frame.index[people]
    said = made.source.frame.loc[lines, list(made.preparation.owners)]
    return {name: [*map(str, text_of(said[name]))] for name in said.columns}
