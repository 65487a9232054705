"""Ten people on whom published numbers are checked: intercept, two features, target."""

import numpy as np

X = np.column_stack(
    [
        np.ones(10),
        [-1.2, -0.8, -0.5, -0.1, 0.0, 0.3, 0.6, 0.9, 1.4, 2.5],
        [0.5, -1.0, 0.3, 1.2, -0.7, 0.8, -0.4, -1.5, 1.1, 2.0],
    ]
)
Y = np.array([-0.9, -0.2, -0.6, 0.4, -0.3, 0.7, 0.1, -0.4, 1.5, 0.6])
T = np.array([0.0, 0, 1, 0, 1, 1, 0, 1, 1, 0])


def ridge(x, y, penalty):
    """Return the coefficients and the matrix ``X'X + penalty I``."""
    hessian = x.T @ x + penalty * np.eye(x.shape[1])
    return np.linalg.solve(hessian, x.T @ y), hessian


def members(x, y, penalty):
    """Return leverages and residuals of everybody, from the fit with everybody."""
    theta, hessian = ridge(x, y, penalty)
    return np.einsum("ij,ij->i", x @ np.linalg.inv(hessian), x), y - x @ theta
