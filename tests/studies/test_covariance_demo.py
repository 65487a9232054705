"""The demonstrated matrix is possible, and the odd releases are counted right."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.mechanisms.covariances import CovarianceRelease, matrix_of, vector_of
from dpcore.postprocessing.psd_repair import repair
from dpcore.studies.covariance_study import COMPARED, CovarianceDesign, demonstrate
from tests.conftest import few

DESIGN = CovarianceDesign()


def show(key="bit", columns=3, correlation=0.9, people=400, seed=0):
    return demonstrate(
        DESIGN,
        key=key,
        correlation=correlation,
        people=people,
        columns=columns,
        rng=np.random.default_rng(seed),
    )


@pytest.mark.parametrize("correlation", [-1.0, -0.9, 0.0, 0.9, 1.0])
def test_sanitized_matrix_is_possible(correlation):
    truth = show(correlation=correlation).truth
    assert np.linalg.eigvalsh(truth)[0] >= -1e-12
    assert np.diag(truth).tolist() == [1.0, 4.0, 1.0]
    assert truth[0, 1] == truth[1, 2] == pytest.approx(2 * correlation)


@pytest.mark.slow
@pytest.mark.parametrize("key", few(1, *COMPARED))
def test_odd_releases_are_counted(key):
    shown = show(key)
    release = CovarianceRelease(widths=(8.0, 16.0, 8.0), people=400, key=key, epsilon=1.0)
    drawn = release.simulate(vector_of(shown.truth), rng=np.random.default_rng(1), size=(400,))
    undefined = (drawn[:, :3] == 0).any(axis=1).mean()
    broken = np.mean([repair(matrix_of(values)).changed for values in drawn])
    assert shown.undefined == pytest.approx(undefined, abs=0.08)
    assert shown.broken == pytest.approx(broken, abs=0.08)
    assert 0.1 < shown.broken < 0.9


def test_two_variables_never_contradict_each_other():
    for key in COMPARED:
        shown = show(key, columns=2)
        assert shown.broken == 0
        assert not shown.repaired.changed


def test_domain():
    with pytest.raises(ParameterError, match="2 or 3 variables"):
        show(columns=4)
