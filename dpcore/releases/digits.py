"""Released numbers with no more digits than is known of them: one rule everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from dpcore.analyses.reading import is_model, shape_of
from dpcore.data.columns import ColumnKind
from dpcore.data.quantities import COUNTS, SUMS, Quantity
from dpcore.formatting import epsilon_text, significant
from dpcore.mechanisms.catalog import EXPONENTIAL
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost, plain
from dpcore.releases.record import Release
from dpcore.statistics.kinds import StatisticKind

_WITHOUT: Final = 4
"""Digits of a number of which nobody can say how far off it is."""
_RANKED: Final = 3
"""Digits of a number that is off by places, and by how much is not public."""
_NUMBER: Final = Quantity()
_COUNT: Final = Quantity(whole=True)


def number_text(release: Release, label: str, value: float) -> str:
    """Return a number of a release as its interval, or its noise, leaves it.

    An interval from the noise comes before one with sampling, and both before the scale
    of the noise. Whole numbers below a million keep their digits where none is known.
    """
    quantity = quantity_in(release, label)
    known = release.noise_ends.get(label) or release.total_ends.get(label)
    if known:
        return quantity.measured(value, reach(known, value))
    if release.mechanism == EXPONENTIAL.key:
        return quantity.about(value, _RANKED)
    if label in release.labels and noise_unit(release) == quantity.of_differences:
        return quantity.measured(value, release.noise)
    return quantity.about(value, _WITHOUT)


def interval_text(release: Release, label: str, value: float) -> tuple[str, str] | None:
    """Return the ends of the interval from the noise; ``None`` where it is not known.

    With as many digits as ``number_text`` writes.
    """
    ends = release.noise_ends.get(label)
    return None if ends is None else ends_text(ends, value, quantity_in(release, label))


def reach(ends: tuple[float, float], value: float) -> float:
    """Return how far off a number may be, which says how many digits it has.

    The farther end, and at least half of the interval: one that was cut off at a bound
    is short, though the noise is as large as beside it.

    >>> reach((0.0, 19.5), -11.75), reach((4.0, 6.0), 5.0)
    (31.25, 1.0)
    """
    low, high = ends
    return max((high - low) / 2, high - value, value - low)


def with_ends(
    value: float, ends: tuple[float, float], quantity: Quantity = _NUMBER
) -> tuple[str, str, str]:
    """Return a number and the ends of its interval, with as many digits as it has.

    >>> with_ends(54.21, (52.9, 55.5)), with_ends(-86.2, (0.0, 44.1))
    (('54.2', '52.9', '55.5'), ('−90', '0', '50'))
    """
    shown = quantity.measured(value, reach(ends, value))
    return (shown, *ends_text(ends, value, quantity))


def ends_text(
    ends: tuple[float, float], value: float, quantity: Quantity = _NUMBER
) -> tuple[str, str]:
    """Return the ends of the interval of a number, with as many digits as it has.

    >>> ends_text((0.0, 19.5), -11.75)
    ('0', '20')
    """
    return quantity.ends(*ends, reach(ends, value))


def sizes_text(release: Release, counts: Mapping[str, str]) -> str:
    """Return how many people groups have, each by its own interval, in words.

    ``counts`` gives for each group what its number of people is called in the release.
    """
    noise = release.noise_ends
    return ", ".join(
        f"“{group}” {' to '.join(_COUNT.ends(low, high, (high - low) / 2))}"
        for group, name in counts.items()
        if name in noise
        for low, high in [noise[name]]
    )


def quantity_in(release: Release, label: str) -> Quantity:
    """Return what a number of a release is a number of.

    Counts are whole, and so are quantiles of whole numbers. They are stored as they
    were drawn, and rounded where they are written, which is post-processing.
    """
    asked = query_of(release)
    kind = StatisticKind(asked["kind"]) if asked.get("kind") in _KINDS else None
    column = asked.get("column")
    of_whole = isinstance(column, dict) and column.get("kind") == ColumnKind.WHOLE
    own = label in release.labels or label in release.units
    whole = kind is not None and own and (kind.of_counts or (kind.of_places and of_whole))
    return Quantity(unit=release.unit_of(label), whole=whole or is_group_size(release, label))


_SPELLED = {"var": "variance", "cov": "covariance", "corr": "correlation"}


def spelled(label: str) -> str:
    """Return the name of a number of a matrix in words, and any other one as it is.

    >>> spelled("cov(age, pay)"), spelled("var(age)"), spelled("north")
    ('covariance of age and pay', 'variance of age', 'north')
    """
    short, opened, columns = label.partition("(")
    if not opened or short not in _SPELLED or not label.endswith(")"):
        return label
    return f"{_SPELLED[short]} of {columns[:-1].replace(', ', ' and ')}"


def is_group_size(release: Release, label: str) -> bool:
    """Return whether it is how many people a group has of which more was asked.

    It is called after what is counted: such as "people in north".
    """
    counted = release.unit_of(label)
    follows = label in release.derived and noise_unit(release) in {COUNTS, SUMS}
    return follows and bool(counted) and f"{counted} in " in label


def query_of(release: Release) -> Mapping[str, Any]:
    """Return the parameters of what was asked; empty of a model."""
    asked = release.request.get("query")
    return asked if isinstance(asked, dict) else {}


_KINDS = frozenset(StatisticKind)


def noise_unit_of(query: Mapping[str, Any]) -> str:
    """Return what noise is a number of by stored parameters; empty if of the answer's unit."""
    own = shape_of(query).noise_unit if query.get("kind") in _KINDS else ""
    return own or SUMS * ("moments" in query) or COUNTS * ("qs" in query)


