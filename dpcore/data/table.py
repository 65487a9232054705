"""What holds the rows of a table: memory, or files of which a part at a time is read.

Both describe their columns alike, and a question has the same value of either.
"""

from typing import TypeVar

from dpcore.data.dataset import Dataset
from dpcore.data.partitions.table import PartitionedDataset
from dpcore.errors import InPartsError

Table = Dataset | PartitionedDataset
TableT = TypeVar("TableT", bound=Table)
"""A table that is of the same kind before and after."""


def in_memory(table: Table, what: str) -> Dataset:
    """Return a table all of whose rows are in memory.

    Raises:
        InPartsError: It lies in parts; says that ``what`` is not computed of it.

    """
    if isinstance(table, Dataset):
        return table
    raise InPartsError(
        f"{what} is not computed of a table that stays in its files. Upload a sample "
        "of its rows as a file for it."
    )
