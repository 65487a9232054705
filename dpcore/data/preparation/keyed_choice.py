"""Which rows of a person stay: chosen by a key, and by that person's rows alone."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.cells import is_number, number, text_of
from dpcore.errors import ParameterError

if TYPE_CHECKING:
    import pandas as pd


_SHORTEST_KEY, _LONGEST_KEY = 16, 64
_PURPOSE: Final = b"rows that stay"
_WIDTH: Final = 16
_EXACT: Final = 2.0**53
"""From here on floats do not tell all integers apart."""


def chosen(
    frame: pd.DataFrame, person: NDArray[np.intp], most: int, *, key: bytes
) -> NDArray[np.intp]:
    """Return the places of the rows that stay, ascending: at most so many a person.

    The rows of a person are put in the order of a keyed hash of what they say, and the
    first ``most`` stay. Of equal rows each is hashed with its number among them, so
    that every row has the same chance. The choice

    * looks at the rows of that person alone: whoever else joins, leaves or changes,
      this person's rows that stay are the same;
    * does not depend on the order of the table, nor on the day: the same rows have the
      same choice next quarter;
    * cannot be foreseen without the key, so that nobody can write rows that stay.

    ``frame`` says what the rows say; ``person`` is whose each row is, shape ``(n,)``,
    negative for a row that is left out.

    Raises:
        ParameterError: Fewer rows than one are to stay, or the key has less than 16 or
            more than 64 bytes.

    """
    if most < 1:
        raise ParameterError(f"at least one row of each person has to stay, got {most}.")
    if not _SHORTEST_KEY <= len(key) <= _LONGEST_KEY:
        raise ParameterError(
            f"the key must have {_SHORTEST_KEY} to {_LONGEST_KEY} bytes, got {len(key)}."
        )
    owned = np.bincount(person[person >= 0])
    stays = person >= 0
    # Only who owns more is chosen from: the others keep all.
    many = np.flatnonzero(stays)
    many = many[owned[person[many]] > most]
    if len(many):
        order = many[np.lexsort((_lots(frame.iloc[many], key), person[many]))]
        mine = person[order]
        starts = np.flatnonzero(np.append(True, mine[1:] != mine[:-1]))
        lengths = np.diff(np.append(starts, len(mine)))
        place = np.arange(len(mine)) - np.repeat(starts, lengths)
        stays[order[place >= most]] = False
    return np.flatnonzero(stays)


def _lots(rows: pd.DataFrame, key: bytes) -> NDArray[np.uint64]:
    """Return the lot of each row: a keyed hash of it and its number among its equals.

    Rows of two people differ, because the columns that say whose they are do.
    """
    said = np.hstack([_bytes(rows[name]) for name in rows])
    own = blake2b(_PURPOSE, key=key, digest_size=32).digest()
    number = np.zeros(len(said), dtype="<i8")
    lots = _hashed(said, number, own)
    # Equal rows have equal hashes: those after the first get their number.
    order = np.argsort(lots, kind="stable")
    grouped = lots[order]
    starts = np.flatnonzero(np.append(True, grouped[1:] != grouped[:-1]))
    lengths = np.diff(np.append(starts, len(order)))
    number[order] = np.arange(len(order)) - np.repeat(starts, lengths)
    again = np.flatnonzero(number)
    lots[again] = _hashed(said[again], number[again], own)
    return lots


def _hashed(said: NDArray[np.uint8], number: NDArray[np.int64], key: bytes) -> NDArray[np.uint64]:
    lines = np.hstack([said, number[:, np.newaxis].view(np.uint8)])
    width, content = lines.shape[1], lines.tobytes()
    start = blake2b(key=key, digest_size=8)
    drawn = bytearray()
    for place in range(0, len(content), width):
        state = start.copy()
        state.update(content[place : place + width])
        drawn += state.digest()
    return np.frombuffer(drawn, dtype="<u8")


def _bytes(cells: pd.Series) -> NDArray[np.uint8]:
    """Return what each cell says, shape ``(n, 16)``, whatever other cells there are.

    A cell that is written as its number is that number, held in a column of numbers or
    not; all others are a hash of their text.
    """
    if not is_number(cells):
        import pandas as pd  # noqa: PLC0415 - slow to import

        codes, distinct = pd.factorize(cells)
        # The last one is what a missing value, -1, picks.
        table = [*map(_of_text, map(str, distinct)), bytes(_WIDTH)]
        return np.frombuffer(b"".join(table), dtype=np.uint8).reshape(-1, _WIDTH)[codes]
    numbers = cells.to_numpy(dtype=np.float64, na_value=np.nan)
    found = _of_numbers(numbers)
    large = np.flatnonzero(np.abs(numbers) >= _EXACT)
    for place, text in zip(large, text_of(cells.iloc[large]), strict=True):
        found[place] = np.frombuffer(_of_text(text), dtype=np.uint8)
    found[np.isnan(numbers)] = 0
    return found


def _of_numbers(numbers: FloatArray) -> NDArray[np.uint8]:
    # Adding zero turns -0.0 into 0.0; the second half tells a number from no cell.
    halves = np.stack([numbers + 0.0, np.ones_like(numbers)], axis=1)
    return halves.astype("<f8").view(np.uint8).reshape(-1, _WIDTH)


def _of_text(text: str) -> bytes:
    """Return what text says: a number where it is written as that number would be."""
    value = number(text)
    if abs(value) < _EXACT and text in {f"{value:.0f}", repr(value)}:
        return _of_numbers(np.array([value])).tobytes()
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_WIDTH).digest()
