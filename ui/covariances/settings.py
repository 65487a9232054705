"""The settings of Study 1. All of them are public, and stand in the address."""

from __future__ import annotations

import streamlit as st

from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.covariance_study import (
    COMPARED,
    CovarianceDesign,
    Degenerate,
    half_widths_holding,
)
from dpcore.wording import percent
from ui import controls

_LOST = "Reconstructed: the number of the original was lost with its formulas."
_MULTIPLE, _SHARE = "standard deviations", "share of a Gaussian"


def ask() -> tuple[CovarianceDesign, int]:
    """Show the controls; return the design and the seed of its simulation.

    Raises:
        ParameterError: A setting lies outside its domain.

    """
    first, second, third = controls.row(3)
    correlations = first.numbers(
        "Correlations (reconstructed)",
        "0, -0.5, 0.9",
        key="s1-correlations",
        note=f"Known: none, moderate negative, strong positive. {_LOST}",
    )
    people = second.numbers(
        "Numbers of people",
        "50, 100, 200, 400, 800",
        key="s1-people",
        note="Known: from 50 to 800. The numbers between are reconstructed.",
    )
    epsilon = third.number(
        "ε in all (reconstructed)",
        1.0,
        (1e-6, 100.0, 0.5),
        key="s1-epsilon",
        note=f"{controls.EPSILON_HELP} {_LOST}",
    )
    # On a row of its own: its names are long, and cut in a narrow column.
    keys = st.multiselect(
        "Mechanisms",
        list(COMPARED),
        default=list(COMPARED),
        format_func=lambda key: CATALOG[key].label,
        key="s1-mechanisms",
        bind="query-params",
        help="The original compares truncation as published with BIT. Calibrated "
        "truncation has the noise that it needs to keep its promise.",
    )
    with st.expander("More settings", key="s1-more"):
        deviations, half_widths = _spread()
        weights = _split()
        cells = controls.row(3)
        repetitions = cells[0].number(
            "Repetitions",
            500,
            (2, 200_000, 500),
            key="s1-repetitions",
            note="How often each matrix is sanitized. The original: 500.",
        )
        degenerate = cells[1].selectbox(
            "A release without a correlation",
            list(Degenerate),
            key="s1-degenerate",
            note="BIT may release a variance of exactly 0; then the correlation is not "
            "defined. The original does not say what became of those.",
        )
        seed = cells[2].seed(key="s1-seed")
    design = CovarianceDesign(
        deviations=deviations,
        half_widths=half_widths,
        correlations=controls.listed(correlations, float, "correlations"),
        people=controls.listed(people, int, "numbers of people"),
        epsilon=epsilon,
        weights=weights,
        repetitions=repetitions,
        keys=tuple(key for key in COMPARED if key in keys),
        degenerate=degenerate,
    )
    return design, seed


def _spread() -> tuple[tuple[float, float], tuple[float, float]]:
    """Ask for standard deviations and bounds of the two variables."""
    cells = controls.row(4)
    first = cells[0].number(
        "Standard deviation of the first", 1.0, (1e-3, 1e3), key="s1-first", note="The original: 1."
    )
    second = cells[1].number(
        "Of the second (reconstructed)", 2.0, (1e-3, 1e3), key="s1-second", note=_LOST
    )
    form = cells[2].selectbox(
        "Bounds given as",
        [_MULTIPLE, _SHARE],
        key="s1-bounds",
        note="The bounds lie on either side of 0, alike for both variables.",
    )
    if form == _SHARE:
        share = cells[3].number(
            "Share within the bounds, %", 99.0, (50.0, 99.999999), key="s1-share", note=_LOST
        )
        return (first, second), half_widths_holding(share / 100, (first, second))
    multiple = cells[3].number(
        "Bounds at ± (reconstructed)",
        4.0,
        (1.0, 50.0, 0.5),
        key="s1-multiple",
        note=f"{_LOST} Wider bounds need more noise.",
    )
    bounds = multiple * first, multiple * second
    held = percent(CovarianceDesign(half_widths=bounds, deviations=(first, second)).shares[0])
    st.caption(f"Bounds at ± {multiple:g} standard deviations hold {held} of a Gaussian.")
    return (first, second), bounds


def _split() -> tuple[float, float, float]:
    """Ask for the split of the budget."""
    names = ("first variance", "second variance", "covariance")
    first, second, third = (
        cell.number(
            f"Weight of the {name}",
            1.0,
            (0.01, 100.0, 0.5),
            key=f"s1-weight-{place}",
            note="Share of the budget, relative to the others. The original: equal.",
        )
        for place, (name, cell) in enumerate(zip(names, controls.row(3), strict=True))
    )
    return first, second, third
