"""Reports against the realized losses that they cover."""

import itertools

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.figures.individual.disclosure import coverage_table, reports_picture
from dpcore.studies.individual.reports import (
    Reports,
    ReportSettings,
    Sharper,
    simulated_table,
    study,
)


@pytest.fixture(scope="module")
def table():
    return simulated_table(np.random.default_rng(0), people=500)


def drawn(table, settings, runs):
    rng = np.random.default_rng(1)
    whole = study(*table, settings, rng=rng)
    return whole, list(itertools.islice(whole.draws(rng), runs))


def held(draws, name):
    return np.mean([draw.covered()[name] for draw in draws])


def test_free_report_holds_and_is_sharper_than_the_published_one(table):
    whole, draws = drawn(table, ReportSettings(), 40)
    assert whole.fit.sigma == pytest.approx(8.050293, abs=1e-6)
    assert whole.fit.penalty == 0.5
    assert held(draws, "free report") >= 0.95
    assert held(draws, "as published") >= held(draws, "free report")
    for draw in draws:
        assert (draw.free <= draw.published).all()
        assert draw.sharper is None
    assert np.mean([np.median(draw.published / draw.free) for draw in draws]) > 1.05


def test_a_release_moves_the_fit_as_the_perturbation_does(table):
    """The realized loss is the log ratio of two densities, by refitting."""
    x, y = table[0][:40], table[1][:40]
    whole = study(x, y, ReportSettings(epsilon=2.0), rng=np.random.default_rng(0))
    rng = np.random.default_rng(5)
    theta = whole.model.pulled(whole.fit.sigma * rng.standard_normal(5))
    draw = next(whole.draws(np.random.default_rng(5)))

    def log_density(rows):
        p = 1 / (1 + np.exp(-x[rows] @ theta))
        penalty = whole.fit.penalty
        gradient = x[rows].T @ (p - y[rows]) + penalty * theta
        hessian = (x[rows].T * (p * (1 - p))) @ x[rows] + penalty * np.eye(5)
        return np.linalg.slogdet(hessian)[1] - gradient @ gradient / (2 * whole.fit.sigma**2)

    everybody = np.arange(40)
    for person in (0, 17):
        exact = abs(log_density(everybody) - log_density(np.delete(everybody, person)))
        assert draw.truth[person] == pytest.approx(exact, rel=1e-6)


def test_noisy_hessian_costs_more_and_its_report_holds(table):
    settings = ReportSettings(sharper=Sharper(epsilon=1.0, delta=1e-3))
    assert settings.cost == (2.0, 2e-3)
    whole, draws = drawn(table, settings, 10)
    assert whole.fit.penalty > 0.5
    assert whole.fit.penalty >= 2 * whole.quantile
    assert held(draws, "with a noisy Hessian") >= 0.95
    assert all(np.isfinite(draw.sharper).all() for draw in draws)
    # More noise for less cost needs a larger penalty.
    cheap = ReportSettings(sharper=Sharper(epsilon=0.2, delta=1e-3))
    assert drawn(table, cheap, 0)[0].fit.penalty > whole.fit.penalty


def test_report_never_reads_anybody_else(table):
    x, y = table
    settings = ReportSettings()
    rng = np.random.default_rng(2)
    whole = next(study(x, y, settings, rng=rng).draws(np.random.default_rng(3)))
    assert whole.free.shape == (500,)
    # Equal records are told the same.
    twice = study(np.vstack([x, x[:1]]), np.append(y, y[0]), settings, rng=rng)
    draw = next(twice.draws(np.random.default_rng(3)))
    assert draw.free[0] == pytest.approx(draw.free[-1], rel=1e-12)


def test_picture_and_table_of_reports(table):
    _, (draw,) = drawn(table, ReportSettings(sharper=Sharper(epsilon=1.0, delta=1e-3)), 1)
    picture = reports_picture(draw, guarantee=1.0)
    assert len(picture.figure.data) == 4
    assert all(len(line.x) <= 2000 for line in picture.figure.data)
    assert picture.title.endswith("guaranteed 1")
    shown = coverage_table(draw.covered(), draw, nominal=0.95)
    assert shown["nominal"].tolist() == ["95%"] * 3
    nothing = Reports(truth=np.zeros(3), free=np.zeros(3), published=np.full(3, np.inf))
    assert len(reports_picture(nothing, guarantee=1.0).figure.data) == 2


@pytest.mark.parametrize(
    "wrong", [{"epsilon": 0.0}, {"delta": 1.0}, {"failure": 0.0}, {"failure": 1.0}]
)
def test_domains(wrong):
    with pytest.raises(ParameterError):
        ReportSettings(**wrong)
