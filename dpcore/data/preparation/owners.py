"""Whose rows they are, where one person has several. CONFIDENTIAL."""

from __future__ import annotations

import json
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from dpcore.data.dataset import Dataset
from dpcore.data.fingerprints import fingerprint_as_read
from dpcore.data.preparation.recipes import Ownerless
from dpcore.data.units import NOBODY, identities


def persons(source: Dataset, owners: tuple[str, ...], ownerless: Ownerless) -> NDArray[np.intp]:
    """Return each row's person, from 0 in the order of the table; -1 for nobody.

    Raises:
        ParameterError: The table lacks a column.

    """
    from pandas import factorize  # noqa: PLC0415 - slow to import

    codes = np.zeros(len(source.frame), dtype=np.intp)
    alone = np.zeros(len(codes), dtype=np.bool_)
    for name in owners:
        part = identities(source, name)
        alone |= part == NOBODY
        # Numbered anew each time, so that products stay small.
        codes = factorize(codes * (part.max(initial=0) + 2) + part)[0].astype(np.intp)
    if ownerless is Ownerless.ALONE:
        codes[alone] = len(codes) + np.arange(int(alone.sum()))
        return factorize(codes)[0].astype(np.intp)
    people = np.full(len(codes), NOBODY, dtype=np.intp)
    people[~alone] = factorize(codes[~alone])[0]
    return people


def fingerprint_of_people(
    source: Dataset, owners: tuple[str, ...], ownerless: Ownerless, *, key: bytes
) -> str:
    """Return the keyed hash of a table, and of whose rows its rows are.

    Not of what is made of the rows: whatever is asked about these people is paid by the
    same account. Rows put together otherwise are other people, and pay on another.

    Raises:
        ParameterError: The key has less than 16 or more than 64 bytes.

    """
    whose = [*owners], ownerless.name
    of = fingerprint_as_read(source.fingerprint(key), source.columns, key=key)
    text = json.dumps([of, *whose])
    return blake2b(text.encode(), key=key, digest_size=32).hexdigest()
