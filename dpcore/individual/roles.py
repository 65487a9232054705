"""Who somebody is, without a value: "the person with the highest pay". CONFIDENTIAL.

A picture or a list that is shown to others should not say a value that names a person.
A rank says why somebody stands out; it is confidential all the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from dpcore.arrays import FloatArray

_NEAR_THE_END: Final = 10
_SHARE: Final = 0.1
_FROM_THE_TOP: Final = "highest"
_FROM_BELOW: Final = "lowest"


def role(columns: Mapping[str, FloatArray], row: int) -> str:
    """Return who somebody is by their rank in the column where they stand out most.

    ``columns`` has everybody's numbers by name, NaN where there is none.

    >>> pay = np.array([3.0, 9.0, 5.0, 9.0, 4.0])
    >>> role({"pay": pay}, 0), role({"pay": pay}, 1)
    ('the person with the lowest pay', 'one of those with the highest pay')
    >>> role({}, 0)
    'somebody who stands out by no number'
    """
    found: tuple[int, str] | None = None
    for name, values in columns.items():
        rank = _rank(values, row, name)
        if rank is not None and (found is None or rank[0] < found[0]):
            found = rank
    return "somebody who stands out by no number" if found is None else found[1]


def _rank(values: FloatArray, row: int, name: str) -> tuple[int, str] | None:
    """Return how many lie farther out, and that in words."""
    own = values[row]
    if np.isnan(own):
        return None
    above = int(np.count_nonzero(values > own))
    below = int(np.count_nonzero(values < own))
    alike = int(np.count_nonzero(values == own))
    beyond, end = min((above, _FROM_THE_TOP), (below, _FROM_BELOW))
    if above + below == 0:
        return None
    if beyond < _NEAR_THE_END:
        who = "the person" if alike == 1 else "one of those"
        return beyond, f"{who} with the {_ordinal(beyond + 1)}{end} {name}"
    if beyond < _SHARE * (above + below + alike):
        return beyond, f"somebody of the tenth with the {end} {name}"
    return beyond, f"somebody with a {name} that is not far out"


def _ordinal(place: int) -> str:
    if place == 1:
        return ""
    return {2: "2nd ", 3: "3rd "}.get(place, f"{place}th ")