def noise_unit(release: Release) -> str:
    """Return what the scale of the noise of a release is a number of."""
    unit = Quantity(unit=release.unit).of_differences
    return noise_unit_in(release.request, release.mechanism, unit)


def noise_text(release: Release) -> str:
    """Return the scale of the noise of a release, with what it is a number of in brackets."""
    unit = noise_unit(release)
    return f"{significant(release.noise)}{f' ({unit})' * bool(unit)}"


def noise_unit_in(parameters: Mapping[str, Any], mechanism: str, unit: str) -> str:
    """Return what the scale of the noise is a number of, which may be no ``unit``'s.

    Weighted sums are drawn as parts of the cap, counts and sums of groups as sums of
    heights, what several quantiles follow from as counts, coefficients on the scale of
    their model, a median by places in the sorted table; all else in the unit of the answer.
    """
    if is_model(parameters):
        return "scale of the model"
    query = parameters.get("query")
    if isinstance(query, dict) and (own := noise_unit_of(query)):
        return own
    return "ranks" if mechanism == EXPONENTIAL.key else unit


# Amounts of privacy cost in symbols: one rule for what is spent and what is left.
#
# What is spent is a limit on what was given away, and is rounded up. What is left is
# rounded to the nearest number, and is nothing where costs that were rounded up have left
# a remainder alone: less than a 100,000th of the budget.

NOTHING: Final = "nothing"
_REMAINDER: Final = Decimal("0.00001")


def limit_text(budget: PrivacyBudget) -> str:
    """Return a budget as it was typed, with every digit.

    >>> from dpcore.privacy_filter import PrivacyBudget
    >>> limit_text(PrivacyBudget.of(epsilon=0.12345, delta=1e-5))
    'ε = 0.12345, δ = 10⁻⁵'
    """
    if budget.rho is not None:
        return f"ρ = {plain(budget.rho)}"
    text = f"ε = {plain(budget.epsilon or Decimal())}"
    return f"{text}, δ = {significant(float(budget.delta))}" if budget.delta else text


def spent_text(budget: PrivacyBudget, cost: PrivacyCost) -> str:
    """Return the parts of a cost that a budget limits, rounded up.

    >>> from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
    >>> spent_text(PrivacyBudget.of(epsilon=3.0), PrivacyCost.of(epsilon=1 / 3))
    'ε = 0.334'
    >>> spent_text(PrivacyBudget.of(epsilon=3.0, delta=0.01), PrivacyCost.of(epsilon=1))
    'ε = 1, δ = 0'
    """
    return _text(budget, cost, up=True)


def cost_text(cost: PrivacyCost) -> str:
    """Return a cost without the parts that are 0, rounded up; ρ where that is all it has.

    >>> from dpcore.privacy_filter import PrivacyCost
    >>> cost_text(PrivacyCost.of(epsilon=0.5, delta=1e-6))
    'ε = 0.5, δ = 10⁻⁶'
    """
    if not cost.epsilon.is_finite():
        return f"ρ = {significant(float(cost.rho), up=True)}"
    text = f"ε = {epsilon_text(float(cost.epsilon))}"
    return f"{text}, δ = {significant(float(cost.delta), up=True)}" if cost.delta else text


def left_text(budget: PrivacyBudget, left: PrivacyCost) -> str:
    """Return what is left of a budget, or of a limit within it.

    >>> from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
    >>> budget = PrivacyBudget.of(epsilon=3.0, delta=0.01)
    >>> left_text(budget, budget.remaining(PrivacyCost.of(epsilon=2.7999971)))
    'ε = 0.2, δ = 0.01'
    >>> left_text(budget, budget.remaining(PrivacyCost.of(epsilon=2.999998)))
    'nothing'
    """
    return NOTHING if is_used_up(budget, left) else _text(budget, left, up=False)


def is_used_up(budget: PrivacyBudget, left: PrivacyCost) -> bool:
    """Tell whether no more is left of a budget than rounding up has left.

    Without an epsilon, or a rho, there is nothing that a release could be paid with.
    """
    if budget.rho is not None:
        return left.rho <= budget.rho * _REMAINDER
    return budget.epsilon is not None and left.epsilon <= budget.epsilon * _REMAINDER


def _text(budget: PrivacyBudget, cost: PrivacyCost, *, up: bool) -> str:
    if budget.rho is not None:
        return f"ρ = {significant(float(cost.rho), up=up)}"
    text = f"ε = {significant(float(cost.epsilon), up=up)}"
    delta = f", δ = {significant(float(cost.delta), up=up)}"
    return text + delta if budget.delta else text
