"""The page of the resized bootstrap: claimed, measured and repaired, side by side."""

from __future__ import annotations

import math

import streamlit as st

from dpcore.figures.resampling.resized import chance
from dpcore.mechanisms.resized_bootstrap import ResizedBootstrap
from dpcore.mechanisms.resized_repair import NoisyResample
from dpcore.studies.resampling.resized_study import laplace_variance
from dpcore.wording import epsilon_text, people, significant
from ui.resampling.resized.settings import ResizedCase

_DELTA = 1e-6
_SURE = 0.95
_RARELY = 0.2


def answer(case: ResizedCase) -> None:
    """Show the three columns for a simulated table, and what proves the point."""
    bootstrap, ones = case.bootstrap, case.ones
    claimed, measured, repaired = st.columns(3)
    share = ones / bootstrap.people
    real = float(bootstrap.variance(share))
    with claimed.container(border=True, height="stretch"):
        _claimed(bootstrap)
    with measured.container(border=True, height="stretch"):
        _measured(bootstrap, case.scores)
        once, often = (
            max(pair.epsilon(_DELTA) for pair in bootstrap.around(ones, scores=k))
            for k in (1, case.scores)
        )
        several = ""
        if case.scores > 1:
            several = f", {epsilon_text(often)} for {case.scores:,}"
        if ones == bootstrap.people:
            trait = "A trait that all have"
        else:
            trait = f"A trait that {people(ones) if ones else 'nobody'} "
            trait += "has" if ones <= 1 else "have"
        st.markdown(
            f"- {trait}: ε {epsilon_text(once)} at δ {significant(_DELTA)} for one "
            f"score{several}.\n- "
            f"Variance of that share: {significant(real)}, "
            + (
                f"{significant(real / bootstrap.claimed_variance)} times the claim."
                if real
                else "as all rows are alike."
            )
        )
    with repaired.container(border=True, height="stretch"):
        fixed = case.repaired
        _repaired(fixed, case.epsilon, 1.0)
        error = math.sqrt(float(fixed.variance(1.0, share * (1 - share))))
        whole = math.sqrt(laplace_variance(bootstrap.people, case.epsilon))
        st.markdown(
            f"- Typical error {significant(error)}. The same noise promise on *all* "
            f"rows: {significant(whole)}. Resampling only adds error here."
        )
    verdict(bootstrap)


def answer_public(
    bootstrap: ResizedBootstrap,
    repaired: NoisyResample,
    *,
    scores: int,
    epsilon: float,
    width: float,
) -> None:
    """Show the three columns for a table in use, from public numbers only."""
    left, middle, right = st.columns(3)
    with left.container(border=True, height="stretch"):
        _claimed(bootstrap)
    with middle.container(border=True, height="stretch"):
        _measured(bootstrap, scores)
    with right.container(border=True, height="stretch"):
        _repaired(repaired, epsilon, width)
    verdict(bootstrap)


def verdict(bootstrap: ResizedBootstrap) -> None:
    """Say what is wrong with the claim, and which number proves it."""
    tau = bootstrap.delta()
    drawn = "Being drawn rarely" if tau < _RARELY else "Not always being drawn"
    st.markdown(
        f"**What is wrong, and which number proves it.** {drawn} is not the same as "
        "being hidden: if one person alone has a trait, a score above 0 is proof, and "
        f"it comes with probability **{chance(tau)}** where the claim ε "
        f"{epsilon_text(bootstrap.claimed_epsilon)} allows 0; so δ is "
        f"{significant(tau)} at *every* ε, what publishing {chance(tau)} of the raw "
        "rows would give."
    )


def _claimed(bootstrap: ResizedBootstrap) -> None:
    st.subheader("Claimed", anchor=False)
    st.metric(
        "Privacy",
        f"ε {epsilon_text(bootstrap.claimed_epsilon)}",
        help="ε = 1/Z, for each score, without a δ.",
    )
    st.markdown(
        f"- {bootstrap.draws:,} of {bootstrap.people:,} rows are drawn, with "
        "replacement, for every score; no noise is added.\n- A person is drawn with "
        f"probability at most 1/Z = {chance(bootstrap.claimed_appearance)}.\n- A share "
        f"has the variance Z/n² = {significant(bootstrap.claimed_variance)}."
    )


