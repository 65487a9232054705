"""The folder whose tables are opened where they lie, as the administrator names it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, NamedTuple

from dpcore.errors import DataError

VARIABLE: Final = "EPSILON_STUDIO_TABLES"
_SUFFIX: Final = ".parquet"
_NOT_THERE: Final = (
    "there is no table of this name in the folder of large tables. Choose one that is listed."
)


class Stamp(NamedTuple):
    """What changes when a file is written to, replaced or moved."""

    inode: int
    size: int
    written: int
    changed: int

    @classmethod
    def of(cls, path: Path) -> Stamp:
        """Return the stamp of a file as it is now; raises OSError if it is gone."""
        facts = path.stat()
        return cls(facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)


def tables_folder() -> Path | None:
    """Return ``$EPSILON_STUDIO_TABLES``; ``None`` where it is not set."""
    chosen = os.environ.get(VARIABLE)
    return Path(chosen) if chosen else None


def tables(folder: Path) -> tuple[str, ...]:
    """Return the names of the tables in a folder, in alphabetical order.

    A table is a Parquet file, or a folder with some: then they are its parts, in the
    order of their names. What begins with a dot or an underscore, or leads out of the
    folder by a link, is none.

    Raises:
        DataError: The folder cannot be read.

    """
    root = _root(folder)
    return tuple(sorted(path.name for path in _entries(root) if _files(root, path)))


def files_of(folder: Path, name: str) -> tuple[Path, ...]:
    """Return the files of a table, in the order of their names.

    Raises:
        DataError: There is no such table, or the folder cannot be read.

    """
    root = _root(folder)
    # The name is compared with those that are there, and never made part of a path.
    for path in _entries(root):
        if path.name == name:
            found = _files(root, path)
            if found:
                return found
    raise DataError(_NOT_THERE)


def _root(folder: Path) -> Path:
    try:
        return folder.resolve(strict=True)
    except OSError:
        raise _unreadable() from None


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.name[0] not in "._")
    except OSError:
        raise _unreadable() from None


def _files(root: Path, path: Path) -> tuple[Path, ...]:
    if not _lies_in(root, path):
        return ()
    inside = _entries(path) if path.is_dir() else [path]
    return tuple(
        each
        for each in inside
        if each.suffix.lower() == _SUFFIX and _lies_in(root, each) and each.is_file()
    )


def _lies_in(root: Path, path: Path) -> bool:
    try:
        return path.resolve(strict=True).is_relative_to(root)
    except (OSError, RuntimeError):  # until Python 3.13 a circle of links is the latter
        return False


def _unreadable() -> DataError:
    message = (
        f"the folder of large tables cannot be read. Ask whoever runs this program "
        f"whether {VARIABLE} names it, and may be read."
    )
    return DataError(message)
