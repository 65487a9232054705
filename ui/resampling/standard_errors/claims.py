"""The page of standard errors: what is claimed beside what is measured and repaired."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import streamlit as st

from dpcore.figures.resampling.bootstrap import apart, length, share_text
from dpcore.inference.bootstrap_intervals import BoughtVariance
from dpcore.privacy.bootstrap_cost import claimed_epsilon, resampled_delta, resampled_step
from dpcore.privacy.bootstrap_profiles import Bound, renyi_two
from dpcore.studies.resampling.bootstrap_study import (
    BootstrapLevels,
    exact_coverage,
    mean_length,
    parts,
)
from dpcore.wording import percent, significant
from ui import work
from ui.resampling.standard_errors.asking import find_noise
from ui.resampling.standard_errors.settings import BootstrapSettings

_PIECES = 4
_SHARE = 0.1
_CLOSE = 1 - 1e-6
"""Levels that are attained are known up to that share, by discretizing the loss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What the bootstraps really reveal; ``delta`` is that at the claimed epsilon."""

    levels: BootstrapLevels
    delta: float


def answer(asked: BootstrapSettings) -> BootstrapSettings:
    """Show what is claimed, what is measured and what is repaired, side by side.

    Return the settings with the factor on the noise that repairs it, once it is found.
    """
    e = asked.experiment
    headline = st.empty()
    with headline:
        _headline(asked, None)
    claimed, measured, repaired = st.columns(3)
    with claimed.container(border=True, height="stretch"):
        _claimed(asked)
    with measured.container(border=True, height="stretch"):
        found = _measured(asked)
    with repaired.container(border=True, height="stretch"):
        st.subheader("Corrected", anchor=False)
        factor = None
        if found is None:
            st.caption("Follows what is measured.")
        else:
            factor = _repair(asked)
        if factor is not None:
            _repaired(asked, factor)
    st.caption(
        f"Of {e.people:,} people, {e.times} bootstraps, ρ {e.rho:g} and δ "
        f"{significant(asked.delta)}."
    )
    if found is not None:
        with headline:
            _headline(asked, found)
        _why(asked, found)
    return replace(asked, factor=factor)


def _headline(asked: BootstrapSettings, found: _Found | None) -> None:
    """Say what a reader can check: promises beside what is so."""
    e = asked.experiment
    worst = min(asked.shown[:3], key=lambda one: exact_coverage(e, one.method))
    covered = exact_coverage(e, worst.method)
    promised = percent(asked.level)
    if covered < asked.level:
        text = (
            f"**What is wrong, and which numbers prove it.** Promised {promised}, true "
            f"in **{share_text(covered)}**: intervals with the {worst.name} error."
        )
    else:
        text = (
            "**What holds, and what is wrong.** All intervals hold the truth in the "
            f"{promised} that they promise, or more."
        )
    if found is not None:
        pair = apart(found.levels.claimed, found.levels.attained * _CLOSE)
        text += (
            f" Privacy: promised ε {pair[0]}, really at least ε **{pair[1]}**."
            if pair
            else " What is lost in privacy is too little to show here."
        )
    st.markdown(text)


def _why(asked: BootstrapSettings, found: _Found) -> None:
    """Say why privacy is worse than claimed, by two numbers that anyone can check."""
    e = asked.experiment
    proof = renyi_two(resampled_step(1.0, rho=e.rho, times=e.times), people=e.people)
    pair = apart(2 * e.rho / e.times, proof)
    text = (
        "**Why.** A person who happens to be drawn several times moves a resample "
        "several times as far, and not being drawn at other times does not make up for "
        "it."
    )
    if pair:
        text += (
            " Two tables that differ in one person are a divergence of order 2 of "
            f"**{pair[1]}** apart after each bootstrap, where the claim allows 2ρ/k = "
            f"{pair[0]}."
        )
    pair = apart(asked.delta, found.delta)
    if pair:
        text += (
            f" At the claimed ε the guarantee fails with δ of at least {pair[1]} "
            f"instead of {significant(asked.delta)}."
        )
    st.markdown(text)


def _claimed(asked: BootstrapSettings) -> None:
    e = asked.experiment
    st.subheader("Claimed", anchor=False)
    st.metric(
        f"Privacy, ε at δ {significant(asked.delta)}",
        f"ε {significant(claimed_epsilon(e.rho, asked.delta), 5)}",
        help=f"What ρ {e.rho:g} means for Gaussian noise.",
    )
    st.markdown(
        f"- The average of {e.times} noisy bootstraps is as good as one release with "
        "the whole budget.\n"
        "- Their spread gives its standard error for free.\n"
        f"- A conservative {percent(asked.level)} interval holds the truth in at least "
        f"{percent(asked.level)}."
    )


def _measured(asked: BootstrapSettings) -> _Found | None:
    """Show what is measured; return what the bootstraps reveal once it is known."""
    e = asked.experiment
    unbiased, conservative, *_ = asked.shown
    st.subheader("Measured", anchor=False)
    found = _found(asked)
    if found is not None:
        real = found.levels
        pair = apart(real.claimed, real.attained * _CLOSE)
        st.metric(
            f"Privacy, at least (ε at δ {significant(asked.delta)})",
            f"ε {pair[1] if pair else significant(real.attained, 4)}",
            help="Two tables that differ in one person really are that far apart.",
        )
        st.markdown(
            f"- At most ε {significant(real.mean, 4, up=True)} for means, "
            f"{significant(real.generic, 4, up=True)} for any other statistic."
        )
    more = (e.bagged_error_given_table / e.one_shot_error_given_table) ** 2 - 1
    shares = [
        share_text(covered)
        for covered in (
            exact_coverage(e, unbiased.method),
            exact_coverage(e, conservative.method),
            _least(asked),
        )
    ]
    st.markdown(
        f"- Around the table's own mean the average has {percent(more)} more variance "
        f"than one release.\n- {percent(asked.level)} intervals with the unbiased "
        f"error hold the truth in {shares[0]}, with the conservative one in "
        f"{shares[1]}, and with little noise in {shares[2]}."
    )
    return found


def _found(asked: BootstrapSettings) -> _Found | None:
    """Return what the bootstraps really reveal, once all of it is added up."""
    e = asked.experiment

    def pieces() -> Iterator[float]:
        yield from parts(rho=e.rho, delta=asked.delta, people=e.people, times=e.times)
        yield resampled_delta(
            1.0,
            rho=e.rho,
            times=e.times,
            people=e.people,
            epsilon=claimed_epsilon(e.rho, asked.delta),
            bound=Bound.ATTAINED,
        )

    found = work.follow(
        "se-measured",
        repr((e.rho, e.times, e.people, asked.delta)),
        _PIECES,
        pieces,
        doing="Adding up what the bootstraps reveal",
    )
    if found is None or len(found) < _PIECES:
        return None
    *levels, delta = found
    real = BootstrapLevels.of(levels, rho=e.rho, delta=asked.delta, times=e.times)
    return _Found(levels=real, delta=delta)


def _repaired(asked: BootstrapSettings, factor: float) -> None:
    claim = claimed_epsilon(asked.experiment.rho, asked.delta)
    st.metric(
        f"Privacy, ε at δ {significant(asked.delta)}",
        f"ε {significant(claim, 5)}",
        help="By the same computation, with more noise.",
    )
    e = replace(asked.experiment, factor=factor)
    corrected = asked.shown[3]
    st.markdown(
        f"- It takes {significant(factor, 4)} times the variance of the noise.\n"
        f"- The corrected {percent(asked.level)} interval holds the truth in "
        f"{share_text(exact_coverage(e, corrected.method))}; it is "
        f"{length(mean_length(e, corrected.method), e)}.\n" + _rival(asked)
    )


def _rival(asked: BootstrapSettings) -> str:
    """Say what the same rho buys when a part of it pays for the variance."""
    e = asked.experiment
    bought = BoughtVariance(
        width=e.population.bounds.width, people=e.people, rho=e.rho, share=_SHARE
    )
    variance = e.population.sd**2 * (e.people - 1) / e.people
    mine = 2 * float(bought.half_width(variance, level=asked.level))
    return (
        f"- Is free even cheap? Paying {percent(_SHARE)} of ρ for the variance gives "
        f"an interval that is {length(mine, e)}, with a claim that holds."
    )


def _least(asked: BootstrapSettings) -> float:
    """Return the coverage of the conservative interval where noise hardly counts."""
    clear = replace(asked.experiment, rho=1e9 * asked.experiment.rho)
    return exact_coverage(clear, asked.shown[1].method)


def _repair(asked: BootstrapSettings) -> float | None:
    """Return the factor on the noise that makes the claim hold, once it is found."""
    e = asked.experiment
    return find_noise(
        "se-repair", asked.bound, rho=e.rho, delta=asked.delta, times=e.times, people=e.people
    )


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
