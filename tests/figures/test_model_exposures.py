"""Pictures of everybody's loss from a model: aggregates, honest titles, no markup."""

from __future__ import annotations

import math

import numpy as np

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


def test_a_bound_is_no_larger_than_the_guarantee_and_none_is_not_drawn():
    endless = {"guarantee": 1.0, "for_all": 0.5, "certificate": math.inf}
    people = {"maximum": 0.4, "mean": 0.1}
    capped = GuaranteeLadder(**endless, **people)
    assert capped.proved == 1.0
    assert capped.anybody == ("1", "at most (proved)")
    away, another = NeighboringRelation.ADD_REMOVE, NeighboringRelation.SUBSTITUTION
    # A guarantee about other records does not bound what leaving does.
    mixed = GuaranteeLadder(**endless, **people, relation=away, promised=another)
    assert mixed.anybody == ("0.5", "found by search")
    assert "worst case, this table: at most" not in dict(mixed.steps)
    assert GuaranteeLadder(**endless, **people, relation=away, promised=away).steps == capped.steps


def test_one_loss_is_rounded_in_one_way():
    found = GuaranteeLadder(
        guarantee=0.1, for_all=0.09753, certificate=0.09753, maximum=0.09753, mean=0.05001
    )
    assert found.anybody == ("0.0976", "")
    assert found.texts == ("0.1", "0.0976", "0.0976", "0.0501")


def test_map_names_the_most_exposed_by_row_and_draws_no_other_person():
    picture = pictures()[2]
    assert len(picture.figure.data[-1].x) == 10
    assert f"row {ROWS[0]}," in picture.title
    others = np.setdiff1d(np.arange(len(EPSILON)), FOUND.top)
    for trace in picture.figure.data[:-1]:
        assert not np.isin(np.round(LEVERAGE[others], 12), np.round(trace.x, 12)).any()


def test_frontier_without_guarantee_or_limit_draws_neither():
    found = frontier(guarantee=np.full(7, np.inf), cramer_rao=np.nan)
    picture = frontier_picture(found, key="output")
    assert "no guarantee is known" in picture.title
    drawn = {t.name: t for t in picture.figure.data if t.name}
    assert len(drawn["guarantee (DP)"].x) == 0
    assert "Cramér-Rao limit" not in drawn


def test_sentences_say_what_clamping_and_redrawing_do():
    clamped, redrawn = sentences(OTHERS)
    assert "changes no loss" in clamped
    assert_says(redrawn, "1.2 to 1.7 times", "for the same reason")
    calibrated = (OTHERS[0], other("truncated", maximum=0.09, least=0.8, most=0.95))
    assert "uses more noise" in sentences(calibrated)[0]
    rare = (OTHERS[0], other("truncated-published", maximum=0.1, most=1 + 1e-9))
    assert "less than 0.1%" in sentences(rare)[0]
    assert "changes losses here" in sentences((OTHERS[0], other("bit", maximum=0.1, least=0.5)))[0]


def test_audit_without_a_fit_is_said():
    assert "there is no fit" in audit_text(math.inf, people=5)
    assert audit_text(0.01, people=50).startswith(
        "Checked by refitting without each of all 50 people"
    )
