"""What the source says of samples, held against simulation and the exact bounds."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from dpcore.figures.resampling import subsampling as figures
from dpcore.privacy.amplification import ONE_SIDED_LIMIT, SOURCE_EPSILON, amplify, amplify_one_sided
from dpcore.studies.resampling.subsampling_study import (
    Measured,
    Retention,
    claimed,
    lemma_curve,
    measure,
    renyi_curve,
)
from dpcore.wording import epsilon_text, percent, significant
from ui import controls, results, session
from ui.resampling.subsampling.levels import SHARE_HELP, points

_DRAWS, _SEED = 100_000, 2009
_DELTA = 1e-6
_MEASURED_AT = (0.05, 0.1, 0.25, 0.5, 0.75, 1.0)
_POINTS = 200


def claim_and_truth() -> None:
    """Hold what the source says against simulated releases and the exact bounds."""
    first, second = controls.row(2)
    epsilon = first.number(
        "ε of the analysis that runs on the sample",
        SOURCE_EPSILON,
        (0.01, 20.0, 0.1),
        key="ss-epsilon",
        note="The source starts from 1.",
    )
    rate = second.slider(
        "Share of the rows in the sample", 0.1, (0.01, 1.0, 0.01), key="ss-rate", note=SHARE_HELP
    )
    exact = float(amplify(epsilon, rate))
    measured = _measured(epsilon, rate)
    here = int(np.flatnonzero(measured.rate == rate)[0])
    bound = float(claimed(epsilon, np.array(rate)))
    _headline(epsilon, rate)
    cells = st.columns(3)
    empty = bound >= epsilon
    cells[0].metric(
        "Claimed: at most",
        f"ε {epsilon_text(min(bound, epsilon))}",
        delta="the bound is empty here" if empty else None,
        delta_color="off",
        delta_arrow="off",
        help="An answer from a sample never costs more than one from all rows." if empty else None,
    )
    cells[1].metric(
        "Measured on simulated releases",
        _estimate(measured, here),
        help=f"Log ratio of how often one event was seen in {measured.draws:,} "
        "releases with and as many without one person, with 95 % limits.",
    )
    cells[2].metric(
        "Exact",
        f"ε {epsilon_text(exact)}",
        help="log(1 + q (eᵋ − 1)): reached by Laplace noise on a total.",
    )
    st.markdown(
        f"Without a sample an attacker's odds about a person could change by a factor "
        f"{significant(float(np.exp(epsilon)))}. If only {percent(rate)} of the rows "
        "are used and nobody knows which, most of the time the person is not even "
        f"looked at, and the factor is {significant(float(np.exp(exact)), 4)}."
    )
    st.caption(
        f"At ε {significant(epsilon)} and {percent(rate)} of the rows. ε is taken from "
        "0.01 to 20: with another number the page shows the last one that was."
    )
    grid = np.linspace(1 / _POINTS, 1, _POINTS)
    picture = figures.lemma_picture(lemma_curve(epsilon, grid), measured, at=rate)
    results.show(picture, "lemma", simulated=True)
    st.caption(
        "“If only joining is limited” is a weaker promise (note b): it limits how much "
        "likelier an answer becomes when somebody joins, and not how much less likely."
    )
    st.markdown("**What the source says, and what is so**")
    st.markdown(_verdicts(epsilon, rate, measured, here))


def _measured(epsilon: float, rate: float) -> Measured:
    """Return the measurement at the usual shares and the one on screen."""
    rates = np.array(sorted({*_MEASURED_AT, rate}))
    return session.remember(
        "subsampling-measured",
        f"{epsilon!r} {rate!r}",
        lambda: measure(epsilon, rates, draws=_DRAWS, rng=np.random.default_rng(_SEED)),
    )


def _estimate(measured: Measured, at: int) -> str:
    estimate = float(measured.estimate[at])
    if not np.isfinite(estimate):
        return "too rare to see"
    half = float(measured.high[at] - measured.low[at]) / 2
    return f"{significant(estimate)} ± {significant(half, 2)}"


def _headline(epsilon: float, rate: float) -> None:
    """Say what holds and what fails, and which numbers prove it."""
    exact, bound = (float(amplify(epsilon, rate)), float(claimed(epsilon, np.array(rate))))
    within = f"within the {epsilon_text(bound)} that is claimed"
    if bound >= epsilon:
        within = "and what is claimed says nothing here"
    rho = renyi_curve(1.0, rate, _DELTA)
    st.markdown(
        f"**What holds.** A secret sample of {percent(rate)} turns ε "
        f"{epsilon_text(epsilon)} into **{epsilon_text(exact)}**, {within}. **What "
        "fails** is a rule for Gaussian noise found elsewhere, ρ q² for ρ: at ρ "
        f"{significant(rho.level)} it promises ε {epsilon_text(rho.claimed_epsilon)} "
        f"(δ {significant(_DELTA)}), and it is **{epsilon_text(rho.exact_epsilon)}**."
    )


def _verdicts(epsilon: float, rate: float, measured: Measured, at: int) -> str:
    seen = _estimate(measured, at)
    exact, bound = (float(amplify(epsilon, rate)), float(claimed(epsilon, np.array(rate))))
    one_sided = float(amplify_one_sided(epsilon, rate))
    usual = epsilon == SOURCE_EPSILON
    lemma = "2q" if usual else "q eᵋ (by note c; lemma 3 is about ε 1)"
    limit = (
        f"up to q = {ONE_SIDED_LIMIT:.3f}" if usual else f"up to q = {ONE_SIDED_LIMIT:.3f} at ε 1"
    )
    kept = Retention.of(0.1, 3.0)
    rows = [
        (
            f"ε {significant(epsilon)} on a sample of share q is at most {lemma}, here "
            + (
                significant(bound)
                if bound < epsilon
                else f"more than the {significant(epsilon)} of all rows"
            ),
            seen,
            (
                f"**holds**, for every q: it is {epsilon_text(exact)}, and grows like "
                f"{significant(math.expm1(epsilon), 4)} q at first"
            ),
        ),
        (
            ("Note b: it is enough that *joining* is limited; 2q holds up to a q of roughly 0.79"),
            f"here it takes {epsilon_text(one_sided)}",
            f"**holds** {limit}",
        ),
        (
            "Note c: to bring ε c down to ε, keep ε e⁻ᶜ of the rows",
            (f"c 3 to ε 0.1: keeps {points(kept.claimed)}, reaches {epsilon_text(kept.reached)}"),
            f"**holds**, with room: {points(kept.exact)} may be kept",
        ),
        (
            "Note c: almost nothing is left once c is above ln n",
            (
                "1,000 rows, ε 0.1: less than one row is kept once c is above "
                f"{significant(math.log(1000 * 0.1), 3)}"
            ),
            "**holds** even earlier: from c = ln(n ε) on",
        ),
        (
            "The price is that the effective table shrinks",
            "see “Does it pay?”",
            "**holds**: for a mean the noise grows too, so that a sample never helps",
        ),
        (
            "If a survey's sample stays secret, a small ε is essentially free",
            "see “A secret survey”",
            "**depends** on the secrecy; respondents themselves have ε, not less",
        ),
        (
            "Elsewhere: a sample of share q multiplies ρ of zCDP by q²",
            "see “Profiles”",
            "**fails**: ρ stays as it is",
        ),
    ]
    body = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    head = "| the source says | measured or worked out | what is so |\n|---|---|---|"
    return f"{head}\n{body}"
