"""A keyed fingerprint by which a table is recognized without being kept."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from dpcore.arrays import in_blocks
from dpcore.data.cells import PLAIN, Notation, is_number, number_type
from dpcore.data.columns import Column
from dpcore.errors import ParameterError

if TYPE_CHECKING:
    import pandas as pd


_SHORTEST_KEY, _LONGEST_KEY = 16, 64
_EXACT = 2**53


def table_fingerprint(
    frame: pd.DataFrame, *, key: bytes, notations: Sequence[Notation] = ()
) -> str:
    """Return the keyed BLAKE2b hash of a table's column names, order and cells.

    Cells count as they are written, so that 1.0 and 1 are different in a text file. The
    index does not count. Without the key nobody can test whether a guessed table is the
    one in use.

    Args:
        frame: The cells (``dpcore.data.column_storage``).
        key: Secret, 16 to 64 bytes.
        notations: How the numbers of each column are written, if it is declared: the
            same text may be other numbers.

    Raises:
        ParameterError: The key has less than 16 or more than 64 bytes.

    """
    check_key(key)
    state = blake2b(key=key, digest_size=32)
    state.update(_numbers([*frame.shape]))
    for name in frame.columns:
        state.update(_texts([str(name)]))
        for part in _canonical(frame[name]):
            state.update(part)
    for place, notation in enumerate(notations):
        if notation != PLAIN:
            marks = [str(place), notation.decimal, notation.thousands]
            state.update(_texts(marks))
    return state.hexdigest()


def fingerprint_as_read(fingerprint: str, columns: Sequence[Column], *, key: bytes) -> str:
    """Return the fingerprint of what is made of a table whose columns are read so.

    That of the table where nothing unusual was declared about its cells.

    Raises:
        ParameterError: The key has less than 16 or more than 64 bytes.

    """
    check_key(key)
    read = [[one.name, *one.unusual_reading] for one in columns if one.unusual_reading]
    if not read:
        return fingerprint
    text = json.dumps([fingerprint, read])
    return blake2b(text.encode(), key=key, digest_size=32).hexdigest()


def check_key(key: bytes) -> None:
    """Refuse a key that is too short to keep a secret, or longer than BLAKE2b takes.

    Raises:
        ParameterError: The key has less than 16 or more than 64 bytes.

    """
    if not _SHORTEST_KEY <= len(key) <= _LONGEST_KEY:
        raise ParameterError(
            f"the key must have {_SHORTEST_KEY} to {_LONGEST_KEY} bytes, got {len(key)}."
        )


def _canonical(column: pd.Series) -> Iterator[bytes]:
    """Yield bytes that differ for any two different columns of equal length."""
    import pandas as pd  # noqa: PLC0415 - slow to import

    if is_number(column):
        held = number_type(column)
        pointed = isinstance(column.dtype, pd.ArrowDtype) and held.kind == "f"
        known = column.dropna() if held.kind in "iu" else column[:0]
        # Some integers may be too large for a float to tell them apart.
        if len(known) and max(-int(known.min()), int(known.max())) > _EXACT:
            yield b"integers"
            yield column.isna().to_numpy().tobytes()
            yield column.fillna(0).to_numpy(dtype=held.name).tobytes()
            return
        yield b"decimals" if pointed else b"number"
        for block in in_blocks(column.to_numpy(dtype=np.float64, na_value=np.nan)):
            # Adding zero turns -0.0 into 0.0.
            values = block.astype("<f8") + 0.0
            values[np.isnan(values)] = np.nan
            yield values.tobytes()
    else:
        yield b"text"
        codes, distinct = pd.factorize(column)
        yield _texts([str(value) for value in distinct])
        yield codes.astype("<i8").tobytes()


def _texts(texts: list[str]) -> bytes:
    # Lengths come first, so that no character can move from one text to the next.
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = [len(encoded), *map(len, encoded)]
    return _numbers(lengths) + b"".join(encoded)


def _numbers(numbers: list[int]) -> bytes:
    return np.array(numbers, dtype="<i8").tobytes()
