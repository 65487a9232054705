"""The most that one person changes a pooled variance or covariance, per unit of bounds.

In units of the squared width of the bounds, or of their area for two columns. Who keeps
the group, who leaves and who joins change it by different amounts.
"""

from __future__ import annotations

from dpcore.statistics.groups import GroupSizes
from dpcore.statistics.scatter import largest_scatter


def staying(groups: GroupSizes) -> float:
    """Return the most that a record that keeps its group changes the pooled variance.

    In units of the squared width: ``(1 - 1 / n_max) / (n - J)``. It is that of the
    pooled covariance too, since the products that a record can make differ by at most
    the area of the bounds.
    """
    return (1 - 1 / max(groups.possible)) / groups.freedom


def removing_variance(groups: GroupSizes) -> float:
    """Return the most that removing a person changes the pooled variance.

    ``(1 - 1 / n_max) / (n - J)``: the change is ``[q - S' / (n - J - 1)] / (n - J)``
    with ``q <= 1 - 1 / n_max`` the person's part and ``S'`` the others' scatter, which
    in groups of 2 or more is at most half of ``n - J - 1``, and no more than ``q``.
    """
    return staying(groups)


def adding_variance(groups: GroupSizes) -> float:
    """Return the most that adding a person changes the pooled variance.

    ``max{M / (M + 1), sum F(n_j) / (n - J)} / (n - J + 1)`` with ``M = n_max``. For
    many small groups it exceeds what removal changes.
    """
    largest = max(groups.sizes)
    fall = groups.largest_scatter / groups.freedom
    return max(largest / (largest + 1), fall) / (groups.freedom + 1)


def removing_covariance(groups: GroupSizes) -> float:
    """Return the most that removing a person changes the pooled covariance.

    ``max_j [1 - 1 / n_j + sum_{i != j} F(n_i) / (n - J - 1)] / (n - J)``: the person's
    product and the other groups' sum of products may have opposite signs.
    """
    whole, freedom = groups.largest_scatter, groups.freedom
    return (
        max(1 - 1 / n + (whole - largest_scatter(n)) / (freedom - 1) for n in set(groups.sizes))
        / freedom
    )


def adding_covariance(groups: GroupSizes) -> float:
    """Return the most that adding a person changes the pooled covariance.

    ``max_j [n_j / (n_j + 1) + sum_{i != j} F(n_i) / (n - J)] / (n - J + 1)``.
    """
    whole, freedom = groups.largest_scatter, groups.freedom
    return max(n / (n + 1) + (whole - largest_scatter(n)) / freedom for n in set(groups.sizes)) / (
        freedom + 1
    )
