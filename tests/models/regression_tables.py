"""Tables to fit, and fits that owe nothing to the formulas under test."""

import numpy as np
from hypothesis import strategies as st

X1 = [-1.2, -0.8, -0.5, -0.1, 0.0, 0.3, 0.6, 0.9, 1.4, 2.5]
X2 = [0.5, -1.0, 0.3, 1.2, -0.7, 0.8, -0.4, -1.5, 1.1, 2.0]
TEN = np.column_stack([np.ones(10), X1, X2])
NUMBERS = np.array([-0.9, -0.2, -0.6, 0.4, -0.3, 0.7, 0.1, -0.4, 1.5, 0.6])
ANSWERS = np.array([0.0, 0, 1, 0, 1, 1, 0, 1, 1, 0])
COUNTS = np.array([0.0, 1, 0, 2, 1, 3, 1, 0, 4, 2])


def solved(x, y, diagonal):
    """Return ridge coefficients by a QR decomposition of rows and penalty."""
    rows = np.vstack([x, np.diag(np.sqrt(diagonal))])
    return np.linalg.lstsq(rows, np.append(y, np.zeros(len(diagonal))))[0]


def solved_without(x, y, diagonal):
    """Return the coefficients without each person, shape ``(n, d)``."""
    return np.array(
        [solved(np.delete(x, i, axis=0), np.delete(y, i), diagonal) for i in range(len(y))]
    )


def random_table(seed, people, columns):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(people, columns))
    y = x @ rng.normal(size=columns) + rng.normal(size=people)
    return x, y


def tables():
    """Return tables of 3 to 40 people and up to 5 features, of any scale."""
    return st.builds(random_table, st.integers(0, 2**32), st.integers(3, 40), st.integers(1, 5))


def unit_table():
    """Return 1,000 people with rows of length 1 and targets within -1 and 1."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1000, 10))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    direction = rng.normal(size=10)
    direction /= np.linalg.norm(direction) * np.sqrt(2)
    return x, np.clip(x @ direction + 0.1 * rng.normal(size=1000), -1, 1)