def _measured(bootstrap: ResizedBootstrap, scores: int) -> None:
    tau = bootstrap.delta()
    st.subheader("Measured", anchor=False)
    st.metric(
        "Privacy",
        "no finite ε",
        delta=f"δ {significant(tau)} at every ε",
        delta_color="inverse",
        delta_arrow="off",
        help="(0, δ)-DP: with probability 1 − δ nothing at all is told about a person; "
        "with probability δ everything may be.",
    )
    above = (
        ", more than claimed: the sample size is rounded up"
        if tau > bootstrap.claimed_appearance
        else ""
    )
    enough = bootstrap.looks_until(_SURE)
    proof = (
        f"- A trait that one person has: {_scores(scores)} it with probability "
        f"{chance(bootstrap.delta(scores=scores))}"
    )
    if enough == scores:
        proof += ", the fewest that come to 95 %."
    elif enough == 1:
        proof += "; one is enough for 95 %."
    else:
        proof += f"; {enough:,} are enough for 95 %."
    st.markdown(f"- A person is drawn with probability {chance(tau)}{above}.\n{proof}")


def _repaired(fixed: NoisyResample, epsilon: float, width: float) -> None:
    st.subheader("Repaired", anchor=False)
    st.metric(
        "Privacy", f"ε {epsilon_text(epsilon)}", help="Holds for every table, and can be released."
    )
    st.markdown(
        f"- The same resample of {fixed.draws:,} rows, and Laplace noise of scale "
        f"{significant(fixed.scale(width))} on its mean.\n- Noise alone hides one row "
        f"of the *sample* with ε {epsilon_text(fixed.level)}. {_moved(fixed)}"
    )


def _scores(number: int) -> str:
    return "1 score proves" if number == 1 else f"{number:,} scores prove"


def _moved(fixed: NoisyResample) -> str:
    """Say what the sample makes of the level that noise alone gives a row of it."""
    before, after = fixed.level, fixed.epsilon()
    if after > before:
        return f"That a person may be drawn several times raises it to {epsilon_text(after)}."
    if after == before:
        return "The sample leaves it at that."
    drawn = 1 - (1 - fixed.rows / fixed.people) ** fixed.draws
    how = "is rarely" if drawn < _RARELY else "may not be"
    return f"That a person {how} drawn lowers it to {epsilon_text(after)}."


def details() -> None:
    """Explain the terms, and where they come from."""
    st.markdown(
        "**Resized bootstrap.** Of n rows draw m = ⌈n/Z⌉ with replacement, compute the "
        "score of these rows, and draw anew for every question. Source: J. Mount and "
        "N. Zumel, *A simple differentially private procedure*, Win-Vector blog, "
        "October 2015, which claims ε = 1/Z.\n\n**Why it fails.** Two tables differ in "
        "one row. With the same draws they give the same score unless that row is "
        "drawn, which happens with probability τ = 1 − (1 − 1/n)^m. So δ is at most τ, "
        "for every score. A score that shows whether the row was drawn attains it at "
        "every ε, because the other table cannot give such a score at all. K scores "
        "are one with K m draws.\n\n**A trait of k people.** The number of ones in the "
        "sample is binomial, Bin(m, k/n) or Bin(m, (k + 1)/n), and δ(ε) = Σ max(0, "
        "P(c) − e^ε Q(c)), summed exactly; the larger direction "
        "counts.\n\n**Repaired.** Laplace noise of scale b on the mean of the m rows, "
        "R the width of the bounds, gives ε′ = m log(1 + (e^(R/(m b)) − 1)/n): exact "
        "for shares, and for numbers as long as ε′ ≤ R/(m b), beyond which a slightly "
        "larger bound counts. With a δ: Balle, Barthe and Gaboardi (2018), theorem 10, "
        "or what the pure level allows, whichever is less. Without a δ that is never "
        "less noise than the mean of all rows needs for the same promise, and the "
        "sample adds its own error: this shows how to mend the method, and is no "
        "recommendation. A δ lowers the noise only because that small chance excuses "
        "showing a row that was drawn; it must be below one in the number of people."
    )
