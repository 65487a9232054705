"""The parts of the Subsampling page about levels and profiles. They need no table."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import streamlit as st

from dpcore.errors import ParameterError
from dpcore.figures.resampling import subsampling as figures
from dpcore.privacy import amplification, gaussian, laplace
from dpcore.privacy.amplification import (
    NoiseLaw,
    amplify,
    amplify_replacement,
    amplify_with_replacement,
    base_epsilon,
)
from dpcore.privacy.composition import MOST_TIMES, repeated, rounding
from dpcore.studies.resampling.subsampling_study import Retention, renyi_curve
from dpcore.wording import epsilon_text, significant
from ui import controls, results, session

_RATES = (1.0, 0.5, 0.2, 0.1, 0.05, 0.01, 0.001)
_POINTS = 200
_MOST_SHIFT = 4.0
_IN_DIGITS = ("rows", "Laplace scale", "Gaussian deviation")
SHARE_HELP = "The chance that a row is in the sample. Nobody may know which rows are."


def levels() -> None:
    """Find the share of rows, or the level on the sample, that reaches a target."""
    first, second, third, fourth = controls.row(4)
    target = first.number("ε that the answer may cost", 0.1, (1e-6, 50.0), key="ss-target")
    epsilon = second.number(
        "ε on the sample",
        3.0,
        (1e-6, 700.0),
        key="ss-base",
        note="What the analysis that runs on the sample guarantees by itself.",
    )
    people = third.number("Rows in the table", 1000, (1, 10**9), key="ss-people")
    rate = fourth.number(
        "Share of rows in the sample", 0.05, (1e-9, 1.0), key="ss-share", note=SHARE_HELP
    )
    kept = Retention.of(target, epsilon)
    base = float(base_epsilon(target, rate))
    rows = math.floor(people * kept.exact * (1 + 1e-12))
    if epsilon <= target:
        text = (
            f"**ε {epsilon_text(epsilon)} is not above {epsilon_text(target)} already: "
            f"keep all {people:,} rows.** "
        )
    else:
        text = (
            f"**To bring ε {epsilon_text(epsilon)} down to {epsilon_text(target)}, "
            f"keep {points(kept.exact)} of the rows: {rows:,} of {people:,}.** The "
            f"source's rule keeps {points(kept.claimed)} and reaches ε "
            f"{epsilon_text(kept.reached)}. "
        )
    st.markdown(
        f"{text}**With {points(rate)} of the rows the analysis may spend ε "
        f"{significant(base, 5)} on the sample.**"
    )
    if rows < 1:
        st.warning(
            "That is less than one row: at such a high ε on the sample nothing is left "
            "to analyze. Choose a smaller one."
        )
    delta = controls.row(4)[0].delta(
        "δ for Gaussian noise",
        key="ss-level-delta",
        note="The chance that the guarantee of Gaussian noise fails for a person.",
    )
    results.table(
        _table_of_levels(target, epsilon, people, delta),
        column_config=dict.fromkeys(_IN_DIGITS, results.THREE_DIGITS),
        key="ss-levels",
    )
    st.caption(
        "The noise is that of a total scaled up to the table, as a multiple of what "
        "one person can change in it, one person more or less. It falls as the sample "
        "grows: at one final ε the whole table needs the least."
    )
    st.markdown("**How the sample is drawn matters**")
    try:
        table = _schemes(epsilon, rate, people)
    except ParameterError as error:
        st.info(str(error))
        return
    results.table(table, key="ss-schemes")
    st.caption(
        "Drawing with replacement may take a person several times; with many draws "
        "that can be worse than no sample at all. The δ of an approximate guarantee "
        "shrinks with the share of rows as well."
    )


def profiles() -> None:
    """Show the whole privacy profile, and why zCDP gains nothing."""
    first, second, third = controls.row(3)
    rate = first.slider(
        "Share of rows in the sample",
        0.1,
        (0.001, 1.0, 0.001),
        format="%g",
        key="ss-profile-rate",
        note=SHARE_HELP,
    )
    ratio = second.slider(
        "Shift of one person over the noise",
        1.0,
        (0.1, _MOST_SHIFT, 0.1),
        key="ss-ratio",
        note="Over the scale of Laplace noise, over the standard deviation of Gaussian "
        "noise. For Laplace noise it is ε on the sample.",
    )
    delta = third.delta(key="ss-delta", note="The chance that the guarantee fails for a person.")
    # As far as the least noise needs, so that the axis does not move with the noise.
    epsilon = np.linspace(0, 2 * _MOST_SHIFT, _POINTS)
    # Just below its level Laplace noise falls to 0 steeply.
    steep = np.append(1 - np.geomspace(1e-12, 0.1, 15), 1 + 1e-9)
    for level in (ratio, float(amplify(ratio, rate))):
        epsilon = np.union1d(epsilon, level * steep)
    shown: dict[amplification.NoiseLaw, tuple[np.ndarray, np.ndarray]] = {
        "laplace": (
            laplace.delta_of(ratio, epsilon),
            amplification.subsampled_delta("laplace", ratio, rate, epsilon),
        ),
        "gaussian": (
            gaussian.delta_of(ratio, epsilon),
            amplification.subsampled_delta("gaussian", ratio, rate, epsilon),
        ),
    }
    picture = figures.profile_picture(epsilon, shown, rate=rate)
    results.show(picture, "profiles", simulated=True)
    st.markdown(
        "Zero-concentrated DP (ρ) limits the Renyi divergence at *every* order, and at "
        "high orders the few draws that include the person decide. So a sample does "
        "not make ρ smaller: the rule ρ q² that some texts use is not valid."
    )
    curve = renyi_curve(ratio, rate, delta)
    results.show(figures.renyi_picture(curve), "renyi", simulated=True)
    st.markdown("**Many releases, each from a sample of its own**")
    _many_releases(ratio, rate, delta)


def points(share: float) -> str:
    """Return a share in percent with 3 digits.

    >>> points(0.0055105)
    '0.551 %'
    """
    return f"{significant(100 * share)} %"


def definitions() -> None:
    """Define the words, and name the sources."""
    st.markdown(
        "**Secret sample.** Rows are drawn at random, without a look at their values, "
        "and nobody learns which. *Poisson*: everybody with the same chance, "
        "independently. *Without replacement*: a fixed number of different rows. *With "
        "replacement*: a row may be drawn several times.\n\n**ε, privacy budget.** How "
        "much one person can change the odds of any answer: by a factor eᵋ at most. "
        "**δ**: the chance that this fails.\n\n**Amplification.** With share q, an "
        "analysis that is ε-DP on the sample is log(1 + q (eᵋ − 1))-DP for the table; "
        "of its profile, δ(ε) becomes q δ(ε) at that level.\n\n**Sources.** A. Smith, "
        "*Differential privacy and the secrecy of the sample*, 2009: lemma 3 and notes "
        "a to c. Exact bounds: B. Balle, G. Barthe and M. Gaboardi, 2018, theorems 8 "
        "to 10. The Renyi curve: I. Mironov, K. Talwar and L. Zhang, 2019. Complex "
        "surveys: M. Bun, J. Drechsler, M. Gaboardi, A. McMillan and J. Sarathy, 2022."
    )


def _table_of_levels(target: float, epsilon: float, people: int, delta: float) -> pd.DataFrame:
    rates = np.array(_RATES)
    allowed = base_epsilon(target, rates)
    # Where delta is not below the rate, the sampled rows themselves might be shown.
    sigma = [
        1 / (q * gaussian.mu_for(float(level), delta / q)) if delta < q else 0.0
        for q, level in zip(rates, allowed, strict=True)
    ]
    columns = (rates * people, 1 / (rates * allowed), sigma)
    return pd.DataFrame(
        {
            "share of rows": rates,
            "ε allowed on the sample": allowed,
            "what remains of the ε above": amplify(epsilon, rates),
            **dict(zip(_IN_DIGITS, columns, strict=True)),
        }
    )


def _schemes(epsilon: float, rate: float, people: int) -> pd.DataFrame:
    draws = max(round(rate * people), 1)
    rows = [
        ("each row with the same chance (Poisson)", "one more or less", rate),
        ("each row with the same chance (Poisson)", "a record replaced", rate),
        (f"{draws:,} different rows", "a record replaced", draws / people),
        (f"{draws:,} draws with replacement", "a record replaced", draws / people),
    ]
    final = [
        float(amplify(epsilon, rate)),
        float(amplify_replacement(epsilon, rate)),
        float(amplify(epsilon, min(draws / people, 1.0))),
        amplify_with_replacement(epsilon, draws, people),
    ]
    return pd.DataFrame(
        {
            "how the sample is drawn": [row[0] for row in rows],
            "protected against": [row[1] for row in rows],
            "ε on the sample": epsilon,
            "ε of the answer": [epsilon_text(one) for one in final],
        }
    )


def _many_releases(ratio: float, rate: float, delta: float) -> None:
    """Show what many releases cost, each from a sample of its own."""
    left, right = controls.row(2)
    times = left.number("Releases, each from a fresh sample", 100, (1, MOST_TIMES), key="ss-times")
    laws: list[NoiseLaw] = ["gaussian", "laplace"]
    law = right.selectbox(
        "Noise",
        laws,
        format_func=lambda law: {"gaussian": "Gaussian", "laplace": "Laplace"}[law],
        key="ss-law",
    )
    with st.spinner("Composing the releases …"):
        total = session.remember(
            "subsampling-repeated",
            f"{law} {ratio!r} {rate!r} {times} {delta!r}",
            lambda: repeated(law, ratio, rate, times=times, delta=delta),
        )
    cells = st.columns(3)
    cells[0].metric(
        "Added up",
        f"ε {epsilon_text(total.basic)}",
        help="The ε of each release times their number: always right, and seldom the least.",
    )
    cells[1].metric(
        "By Renyi divergences" if law == "gaussian" else "By zCDP",
        f"ε {epsilon_text(total.renyi)}",
        help="A finer way to add up, which is right, too, at the δ above; often less "
        "for many releases.",
    )
    known = math.isfinite(total.pld)
    cells[2].metric(
        "Privacy loss distributions",
        f"ε {epsilon_text(total.pld)}" if known else "not available",
        help="Convolved numerically, rounded up: tight but for the width of the cells.",
    )
    if not known:
        st.caption(
            f"Convolving has rounding errors in δ, here up to "
            f"{significant(rounding(times), up=True)}, and reaches no losses that are "
            "astronomically large: the other two ways of counting hold."
        )
    st.caption(
        f"For {times:,} releases fixed in advance, at δ {significant(delta)}, one "
        "person more or less."
    )
