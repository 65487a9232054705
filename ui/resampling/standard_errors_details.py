"""What the page of standard errors speaks of, and where it is from."""

from __future__ import annotations

import streamlit as st


def show() -> None:
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
