"""Sensitivities and bounds as Liu (2016) printed them, beside the exact ones.

None of them is used for a release. For add/remove they are too large in most tables,
which costs accuracy, and too small in one: where many small groups meet an added
person, which costs privacy (``pooled_sensitivities.adding_variance``).
"""

from __future__ import annotations

import math

from dpcore.statistics.groups import GroupSizes


def pooled_variance(groups: GroupSizes) -> float:
    """Return the published add/remove sensitivity, in units of the squared width.

    ``(1 - 1 / n_max) / (n - J)``, or ``(n - 1) / (n (n - 2))`` where all groups are
    pairs. It only considers a person who is removed.

    >>> from dpcore.statistics.groups import GroupSizes
    >>> from dpcore.statistics.pooled_sensitivities import adding_variance
    >>> pairs = GroupSizes(sizes=(2,) * 50)
    >>> round(pooled_variance(pairs), 10), round(adding_variance(pairs), 10)
    (0.0101020408, 0.0130718954)

    """
    n = groups.people
    if n == 2 * groups.count:
        return (n - 1) / (n * (n - 2))
    return (1 - 1 / max(groups.sizes)) / groups.freedom


def pooled_covariance(groups: GroupSizes) -> float:
    """Return the published add/remove sensitivity, in units of the area of the bounds.

    ``[1 + n / (4 (n - J - 1)) - 1 / sqrt(n - J - 1)] / (n - J)``: the largest over
    group sizes that need not be there, safe and too large.

    >>> from dpcore.statistics.groups import GroupSizes
    >>> from dpcore.statistics.pooled_sensitivities import removing_covariance
    >>> pairs = GroupSizes(sizes=(2,) * 50)
    >>> round(pooled_covariance(pairs), 10), round(removing_covariance(pairs), 10)
    (0.0273469388, 0.02)

    """
    rest = groups.freedom - 1
    return (1 + groups.people / (4 * rest) - 1 / math.sqrt(rest)) / groups.freedom


def largest_variance(people: int) -> float:
    """Return the published largest variance, in units of the squared width.

    ``n / (4 (n - 1))`` (Shiffler and Harsha 1980), tight for an even ``n`` only.

    >>> [round(largest_variance(n), 5) for n in (3, 5, 9)]
    [0.375, 0.3125, 0.28125]

    """
    return people / (4 * (people - 1))
