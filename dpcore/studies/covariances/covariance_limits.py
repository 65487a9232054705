"""What a setting of Study 1 has without any simulation, computed when it is asked for.

All of it follows from the settings, so that it is kept by them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from dpcore.studies.covariances.covariance_design import STATISTICS, Degenerate
from dpcore.studies.covariances.covariance_expectation import expected_means

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.studies.covariances.covariance_design import Design, Scenario


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Costs:
    """What one mechanism really costs for one number of people.

    Attributes:
        levels: Epsilon of each of the three steps.
        spent: Epsilon of the release of the matrix.

    """

    levels: FloatArray
    spent: float


@lru_cache(maxsize=1024)
def exact_means(design: Design, scenario: Scenario) -> dict[str, float]:
    """Return the means that infinitely many repetitions would have, by statistic."""
    release = design.release(scenario.key, scenario.people)
    means = expected_means(
        release,
        design.truth(scenario.correlation)[:3],
        dropping=design.degenerate is Degenerate.DROP,
    )
    return dict(zip(STATISTICS, means.tolist(), strict=True))


@lru_cache(maxsize=1024)
def zero_variance(design: Design, scenario: Scenario) -> float:
    """Return the probability that the first released variance is exactly 0."""
    release = design.release(scenario.key, scenario.people)
    first = release.step(0, float(release.largest[0])).mechanism
    return float(first.atoms(design.truth(scenario.correlation)[0])[0])


@lru_cache(maxsize=256)
def costs(design: Design, key: str, people: int) -> Costs:
    """Return what the release of the matrix really costs."""
    release = design.release(key, people)
    return Costs(levels=release.levels, spent=release.real_epsilon)
