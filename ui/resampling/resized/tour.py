"""The stations of the page of the resized bootstrap; only the open one is computed."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from dpcore.figures.resampling import resized as figures
from dpcore.figures.resampling.resized import chance
from dpcore.privacy.interpretation import best_guess
from dpcore.studies.resampling import resized_study
from dpcore.wording import at_most, people, significant
from ui import results, tabs
from ui.resampling.resized.settings import ResizedCase

_SCORES = 10_000
_BEYOND = 3
_MOST_AVERAGED = 10**6


def show_tour(case: ResizedCase, key: str) -> None:
    """Draw the stations as tabs; the caller frames an own table as confidential."""
    stations = {
        "Which ε holds": _profile,
        "Proof": _proof,
        "Averages": _averages,
        "Scores": _scores,
        "Errors": _errors,
        "Fair comparison": _fair,
    }
    tabs.show(stations, case, key, key=f"{key}-station", shared=False)


def _profile(case: ResizedCase, key: str) -> None:
    picture = figures.profile_picture(case.bootstrap, case.ones, case.repaired)
    results.show(picture, f"{key}-profile", simulated=case.simulated)
    pairs = case.bootstrap.around(case.ones)
    pure = max(max(pair.pure) for pair in pairs)
    middle = case.bootstrap.pair(max(0, (case.bootstrap.people - 1) // 2))
    half, claim = max(middle.pure), case.bootstrap.claimed_epsilon
    if math.isfinite(pure):
        least = f"for {people(case.ones)} the least ε that never fails is "
        least += f"{significant(pure)}."
    else:
        least = f"for {people(case.ones)} there is no ε that never fails."
    st.markdown(
        "δ is how often the promise of an ε fails. A method keeps a promise where its "
        "line has come down to 0. The line of a rare trait never does: either the one "
        "person is in the sample and the score says so, or not. A common trait is "
        f"hidden by the sampling: {least} Even for half of all it is "
        f"{significant(half)}, {significant(half / claim, 2)} times the claim of "
        f"{significant(claim)}. Sampling protects common values, never rare ones."
    )


def _proof(case: ResizedCase, key: str) -> None:
    rng = np.random.default_rng(case.seed)
    most = max(case.scores, min(resized_study.usual_most(case.bootstrap), 10**7))
    curve = resized_study.reveal(case.bootstrap, most, rng=rng, runs=case.attackers)
    beliefs = best_guess(curve.scores * case.bootstrap.claimed_epsilon)
    picture = figures.reveal_picture(curve, case.bootstrap, beliefs)
    results.show(picture, f"{key}-proof", simulated=case.simulated)
    st.markdown(
        f"One person has the trait, nobody else. Of {case.attackers:,} simulated "
        "attackers so many held proof after that many scores: a score above 0, which "
        f"no table without the person can give. After {_number(case.scores)} it is "
        f"{chance(case.bootstrap.delta(scores=case.scores))}. As many answers with "
        "Laplace noise make somebody who was half sure at most "
        f"{at_most(resized_study.laplace_belief(case.bootstrap, case.scores))} sure, and "
        "nobody certain."
    )


def _averages(case: ResizedCase, key: str) -> None:
    rng = np.random.default_rng(case.seed)
    needed = resized_study.scores_to_average(case.bootstrap, case.ones)
    most = max(case.scores, min(_BEYOND * needed, _MOST_AVERAGED))
    curve = resized_study.averaging(
        case.bootstrap, case.ones, most, rng=rng, runs=min(case.attackers, 2000)
    )
    picture = figures.averaging_picture(curve, case.ones, case.bootstrap.people)
    results.show(picture, f"{key}-averages", simulated=case.simulated)
    st.markdown(
        "Every score is drawn anew, so that its error averages out. The rule of thumb "
        f"15.4 n² p (1 − p) / m says {needed:,} scores here. Answers with noise "
        "average out, too; but each of them is charged, and the budget ends it."
    )


def _scores(case: ResizedCase, key: str) -> None:
    rng = np.random.default_rng(case.seed)
    ones = min(case.ones, case.bootstrap.people - 1)
    found = resized_study.score_histogram(case.bootstrap, ones, draws=_SCORES, rng=rng)
    picture = figures.scores_picture(found, ones, case.bootstrap.delta())
    results.show(picture, f"{key}-scores", simulated=case.simulated)
    st.markdown(
        f"The score of a resample of {case.bootstrap.draws:,} rows from a table with "
        f"{ones:,} ones, and from one with {ones + 1:,}. Where only one of the lines "
        "is above 0 a score is proof. Set the number of people with the trait to 0 to "
        "see it."
    )


def _errors(case: ResizedCase, key: str) -> None:
    bootstrap, ones = case.bootstrap, case.ones
    rivals = resized_study.rivals(bootstrap, ones)
    picture = figures.variance_picture(bootstrap, ones, rivals)
    results.show(picture, f"{key}-errors", simulated=case.simulated)
    share = ones / bootstrap.people
    real = float(bootstrap.variance(share))
    fixed = float(case.repaired.variance(1.0, share * (1 - share)))
    rows = [
        ("resized bootstrap, claimed: Z/n²", bootstrap.claimed_variance, None),
        ("the same, as its summary says: Z/(εn²)", bootstrap.stated_variance, None),
        ("resized bootstrap, really: p (1 − p)/m", real, None),
        (f"repaired, ε {case.epsilon:g}: p (1 − p)/m + 2b²", fixed, None),
        *(
            (rival.name, rival.variance, resized_study.break_even(bootstrap, rival))
            for rival in rivals
        ),
    ]
    results.table(
        {
            "method": [name for name, *_ in rows],
            "variance": [value for _, value, _ in rows],
            "typical error": [math.sqrt(value) for _, value, _ in rows],
            "wins from n p (1 − p)": [least for *_, least in rows],
        },
        column_config=dict.fromkeys(
            ("variance", "typical error", "wins from n p (1 − p)"), results.THREE_DIGITS
        ),
        placeholder="–",
        key=f"{key}-variances",
    )
    st.markdown(
        "The claimed variance is right for a single one among n rows, and for nothing "
        "else; the source contradicts itself by a factor of Z besides. Noise on the "
        "share of all rows has the same variance whatever the share: it wins as soon "
        "as n p (1 − p) exceeds the number in the last column; here it is "
        f"{significant(bootstrap.people * share * (1 - share))}."
    )


def _fair(case: ResizedCase, key: str) -> None:
    bootstrap, ones = case.bootstrap, case.ones
    rivals = {
        rival.name: rival for rival in resized_study.rivals(bootstrap, ones) if rival.key != "claim"
    }
    name = st.radio("Compare with", list(rivals), horizontal=True, key=f"{key}-rival")
    rival, tau = rivals[name], bootstrap.delta()
    st.caption(
        f"τ = {chance(tau)} is the chance that a person is drawn. To set both to the "
        "claimed ε would compare a promise that holds with one that does not."
    )
    left, right = st.columns(2)
    with left:
        picture = figures.rivals_picture(bootstrap, ones, rivals[name])
        results.show(picture, f"{key}-rivals", simulated=case.simulated)
    with right:
        picture = figures.detection_picture(bootstrap, ones, rivals[name])
        results.show(picture, f"{key}-detection", simulated=case.simulated)
    st.markdown(
        _crossing(rival, tau) + f"Chance of a certain identification in one answer: "
        f"{chance(bootstrap.delta())} by a resized bootstrap, "
        f"{chance(rivals[name].delta)} by the other. Variance at this share: "
        f"{significant(float(bootstrap.variance(ones / bootstrap.people)))} against "
        f"{significant(rivals[name].variance)}."
    )


def _crossing(rival: resized_study.Rival, tau: float) -> str:
    """Say where the line of noise lies above that of a rare trait, and why."""
    at = rival.failing(tau)
    if at <= 0:
        return ""
    return (
        f"Below ε {significant(at)} the line of the noise lies above: a promise of so "
        "small an ε fails more often with it. From there on it fails less often, and "
        f"from ε {significant(rival.epsilon)} on never; a resample goes on failing. "
    )


def _number(number: int) -> str:
    return "1 score" if number == 1 else f"{number:,} scores"
