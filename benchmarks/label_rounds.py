"""Labels that one round and three rounds find: ``python -m benchmarks.label_rounds``.

The relation is add/remove, and each person has up to ``k`` labels of a Zipf law.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.mechanisms.label_rounds import LabelHoldings, LabelRounds
from dpcore.mechanisms.label_selection import LabelSelection

_EPSILON: Final = 1.0
_DELTA: Final = 1e-6
_PEOPLE: Final = 20_000
_LABELS: Final = 5_000
_TABLES: Final = 5


def main() -> None:
    """Print the mean number of labels that both find, by the exponent and by ``k``."""
    rng = np.random.default_rng(1)
    for exponent in (1.0, 1.5):
        for most in (1, 3, 10, 30):
            tables = [table(exponent, most, rng) for _ in range(_TABLES)]
            rule = LabelSelection.calibrate(epsilon=_EPSILON, delta=_DELTA, changes=most)
            now = [rule.released(np.bincount(one[1])).sum() for one in tables]
            rounds = [found(one, most, rng) for one in tables]
            print(f"Zipf {exponent}, up to {most}: {np.mean(now):.0f}, {np.mean(rounds):.0f}")


def table(exponent: float, most: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return the people and their labels, shape ``(2, n)``, each pair once."""
    often: FloatArray = 1 / np.arange(1, _LABELS + 1) ** exponent
    who = np.repeat(np.arange(_PEOPLE), rng.integers(1, most + 1, _PEOPLE))
    labels = rng.choice(_LABELS, size=len(who), p=often / often.sum())
    return np.unique(np.stack([who, labels]), axis=1)


def found(one: NDArray[np.intp], most: int, rng: np.random.Generator) -> int:
    """Return how many labels three rounds release of a table."""
    rounds = LabelRounds.calibrate(epsilon=_EPSILON, delta=_DELTA, most=most, length=1.0)
    everybody = np.ones(_PEOPLE, dtype=np.int64)
    labels = tuple(map(str, range(_LABELS)))
    held = LabelHoldings(labels=labels, people=everybody, sets=one[0], codes=one[1])
    left = np.ones((1, _LABELS), dtype=bool)
    for scale, threshold in zip(rounds.scales, rounds.thresholds, strict=True):
        sums = held.weights(left)
        left &= (sums == 0) | (rng.normal(sums, scale) <= threshold)
    return int(np.count_nonzero(~left))


if __name__ == "__main__":
    main()
