"""The settings of Study 1. All of them are public, and stand in the address.

The parts of the page of Study 1. Everything on it is simulated: nobody's data.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from dpcore.figures.covariances import covariance_picture, ellipses_picture, panel_picture
from dpcore.formatting import epsilon_text, percent, significant
from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.covariance_findings import findings
from dpcore.studies.covariance_study import (
    COMPARED,
    SIZES,
    STATISTICS,
    CovarianceDesign,
    Degenerate,
    Demonstration,
    ScenarioOutcome,
    costs,
    demonstrate,
    half_widths_holding,
    numbers,
    run,
)
from ui import controls, layout, results, session, work

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


Study = work.Run[tuple[CovarianceDesign, int], ScenarioOutcome]

_DRAWS = "_s1_draws"


def latest(asked: CovarianceDesign, seed: int) -> Study:
    """Return the latest run once it is finished or stopped; show how far it is."""
    return work.latest(
        "study-1",
        (asked, seed),
        total=len(asked.scenarios),
        begin=lambda: run(asked, np.random.default_rng(seed)),
        button="Run the study",
        pieces=f"settings with {asked.repetitions:,} releases each",
    )


def proof(current: Study) -> None:
    """Say what does not hold and what does, and which number proves it."""
    design = current.asked[0]
    worst = costs(design).groupby("mechanism", sort=False)["real epsilon"].max()
    published = CATALOG["truncated-published"].label
    fine = [str(name) for name in worst.index if name != published]
    text = ""
    if published in worst:
        text = (
            "**What is wrong, and which number proves it.** Truncation as published "
            f"claims ε {epsilon_text(design.epsilon)} and really gives up to ε "
            f"**{epsilon_text(float(worst[published]))}**: how often a draw is thrown "
            "away depends on the secret. "
        )
    if fine:
        keep = "keeps" if len(fine) == 1 else "keep"
        text += f"**What holds:** {' and '.join(fine)} {keep} ε {epsilon_text(design.epsilon)}."
    st.markdown(text)


@st.fragment
def panels(current: Study) -> None:
    """Show means and percentiles of the four statistics, for one correlation."""
    design = current.asked[0]
    chosen = st.radio(
        "True correlation",
        list(design.correlations),
        index=design.correlations.index(max(design.correlations, key=abs)),
        format_func=lambda rho: f"{rho:g}",
        horizontal=True,
        key=f"s1-correlation-{current.key}",
    )
    outcomes = [o for o in current.pieces if o.scenario.correlation == chosen]
    st.caption(
        "The strongest correlation is shown first: it loses most to the noise. Choose "
        "another one to compare."
    )
    if not outcomes:
        st.info("The run was stopped before it came to this correlation.")
        return
    st.caption(
        f"Thin bars hold 95 % of the releases, thick ones half. Dots are means over "
        f"{design.repetitions:,} releases, lines the exact means. Published and "
        "calibrated are the two kinds of truncation."
    )
    pairs = {"Variances": STATISTICS[:2], "Covariance and correlation": STATISTICS[2:]}
    layout.show(
        {title: partial(_panels, outcomes, names) for title, names in pairs.items()},
        key="s1-panels",
    )


def _panels(outcomes: Sequence[ScenarioOutcome], names: Sequence[str]) -> None:
    for cell, name in zip(st.columns(2), names, strict=True):
        with cell:
            results.show(panel_picture(outcomes, name), f"s1-{name}", simulated=True)


def cost(current: Study) -> None:
    """Say what a release of the matrix really costs."""
    design = current.asked[0]
    table = costs(design)
    nominal = design.epsilon
    worst = table.groupby("mechanism", sort=False)["real epsilon"].max()
    for cell, (label, level) in zip(st.columns(len(worst)), worst.items(), strict=True):
        cell.metric(
            str(label),
            f"ε {epsilon_text(level)}",
            help=f"What {label} really reveals at most, for {nominal:g} asked for.",
        )
    published = CATALOG["truncated-published"].label
    if published in worst:
        mine = table[table["mechanism"] == published]
        low, high = mine["first variance"].min(), mine["first variance"].max()
        st.markdown(
            "Truncation as published spends up to ε "
            f"{epsilon_text(float(worst[published]))} where {nominal:g} is claimed: a "
            f"variance alone costs {significant(float(low), 4)} to "
            f"{significant(float(high), 4)} instead of its share of "
            f"{significant(design.release('bit', 2).epsilons[0])}. BIT clamps instead, "
            "which costs nothing; calibrated truncation adds the noise that is missing."
        )
    with st.expander("What each step costs", key="s1-costs"):
        results.table(table, key="s1-cost-table")


def verdicts(current: Study) -> None:
    """Hold what the original said against this run."""
    results.verdicts(findings(current.asked[0], current.pieces))


def download(outcomes: Sequence[ScenarioOutcome]) -> None:
    """Offer the numbers as a file."""
    results.table_files(partial(numbers, outcomes), "study-1-covariances", "study-1")
    st.caption("Simulated from the settings above. Public: no table was used.")


@st.fragment
def demonstration(design: CovarianceDesign, seed: int) -> None:
    """Show one sanitized matrix with its ellipses, before and after the repair."""
    first, second, third, fourth = controls.row(4)
    columns = first.selectbox("Variables", list(SIZES), index=1, key="s1-columns")
    key = second.selectbox(
        "Released by",
        list(design.keys),
        index=design.keys.index("bit") if "bit" in design.keys else 0,
        format_func=lambda name: CATALOG[name].label,
        key="s1-demo-mechanism",
        kept="page",
    )
    correlation = third.selectbox(
        "True correlation of neighbors",
        list(design.correlations),
        index=design.correlations.index(max(design.correlations, key=abs)),
        format_func=lambda rho: f"{rho:g}",
        key="s1-demo-correlation",
        kept="page",
    )
    people = fourth.selectbox(
        "People",
        list(design.people),
        index=design.people.index(max(design.people)),
        key="s1-demo-people",
        kept="page",
    )
    st.button("Draw again", on_click=session.count_up, args=(_DRAWS,), key="s1-draw")
    shown = demonstrate(
        design,
        key=key,
        correlation=correlation,
        people=people,
        columns=columns,
        # Counting from 1 lets the first one shown need a repair that can be seen.
        rng=np.random.default_rng([seed, session.count(_DRAWS) + 1]),
    )
    labels = ("first", "second", "third")[:columns]
    fixed = shown.repaired
    left, right = st.columns(2)
    with left:
        picture = covariance_picture(labels, fixed.before, fixed.after)
        results.show(picture, "s1-map", simulated=True)
        st.caption("Colors are correlations: blue -1, pale 0, orange 1.")
    with right:
        picture = ellipses_picture(labels, fixed.before, fixed.after, truth=shown.truth)
        results.show(picture, "s1-ellipses", simulated=True)
        st.caption("Each axis is scaled to what is drawn.")
    st.markdown(_explained(shown, columns))


def _explained(shown: Demonstration, columns: int) -> str:
    text = (
        f"Of 1,000 such releases {percent(shown.undefined)} have a variance of exactly "
        "0. Then the covariance can only be 0, the correlation is not defined, and the "
        "ellipse shrinks to a line or a point; nothing is redrawn, because redrawing "
        "would depend on the secret."
    )
    if columns == SIZES[0]:
        return text + (
            " Two variables never contradict each other: the covariance is released "
            "within the range that the two variances leave for it."
        )
    return text + (
        f" {percent(shown.broken)} are impossible as released: three pairs that fit "
        "one by one may not fit together (a negative eigenvalue). The repair takes the "
        "nearest possible correlations and keeps the variances. It looks at released "
        "numbers only, so that it costs no privacy."
    )
