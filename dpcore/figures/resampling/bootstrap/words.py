"""Numbers of the page of standard errors, in words that do not mislead."""

from __future__ import annotations

import math

from dpcore.studies.resampling.bootstrap_study import Experiment
from dpcore.wording import in_full, percent, significant

_NOISE = 1e-9
_FEWEST_DIGITS, _MOST_DIGITS = 4, 13


def length(number: float, experiment: Experiment) -> str:
    """Return how long an interval is, and say so where that is useless.

    >>> from dpcore.studies.resampling.bootstrap_study import Experiment
    >>> length(4.8123, Experiment()), length(130.0, Experiment())
    ('4.81 years long', 'wider than all that is possible (100 years): useless')

    """
    population = experiment.population
    unit = f" {population.unit}" if population.unit else ""
    width = population.bounds.width
    if number >= width:
        return f"wider than all that is possible ({in_full(width)}{unit}): useless"
    return f"{significant(number)}{unit} long"


def apart(claim: float, real: float) -> tuple[str, str] | None:
    """Return two numbers with as many digits as it takes to tell them apart.

    What is claimed is rounded up and what is real down, so that what is shown is so.
    ``None`` where the second does not exceed the first by much.

    >>> apart(4.8866, 5.168), apart(0.0001, 0.00010000625)
    (('4.887', '5.168'), ('0.0001', '0.000100006'))
    >>> apart(1.0, 1.0)
    """
    if real <= claim:
        return None
    if math.isinf(real):
        return significant(claim, 4), significant(real)
    for digits in range(_FEWEST_DIGITS, _MOST_DIGITS):
        place = 10.0 ** (math.floor(math.log10(real)) + 1 - digits)
        low = math.floor(real / place) * place
        high = math.ceil(claim / place - _NOISE) * place
        if low > high * (1 + _NOISE):
            return significant(claim, digits), significant(low, digits)
    return None


def share_text(share: float) -> str:
    """Return a coverage with one digit after the point, more near 100 %."""
    return percent(share) if share > 0.999 else f"{100 * share:.1f} %"  # noqa: PLR2004
