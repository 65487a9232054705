"""Choosing epsilon by looking at the table, on made-up tables: the leak that it is.

Somebody releases a sum with Laplace noise and takes the largest epsilon at which nobody
in the table loses more than a limit ``x``. A person with pay ``p`` loses ``epsilon p /
c`` (``c`` is the upper bound), so that the choice is ``epsilon = x c / max p``: it says
the largest pay to everybody who hears it, before any answer, and without any noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dpcore.errors import ParameterError

COLLEAGUES: Final = (31_000, 34_500, 38_000, 41_000, 44_500, 52_000, 58_000, 63_000)
"""Made-up pay of those who are in the table in any case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What somebody chooses who looks, with one more person in the table or not.

    Attributes:
        inside: The epsilon chosen with the person.
        outside: The one chosen without.
        read: The pay that follows from ``inside`` and public numbers.

    """

    inside: float
    outside: float
    read: float

    @property
    def tells(self) -> bool:
        """Tell whether the choice alone says if the person is there."""
        return self.inside != self.outside


def chosen_by_looking(pays: Sequence[float], *, limit: float, bound: float) -> float:
    """Return the largest epsilon at which nobody loses more than ``limit``.

    Raises:
        ParameterError: A number is not positive, or a pay is above the bound.

    >>> chosen_by_looking([20_000, 50_000], limit=0.1, bound=100_000)
    0.2

    """
    if not (pays and min(*pays, limit, bound) > 0 and max(pays) <= bound):
        raise ParameterError(f"pays must be above 0 and at most {bound:,.0f}, the limit positive.")
    return limit * bound / max(pays)


def looked(pay: float, *, limit: float, bound: float) -> Looked:
    """Return what is chosen with and without a person of that pay."""
    inside = chosen_by_looking((*COLLEAGUES, pay), limit=limit, bound=bound)
    outside = chosen_by_looking(COLLEAGUES, limit=limit, bound=bound)
    return Looked(inside=inside, outside=outside, read=limit * bound / inside)
