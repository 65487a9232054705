"""Opening a table where it lies."""

from __future__ import annotations

from pathlib import Path

from dpcore.data.partitions.folder import Stamp, files_of
from dpcore.data.partitions.parquet import columns_of, parts_of
from dpcore.data.partitions.table import PartitionedDataset
from dpcore.errors import DataError


def open_table(folder: Path, name: str) -> PartitionedDataset:
    """Return a table of the folder without loading it: footers of its files are read.

    Kinds of columns are proposed from the types in the files, never from values; bounds
    and labels are to be declared by ``with_columns``.

    Raises:
        DataError: There is no such table, a file is damaged, the files have other
            columns than the first, or there are no rows.

    """
    paths = files_of(folder, name)
    try:
        stamps = tuple((path, Stamp.of(path)) for path in paths)
    except OSError:
        raise DataError(
            "a file of the table was deleted while it was opened. Open it anew."
        ) from None
    opened = [parts_of(path) for path in paths]
    schema = opened[0][0]
    for path, (other, _) in zip(paths, opened, strict=True):
        if not other.equals(schema):
            raise DataError(
                f"file {path.name} has other columns, or columns of other types, than "
                f"{paths[0].name}. Have both written alike."
            )
    parts = tuple(part for _, each in opened for part in each if part.rows)
    if not parts:
        raise DataError("the table has columns and no rows.")
    return PartitionedDataset(
        name=name, folder=folder, columns=columns_of(schema), parts=parts, stamps=stamps
    )
