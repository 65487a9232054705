"""The page of standard errors: what is claimed beside what is measured and repaired."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.figures.wording import epsilon_text, percent, significant
from dpcore.inference.bought_variance import BoughtVariance
from dpcore.privacy.bootstrap_bounds import Bound
from dpcore.privacy.bootstrap_calibration import search
from dpcore.privacy.bootstrap_composition import delta_at, step
from dpcore.privacy.bootstrap_counterexamples import renyi_two
from dpcore.studies.resampling.bootstrap_coverage import exact_coverage, mean_length
from ui import running

if TYPE_CHECKING:
    from dpcore.studies.resampling.bootstrap_levels import Levels
    from ui.resampling.standard_errors_settings import Settings

_SEARCH_STEPS = 11
_SHARE = 0.1


def answer(asked: Settings) -> Settings:
    """Show what is claimed, what is measured and what is repaired, side by side.

    Return the settings with the factor on the noise that repairs it, once it is found.
    """
    with st.spinner("Adding up what the bootstraps reveal …"):
        real = asked.levels()
    e = asked.experiment
    claimed, measured, repaired = st.columns(3)
    with claimed.container(border=True, height="stretch"):
        _claimed(asked, real)
    with measured.container(border=True, height="stretch"):
        _measured(asked, real)
    with repaired.container(border=True, height="stretch"):
        factor = _repair(asked)
        if factor is not None:
            _repaired(asked, real, factor)
    mu = step(1.0, rho=e.rho, times=e.times)
    proof = renyi_two(mu, people=e.people)
    true_delta = delta_at(
        1.0,
        rho=e.rho,
        times=e.times,
        people=e.people,
        epsilon=real.claimed,
        bound=Bound.ATTAINED,
    )
    st.markdown(
        "**What is wrong, and which number proves it.** A person who happens to be "
        "drawn several times moves a resample several times as far, and not being "
        "drawn at other times does not make up for it: two tables that differ in one "
        "person are a divergence of order 2 of "
        f"**{significant(proof, 4)}** apart after each bootstrap, where the claim "
        f"allows 2ρ/k = {significant(2 * e.rho / e.times, 4)}. At the claimed "
        f"ε {significant(real.claimed, 5)} the guarantee fails with δ of at least "
        f"{_below(true_delta)} instead of {significant(asked.delta)}."
    )
    return replace(asked, factor=factor)


def _claimed(asked: Settings, real: Levels) -> None:
    e = asked.experiment
    st.subheader("Claimed", anchor=False)
    st.metric(
        f"Privacy, ε at δ {significant(asked.delta)}",
        f"ε {significant(real.claimed, 5)}",
        help=f"What ρ {e.rho:g} means for Gaussian noise.",
    )
    st.markdown(
        f"- The average of {e.times} noisy bootstraps is as good as one release with "
        "the whole budget.\n"
        "- Their spread gives its standard error for free.\n"
        f"- A conservative {percent(asked.level)} interval holds the truth in at least "
        f"{percent(asked.level)}."
    )


def _measured(asked: Settings, real: Levels) -> None:
    e = asked.experiment
    unbiased, conservative, *_ = asked.shown
    st.subheader("Measured", anchor=False)
    st.metric(
        f"Privacy, ε at δ {significant(asked.delta)}",
        f"ε {_below(real.attained)} to {significant(real.mean, 4, up=True)}",
        help="At least: two tables really are that far apart. At most: for means. For "
        f"any other statistic at most {epsilon_text(real.generic)}.",
    )
    more = (e.bagged_error_given_table / e.one_shot_error_given_table) ** 2 - 1
    st.markdown(
        f"- Around the table's own mean the average has {percent(more)} more "
        "variance than one release.\n"
        f"- {percent(asked.level)} intervals with the unbiased error hold the truth "
        f"in {_share(exact_coverage(e, unbiased.method))}, with the conservative one "
        f"in {_share(exact_coverage(e, conservative.method))}, and with little noise "
        f"in {_share(_least(asked))}."
    )


def _repaired(asked: Settings, real: Levels, factor: float) -> None:
    st.metric(
        f"Privacy, ε at δ {significant(asked.delta)}",
        f"ε {significant(real.claimed, 5)}",
        help="By the same computation, with more noise.",
    )
    e = replace(asked.experiment, factor=factor)
    corrected = asked.shown[3]
    unit = f" {e.population.unit}" if e.population.unit else ""
    text = (
        f"- It takes {significant(factor, 4)} times the variance of the noise.\n"
        f"- The corrected {percent(asked.level)} interval holds the truth in "
        f"{_share(exact_coverage(e, corrected.method))}; its length is "
        f"{significant(mean_length(e, corrected.method))}{unit}.\n"
    )
    st.markdown(text + _rival(asked))


def _rival(asked: Settings) -> str:
    """Say what the same rho buys when a part of it pays for the variance."""
    e = asked.experiment
    bought = BoughtVariance(
        width=e.population.bounds.width, people=e.people, rho=e.rho, share=_SHARE
    )
    variance = e.population.sd**2 * (e.people - 1) / e.people
    length = 2 * float(bought.half_width(variance, level=asked.level))
    return (
        f"- Is free even cheap? Paying {percent(_SHARE)} of ρ for the variance gives "
        f"an interval of length {significant(length)}, with a claim that holds."
    )


def _least(asked: Settings) -> float:
    """Return the coverage of the conservative interval where noise hardly counts."""
    clear = replace(asked.experiment, rho=1e9 * asked.experiment.rho)
    return exact_coverage(clear, asked.shown[1].method)


def _share(share: float) -> str:
    """Return a coverage with one digit after the point, more near 100 %."""
    return percent(share) if share > 0.999 else f"{100 * share:.1f} %"  # noqa: PLR2004


def _below(number: float, digits: int = 4) -> str:
    """Return a lower bound with that many digits, rounded down."""
    if number <= 0 or math.isinf(number):
        return significant(number)
    place = 10.0 ** (math.floor(math.log10(number)) + 1 - digits)
    return significant(math.floor(number / place * (1 - 1e-6)) * place, digits)


def _repair(asked: Settings) -> float | None:
    """Return the factor on the noise that makes the claim hold, once it is found."""
    st.subheader("Corrected", anchor=False)
    e = asked.experiment
    steps = running.follow(
        "se-repair",
        repr((e.rho, e.times, e.people, asked.delta, asked.bound.value)),
        _SEARCH_STEPS,
        lambda: search(
            rho=e.rho,
            delta=asked.delta,
            times=e.times,
            people=e.people,
            bound=asked.bound,
        ),
        doing="Looking for the noise that is enough",
    )
    if steps is None:
        return None
    if not steps or math.isinf(steps[-1].high):
        st.info("The search was stopped before it found enough noise.")
        return None
    return steps[-1].high


def details() -> None:
    """Define what the page speaks of, and say where it is from."""
    st.markdown(
        "A **bootstrap** is a resample: n people drawn from the n people of the table, "
        "with replacement; some are drawn twice or more, about 37 % not at all. Its "
        "mean gets Gaussian noise of variance k Δ²/(2ρ), where Δ is how far one person "
        "moves the mean (range over n) and k the number of bootstraps. m* is the "
        "average of all k, s² their sample variance.\n\n"
        "**Standard error**: √(s² − kV c/(k − 1) + V) with V = Δ²/(2ρ), the noise of "
        "the average, and c the lower α′ quantile of a chi-squared law with k − 1 "
        "degrees of freedom (*conservative*), k − 1 (*unbiased*) or 0 (*most "
        "conservative*). As published the whole is raised to 0 where it is negative, "
        "which gives intervals without length.\n\n"
        "**Corrected**: V + (n/(n − 1) + 1/k) max(0, s² − kV c/(k − 1)), which counts "
        "what resampling adds, and a t quantile. **Rigorous**: an upper confidence "
        "limit for the variance, and the rest of the error for the mean.\n\n"
        "**Privacy**: as published, the sum is claimed to be ρ-zCDP. The page composes "
        "the exact profile of one noisy resample of two tables (at least), a bound for "
        "means and a bound for any statistic (at most) over all k by privacy loss "
        "distributions. *Corrected* noise is chosen so that the upper bound meets the "
        "claim.\n\n"
        "**Exact** coverages assume that means over tables and resamples are normal; "
        "simulated ones do not. Sources: T. Brawner and J. Honaker, *Bootstrap "
        "inference and differential privacy: standard errors for free* (2018), eqs. 6 "
        "to 37, figures 2 to 9; B. Balle, G. Barthe and M. Gaboardi, *Privacy "
        "amplification by subsampling* (2018), theorem 10; Z. Wang, G. Cheng and J. "
        "Awan, *Differentially private bootstrap* (2022); P. Kairouz, S. Oh and P. "
        "Viswanath, *The composition theorem for differential privacy* (2015)."
    )
