"""The stations about what noisy bootstraps reveal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.figures.resampling.bootstrap.levels import levels_picture
from dpcore.figures.resampling.bootstrap.releases import copies_picture
from dpcore.privacy.bootstrap.calibration import ASYMPTOTIC, PUBLISHED
from dpcore.privacy.bootstrap.counterexamples import zcdp_level
from dpcore.studies.resampling.bootstrap import levels as bootstrap_levels
from dpcore.wording import significant
from ui import results, work

if TYPE_CHECKING:
    from ui.resampling.standard_errors.settings import Settings

_LEVELS = (1, 2, 5, 10, 20, 50, 100, 200)


def levels(asked: Settings) -> None:
    """Draw what the bootstraps really reveal, for several numbers of them."""
    e = asked.experiment
    times = sorted({*_LEVELS, e.times})
    found = work.follow(
        "se-levels",
        repr((e.rho, e.people, e.times, asked.delta)),
        len(times),
        lambda: (
            bootstrap_levels.levels(
                rho=e.rho, delta=asked.delta, people=e.people, times=k
            )
            for k in times
        ),
        doing="Adding up what the bootstraps reveal",
    )
    if not found:
        return
    whole = zcdp_level((2 * e.rho / e.times) ** 0.5, people=e.people)
    picture = levels_picture(found, here=e.times, delta=asked.delta)
    results.show(picture, "se-levels", simulated=True)
    st.markdown(
        "The lower line is no bound but a fact: two tables that differ in one person "
        "are that far apart. Few bootstraps are worst, because one that draws a "
        "person several times is a large part of the answer. In the terms of the "
        "claim the truth is bleaker: one bootstrap with ρ/k does have a zCDP level, "
        f"n² ρ/k = {significant(whole)}."
    )
    _modes(asked)


def _modes(asked: Settings) -> None:
    """List the three ways to choose the noise, with what each of them really gives."""
    e = asked.experiment
    factors = {
        "as published": PUBLISHED,
        "corrected for very many bootstraps (2 - 2/e)": ASYMPTOTIC,
    }
    if asked.factor is not None:
        factors[f"corrected for {e.times} bootstraps"] = asked.factor
    found = work.follow(
        "se-modes",
        repr((e.rho, e.people, e.times, asked.delta, tuple(factors.values()))),
        len(factors),
        lambda: (
            bootstrap_levels.levels(
                rho=e.rho, delta=asked.delta, people=e.people, times=e.times, factor=c
            )
            for c in factors.values()
        ),
        doing="Adding up what each of them reveals",
    )
    if not found:
        return
    rows = [
        {
            "noise": name,
            "factor on its variance": c,
            "claimed ε": one.claimed,
            "ε at least": one.attained,
            "at most, means": one.mean,
            "at most, any statistic": one.generic,
        }
        for (name, c), one in zip(factors.items(), found, strict=False)
    ]
    st.markdown("**Three ways to choose the noise, and what each really gives**")
    results.table(rows, key="se-modes-table")
    st.caption(
        "A claim holds where “at most” does not exceed it. The factor 2 - 2/e is right "
        "in the limit of many bootstraps; for a given number it may be too small. What "
        "is released uses the factor for that number."
    )


def copies(asked: Settings) -> None:
    """Draw how often a row is drawn."""
    results.show(copies_picture(asked.experiment), "se-copies", simulated=True)
    st.markdown(
        "The source adds noise to each of these parts and releases their sum. The "
        "noises add up to one, so that the sum is a resample with one Gaussian noise; "
        "that is how it is done here. Released one by one, the rare parts would be "
        "hardly protected: the table says by how much."
    )
