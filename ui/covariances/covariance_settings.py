"""The settings of Study 1. All of them are public, and stand in the address."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.errors import ParameterError
from dpcore.figures.wording import percent
from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.covariances.covariance_design import (
    COMPARED,
    Degenerate,
    Design,
    half_widths_holding,
)
from ui.asking.inputs import EPSILON_HELP

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    _N = TypeVar("_N", int, float)

_LOST = "Reconstructed: the number of the original was lost with its formulas."
_MULTIPLE, _SHARE = "standard deviations", "share of a Gaussian"


def ask() -> tuple[Design, int]:
    """Show the controls; return the design and the seed of its simulation.

    Raises:
        ParameterError: A setting lies outside its domain.

    """
    first, second, third = st.columns(3)
    correlations = first.text_input(
        "Correlations (reconstructed)",
        "0, -0.5, 0.9",
        key="s1-correlations",
        bind="query-params",
        help=f"Known: none, moderate negative, strong positive. {_LOST}",
    )
    people = second.text_input(
        "Numbers of people",
        "50, 100, 200, 400, 800",
        key="s1-people",
        bind="query-params",
        help="Known: from 50 to 800. The numbers between are reconstructed.",
    )
    epsilon = third.number_input(
        "ε in all (reconstructed)",
        min_value=1e-6,
        max_value=100.0,
        value=1.0,
        step=0.5,
        format="%g",
        key="s1-epsilon",
        bind="query-params",
        help=f"{EPSILON_HELP} {_LOST}",
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
        cells = st.columns(3)
        rules: list[Degenerate] = list(Degenerate)
        repetitions = cells[0].number_input(
            "Repetitions",
            min_value=2,
            max_value=200_000,
            value=500,
            step=500,
            key="s1-repetitions",
            bind="query-params",
            help="How often each matrix is sanitized. The original: 500.",
        )
        degenerate = cells[1].selectbox(
            "A release without a correlation",
            rules,
            key="s1-degenerate",
            bind="query-params",
            help="BIT may release a variance of exactly 0; then the correlation is not "
            "defined. The original does not say what became of those.",
        )
        seed = cells[2].number_input(
            "Seed",
            min_value=0,
            max_value=10**6,
            value=1,
            step=1,
            key="s1-seed",
            bind="query-params",
            help="Another seed, another run of luck.",
        )
    design = Design(
        deviations=deviations,
        half_widths=half_widths,
        correlations=_numbers(correlations, float, "correlations"),
        people=_numbers(people, int, "whole numbers of people"),
        epsilon=epsilon,
        weights=weights,
        repetitions=repetitions,
        keys=tuple(key for key in COMPARED if key in keys),
        degenerate=degenerate,
    )
    return design, seed


def _spread() -> tuple[tuple[float, float], tuple[float, float]]:
    """Ask for standard deviations and bounds of the two variables."""
    cells = st.columns(4)
    first = cells[0].number_input(
        "Standard deviation of the first",
        value=1.0,
        key="s1-first",
        bind="query-params",
        help="The original: 1.",
        min_value=1e-3,
        max_value=1e3,
        format="%g",
    )
    second = cells[1].number_input(
        "Of the second (reconstructed)",
        value=2.0,
        key="s1-second",
        bind="query-params",
        help=_LOST,
        min_value=1e-3,
        max_value=1e3,
        format="%g",
    )
    form = cells[2].selectbox(
        "Bounds given as",
        [_MULTIPLE, _SHARE],
        key="s1-bounds",
        bind="query-params",
        help="The bounds lie on either side of 0, alike for both variables.",
    )
    if form == _SHARE:
        share = cells[3].number_input(
            "Share within the bounds, %",
            min_value=50.0,
            max_value=99.999999,
            value=99.0,
            format="%g",
            key="s1-share",
            bind="query-params",
            help=_LOST,
        )
        return (first, second), half_widths_holding(share / 100, (first, second))
    multiple = cells[3].number_input(
        "Bounds at ± (reconstructed)",
        min_value=1.0,
        max_value=50.0,
        value=4.0,
        step=0.5,
        format="%g",
        key="s1-multiple",
        bind="query-params",
        help=f"{_LOST} Wider bounds need more noise.",
    )
    bounds = multiple * first, multiple * second
    held = percent(Design(half_widths=bounds, deviations=(first, second)).shares[0])
    st.caption(
        f"Bounds at ± {multiple:g} standard deviations hold {held} of a Gaussian."
    )
    return (first, second), bounds


def _split() -> tuple[float, float, float]:
    """Ask for the split of the budget."""
    names = ("first variance", "second variance", "covariance")
    first, second, third = (
        cell.number_input(
            f"Weight of the {name}",
            min_value=0.01,
            max_value=100.0,
            value=1.0,
            step=0.5,
            format="%g",
            key=f"s1-weight-{place}",
            bind="query-params",
            help="Share of the budget, relative to the others. The original: equal.",
        )
        for place, (name, cell) in enumerate(zip(names, st.columns(3), strict=True))
    )
    return first, second, third


def _numbers(text: str, kind: Callable[[str], _N], what: str) -> tuple[_N, ...]:
    """Return the numbers of a list with commas.

    Raises:
        ParameterError: There is something else in it.

    """
    try:
        return tuple(kind(part) for part in text.replace(";", ",").split(",") if part)
    except ValueError:
        message = f"write the {what} with commas between them, as in the default."
        raise ParameterError(message) from None
