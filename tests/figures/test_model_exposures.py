"""Pictures of everybody's loss from a model: aggregates, honest titles, no markup."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from dpcore.figures.individual.guarantees import (
    LossCauses,
    audit_text,
    chain_picture,
    frontier_picture,
    iso_epsilon_picture,
    split_picture,
)
from dpcore.figures.individual.one_person import checks_picture
from dpcore.figures.individual.people import moments_picture, others_picture, sentences
from dpcore.individual.losses import GuaranteeLadder
from dpcore.models.leverage_and_residual import epsilon_of
from dpcore.relations import NeighboringRelation
from dpcore.studies.individual.frontier import Frontier
from dpcore.studies.individual.leverage_map import leverage_map
from dpcore.studies.individual.loss_comparisons import (
    OtherExposure,
    gaussian_checks,
    posterior_checks,
)
from tests.conftest import assert_says

CHAIN = GuaranteeLadder(guarantee=1.0, for_all=0.2, certificate=0.25, maximum=0.1, mean=0.02)
RNG = np.random.default_rng(2)
LEVERAGE, RESIDUAL = RNG.gamma(1.0, 0.01, 4000), RNG.standard_normal(4000)
EPSILON = epsilon_of(LEVERAGE, RESIDUAL, 1e-6)
FOUND = leverage_map(LEVERAGE, RESIDUAL, EPSILON, loss_at=lambda m, e: epsilon_of(m, e, 1e-6))
ROWS = (FOUND.top + 1).tolist()
GAMMAS = np.geomspace(1e-3, 1e3, 7)


def frontier(**named):
    known = {
        "gamma": GAMMAS,
        "error": 1 / np.sqrt(GAMMAS) + 1,
        "guarantee": 10 * np.sqrt(GAMMAS),
        "maximum": np.sqrt(GAMMAS),
        "mean": 0.1 * np.sqrt(GAMMAS),
        "here": 1.0,
        "noise": 1 / np.sqrt(GAMMAS),
        "penalty": 0.8,
        "targets": 0.6,
        "cramer_rao": 0.5,
        "people": 400,
        "sampled": 400,
    }
    return Frontier(**(known | named))


def other(key, *, maximum, least=1.0, most=1.0):
    return OtherExposure(
        key=key,
        noise=1.0,
        worst_case=1.0,
        maximum=maximum,
        mean=maximum / 3,
        least=least,
        most=most,
    )


OTHERS = (
    other("laplace", maximum=0.1),
    other("bit", maximum=0.1),
    other("truncated-published", maximum=0.17, least=1.2, most=1.7),
)


def pictures():
    split = LossCauses(
        rows=ROWS,
        pull=FOUND.top_leverage / 0.01,
        cause="pull",
        miss=np.abs(FOUND.top_residual),
        epsilon=FOUND.top_epsilon,
    )
    orders = np.geomspace(1, 100, 50)
    return [
        chain_picture(CHAIN, key="output"),
        split_picture(split),
        iso_epsilon_picture(FOUND, rows=ROWS, leverage="leverage", residual="miss"),
        moments_picture(
            orders, 0.1 - 0.08 / orders, at=(2.0, 0.06), ends=(0.02, 0.1), key="posterior"
        ),
        frontier_picture(frontier(), key="posterior"),
        checks_picture(gaussian_checks(GAMMAS, 1e-6)),
        checks_picture(posterior_checks(LEVERAGE, RESIDUAL, 1e-6)),
        others_picture(OTHERS),
    ]


def test_pictures_are_small_and_told_in_words_and_numbers():
    for picture in pictures():
        assert picture.title
        assert picture.alt
        assert len(picture.table)
        for trace in picture.figure.data:
            assert np.size(trace.z if trace.type == "heatmap" else trace.x) <= 2000


def test_points_are_nested_and_told_as_multiples_of_the_average():
    picture = chain_picture(CHAIN, key="output")
    (points,) = picture.figure.data
    assert list(points.x) == sorted(points.x, reverse=True)
    assert list(picture.table["epsilon"]) == [1.0, 0.25, 0.2, 0.1, 0.02]
    assert list(picture.table["times the average person"]) == pytest.approx([50, 12.5, 10, 5, 1])
    assert "10 times what the most exposed" in picture.title
    assert "<b>0.1<br>5 × average</b>" in points.text


def test_losses_are_rounded_to_the_nearest_and_only_limits_up():
    chain = replace(CHAIN, guarantee=1.0004, maximum=0.10004, mean=0.020004)
    picture = chain_picture(chain, key="output")
    assert_says(picture.title, "allows 1.01:", "(0.1)", "(0.02)")
    limits = chain_picture(replace(chain, upper=True), key="output")
    assert "(at most 0.101)" in limits.title
    assert "average person here 0.0201" in limits.alt


@pytest.mark.parametrize(
    ("chain", "words"),
    [
        (
            GuaranteeLadder(
                guarantee=math.inf, for_all=0.2, certificate=math.inf, maximum=0.1, mean=0.02
            ),
            "No guarantee over all tables is known",
        ),
        (
            GuaranteeLadder(guarantee=1.0, for_all=0.0, certificate=0.0, maximum=0.0, mean=0.0),
            "nobody here loses anything",
        ),
        (
            GuaranteeLadder(
                guarantee=1.0,
                for_all=math.inf,
                certificate=math.inf,
                maximum=math.inf,
                mean=math.inf,
            ),
            "No finite ε holds",
        ),
    ],
)
def test_chains_without_an_end_are_drawn_and_said(chain, words):
    picture = chain_picture(chain, key="output")
    assert words in picture.title
    (points,) = picture.figure.data
    assert np.isfinite(points.x).all()
    assert np.all(np.asarray(points.x) > 0)
    low, high = picture.figure.layout.xaxis.range
    assert np.all(np.log10(points.x) >= low - 1e-9)
    assert np.all(np.log10(points.x) <= high + 1e-9)
    off = [s == "triangle-right" for s in points.marker.symbol]
    assert off == list(np.isinf(picture.table["epsilon"]))


def test_a_bound_is_no_larger_than_the_guarantee_and_none_is_not_drawn():
    endless = {"guarantee": 1.0, "for_all": 0.5, "certificate": math.inf}
    people = {"maximum": 0.4, "mean": 0.1}
    capped = GuaranteeLadder(**endless, **people)
    assert capped.proved == 1.0
    assert capped.anybody == ("1", "at most (proved)")
    away, another = NeighboringRelation.ADD_REMOVE, NeighboringRelation.SUBSTITUTION
    # A guarantee about other records does not bound what leaving does.
    mixed = GuaranteeLadder(**endless, **people, relation=away, promised=another)
    assert mixed.anybody == ("0.5", "at least (found)")
    assert "this table, anybody: at most" not in dict(mixed.steps)
    assert GuaranteeLadder(**endless, **people, relation=away, promised=away).steps == capped.steps


def test_a_loss_by_leaving_is_no_fraction_of_a_charge_for_another_record():
    away, another = NeighboringRelation.ADD_REMOVE, NeighboringRelation.SUBSTITUTION
    picture = chain_picture(replace(CHAIN, relation=away, promised=another), key="output")
    assert "times" not in picture.title
    assert_says(picture.title, "another question", "Compared with not being there")
    assert math.isnan(picture.table["times the average person"][0])
    bounds = replace(CHAIN, upper=True)
    assert not any("found" in name for name, _ in bounds.steps)
    assert replace(bounds, certificate=math.inf, guarantee=math.inf).anybody == ("not known", "")
    assert "(at most 0.1)" in chain_picture(bounds, key="output").title


def test_map_names_the_most_exposed_by_row_and_draws_no_other_person():
    picture = pictures()[2]
    assert len(picture.figure.data[-1].x) == 10
    assert f"row {ROWS[0]}," in picture.title
    others = np.setdiff1d(np.arange(len(EPSILON)), FOUND.top)
    for trace in picture.figure.data[:-1]:
        assert not np.isin(np.round(LEVERAGE[others], 12), np.round(trace.x, 12)).any()


def test_split_says_which_of_the_causes_is_large():
    split = LossCauses(
        rows=[7], pull=np.array([3.0]), cause="pull", miss=np.array([20.0]), epsilon=np.array([0.1])
    )
    title = split_picture(split).title
    assert_says(title, "Row 7", "3 times the median leverage", "20 times the median residual")


def test_frontier_without_guarantee_or_limit_draws_neither():
    found = frontier(guarantee=np.full(7, np.inf), cramer_rao=np.nan)
    picture = frontier_picture(found, key="output")
    assert "no guarantee is known" in picture.title
    drawn = {t.name: t for t in picture.figure.data if t.name}
    assert len(drawn["guarantee (DP)"].x) == 0
    assert "Cramér-Rao limit" not in drawn


def test_bounds_say_whom_they_promise_too_much():
    # Lemma 4 holds up to mu 0.0433 at this delta only.
    mu = np.array([0.01, 0.02, 0.2, 0.4])
    checks = {check.label: check for check in gaussian_checks(mu, 1e-6)}
    assert checks["Lemma 4, as published"].understated == 0.5
    assert checks["tail of the loss"].understated == 0
    title = checks_picture(list(checks.values())).title
    assert "50%" in title
    title = checks_picture(gaussian_checks(mu[:2], 1e-6)).title
    assert title == "Here no published bound lies below anybody's exact loss"


def test_sentences_say_what_clamping_and_redrawing_do():
    clamped, redrawn = sentences(OTHERS)
    assert "changes nobody's loss" in clamped
    assert_says(redrawn, "1.2 to 1.7 times", "for the same reason")
    calibrated = (OTHERS[0], other("truncated", maximum=0.09, least=0.8, most=0.95))
    assert "uses more noise" in sentences(calibrated)[0]
    rare = (OTHERS[0], other("truncated-published", maximum=0.1, most=1 + 1e-9))
    assert "less than 0.1%" in sentences(rare)[0]
    assert "changes losses here" in sentences((OTHERS[0], other("bit", maximum=0.1, least=0.5)))[0]


def test_audit_without_a_fit_is_said():
    assert "left without a fit" in audit_text(math.inf, people=5)
    assert audit_text(0.01, people=50).startswith("Checked on all 50 people")


def test_frontier_says_what_each_cause_makes_of_the_error():
    picture = frontier_picture(frontier(), key="output")
    assert "is 2: 1 from the noise, 0.8 from the penalty and 0.6 from the scatter" in picture.title
    assert next(t for t in picture.figure.data if t.name == "without noise for privacy").y[0] == 1.0


def test_frontier_without_a_plain_fit_says_the_noise_alone():
    unknown = {"penalty": np.nan, "targets": np.nan, "cramer_rao": np.nan}
    picture = frontier_picture(frontier(**unknown), key="output")
    assert "is 1 from the noise alone; " in picture.title
    assert "without noise for privacy" not in [trace.name for trace in picture.figure.data]
