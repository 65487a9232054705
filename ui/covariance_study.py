"""Study 1: covariances released many times. All of it is simulated: nobody's data."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np
import streamlit as st

from dpcore.figures.covariances import covariance_picture, ellipses_picture, panel_picture
from dpcore.formatting import epsilon_text, in_full, percent, significant
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
from ui import controls, results, session, work
from ui.form import ChoiceSetting, DeclaredStudy, Listed, NumberSetting, Seed, SettingsForm, Several

_LOST = "Reconstructed: the number of the original is lost."
_MULTIPLE, _SHARE = "standard deviations", "share of a Gaussian"
_PARTS = ("first variance", "second variance", "covariance")
_DRAWS = "_s1_draws"
Asked = tuple[CovarianceDesign, int]
Run = work.Run[Asked, ScenarioOutcome]

FORM: Final = SettingsForm(
    row={
        "correlations": Listed(
            label="Correlations (reconstructed)",
            value="0, -0.5, 0.9",
            key="s1-correlations",
            note=f"Known: none, moderate negative, strong positive. {_LOST}",
        ),
        "people": Listed(
            label="Numbers of people",
            value="50, 100, 200, 400, 800",
            kind=int,
            key="s1-people",
            note="Known: from 50 to 800. The numbers between are reconstructed.",
        ),
        "epsilon": NumberSetting(
            label="Total ε (reconstructed)",
            value=1.0,
            within=(1e-6, 100.0, 0.5),
            key="s1-epsilon",
            note=f"{controls.EPSILON_HELP} {_LOST}",
        ),
    },
    more={
        "keys": Several(
            label="Mechanisms",
            options=COMPARED,
            value=COMPARED,
            named=lambda key: CATALOG[key].label,
            key="s1-mechanisms",
            note="The original compares truncation as published with BIT. Calibrated "
            "truncation has enough noise to keep its guarantee.",
        ),
        "first": NumberSetting(
            label="First standard deviation",
            value=1.0,
            within=(1e-3, 1e3),
            key="s1-first",
            note="The original: 1.",
        ),
        "second": NumberSetting(
            label="Second standard deviation (reconstructed)",
            value=2.0,
            within=(1e-3, 1e3),
            key="s1-second",
            note=_LOST,
        ),
        "bounds": ChoiceSetting(
            label="Bounds given as",
            options=(_MULTIPLE, _SHARE),
            value=_MULTIPLE,
            key="s1-bounds",
            note="The bounds are symmetric around 0.",
        ),
        "multiple": NumberSetting(
            label="Bounds at ± standard deviations (reconstructed)",
            value=4.0,
            within=(1.0, 50.0, 0.5),
            key="s1-multiple",
            note=f"{_LOST} Wider bounds need more noise.",
        ),
        "share": NumberSetting(
            label="Share within the bounds, %",
            value=99.0,
            within=(50.0, 99.999999),
            key="s1-share",
            note="Used if the bounds are given as a share of a Gaussian.",
        ),
        **{
            f"weight_{place}": NumberSetting(
                label=f"Weight of the {name}",
                value=1.0,
                within=(0.01, 100.0, 0.5),
                key=f"s1-weight-{place}",
                note="Share of the budget, relative to the others. The original: equal.",
            )
            for place, name in enumerate(_PARTS)
        },
        "repetitions": NumberSetting(
            label="Repetitions",
            value=500,
            within=(2, 200_000, 500),
            key="s1-repetitions",
            note="Releases of each matrix. The original: 500.",
        ),
        "degenerate": ChoiceSetting(
            label="Undefined correlations",
            options=tuple(Degenerate),
            value=next(iter(Degenerate)),
            key="s1-degenerate",
            note="BIT may release a variance of exactly 0. The correlation is then "
            "undefined. The original does not say how it handles these.",
        ),
        "seed": Seed(key="s1-seed"),
    },
)


def _design(
    *,
    first: float,
    second: float,
    bounds: str,
    multiple: float,
    share: float,
    seed: int,
    **rest: Any,  # noqa: ANN401 - fields of the design
) -> Asked:
    weights = tuple(rest.pop(f"weight_{place}") for place in range(len(_PARTS)))
    deviations = first, second
    half_widths = (
        half_widths_holding(share / 100, deviations)
        if bounds == _SHARE
        else (multiple * first, multiple * second)
    )
    made = CovarianceDesign(deviations=deviations, half_widths=half_widths, weights=weights, **rest)
    return made, seed


def _run(asked: Asked) -> Run:
    design, seed = asked
    return work.latest(
        "study-1",
        asked,
        total=len(design.scenarios),
        begin=lambda: run(design, np.random.default_rng(seed)),
        button="Run the study",
        pieces=f"settings with {design.repetitions:,} releases each",
    )


def _why(current: Run) -> str:
    """Return what fails and what holds, and which number proves it."""
    design = current.asked[0]
    worst = costs(design).groupby("mechanism", sort=False)["real epsilon"].max()
    published = CATALOG["truncated-published"].label
    fine = [str(name) for name in worst.index if name != published]
    claimed = epsilon_text(design.epsilon)
    text = ""
    if published in worst:
        text = (
            f"**Why:** truncation as published claims ε = {claimed} but costs up to "
            f"ε = **{epsilon_text(float(worst[published]))}**, because the rejection "
            "probability depends on the true value. "
        )
    if fine:
        keep = "keeps" if len(fine) == 1 else "keep"
        text += f"{' and '.join(fine)} {keep} ε = {claimed}."
    return text


@st.fragment
def _panels(names: tuple[str, ...], current: Run) -> None:
    """Show means and percentiles of two statistics, for one correlation."""
    design = current.asked[0]
    known = list(dict.fromkeys(o.scenario.correlation for o in current.pieces))
    chosen = controls.row((1, 2))[0].selectbox(
        "True correlation",
        known,
        index=known.index(max(known, key=abs)),
        format_func=in_full,
        key=f"s1-correlation-{current.key}-{len(known)}",
        kept="page",
    )
    outcomes = [o for o in current.pieces if o.scenario.correlation == chosen]
    for cell, name in zip(st.columns(2), names, strict=True):
        with cell:
            results.show(panel_picture(outcomes, name), f"s1-{name}", simulated=True)
    st.caption(
        f"Dots: means over {design.repetitions:,} releases. Bars: 95% and 50% of them. "
        "Lines: exact means."
    )


def _cost(current: Run) -> None:
    """Show the actual privacy cost of the matrix, and of each step."""
    table = costs(current.asked[0])
    worst = table.groupby("mechanism", sort=False)["real epsilon"].max()
    for cell, (label, level) in zip(st.columns(len(worst)), worst.items(), strict=True):
        cell.metric(str(label), f"ε = {epsilon_text(level)}", help="Actual ε of the matrix.")
    published = CATALOG["truncated-published"].label
    if published in worst:
        mine = table[table["mechanism"] == published]["first variance"]
        low, high = (significant(float(end), 4) for end in (mine.min(), mine.max()))
        share = significant(current.asked[0].release("bit", 2).epsilons[0])
        st.markdown(f"One variance costs ε = {low} to {high} instead of its share of {share}.")
    results.table(table, key="s1-cost-table")


@st.fragment
def _matrix(current: Run) -> None:
    """Show one released matrix with its ellipses, before and after the repair."""
    design, seed = current.asked
    first, second, third, fourth = controls.row(4)
    columns = first.selectbox("Variables", list(SIZES), index=1, key="s1-columns")
    key = second.selectbox(
        "Mechanism",
        list(design.keys),
        index=design.keys.index("bit") if "bit" in design.keys else 0,
        format_func=lambda name: CATALOG[name].label,
        key="s1-demo-mechanism",
        kept="page",
    )
    correlation = third.selectbox(
        "Correlation of neighbors",
        list(design.correlations),
        index=design.correlations.index(max(design.correlations, key=abs)),
        format_func=in_full,
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
    pictures = {
        "s1-map": covariance_picture(labels, fixed.before, fixed.after),
        "s1-ellipses": ellipses_picture(labels, fixed.before, fixed.after, truth=shown.truth),
    }
    for place, (name, picture) in zip(st.columns(2), pictures.items(), strict=True):
        with place:
            results.show(picture, name, simulated=True)
    st.markdown(_explained(shown, columns))


def _explained(shown: Demonstration, columns: int) -> str:
    text = (
        f"{percent(shown.undefined)} of 1,000 releases have a variance of exactly 0 and an "
        "undefined correlation."
    )
    if columns == SIZES[0]:
        return text
    return (
        f"{text} {percent(shown.broken)} are not positive semidefinite. The repair projects "
        "the correlations and keeps the variances. It is post-processing and costs no privacy."
    )


def _methods(current: Run) -> str:
    design = current.asked[0]
    return (
        f"The bounds contain {percent(design.shares[0])} of a Gaussian.\n\n"
        "Each **variance** (divisor n − 1) is released on [0, Vmax], Vmax the largest "
        "variance within bounds R apart; its sensitivity is R²/n. The **covariance** "
        "follows on ±√(v₁\\* v₂\\*), the range that the released variances leave; its "
        "sensitivity is R₁R₂/n. The **correlation** is computed from the three and costs "
        "nothing. Each step gets its share of ε.\n\nTruncation must be recalibrated for "
        "the covariance, because its range is random. Clamping (BIT) need not be.\n\n"
        "Source: F. Liu, *Statistical properties of sanitized results from differentially "
        "private Laplace mechanism with univariate bounding constraints*, arXiv 1607.08554, "
        "Study 1. Settings marked reconstructed are lost from the available copies."
    )


STUDY: Final = DeclaredStudy(
    key="study-1-covariances",
    view_key="s1-panels",
    sentence="Compare three mechanisms for a covariance matrix, as in Study 1 of Liu (2016).",
    form=FORM,
    design=_design,
    run=_run,
    views={
        "Variances": partial(_panels, STATISTICS[:2]),
        "Covariance and correlation": partial(_panels, STATISTICS[2:]),
        "Privacy cost": _cost,
        "One matrix": _matrix,
    },
    why=_why,
    claims=lambda current: findings(current.asked[0], current.pieces),
    numbers=lambda current: numbers(current.pieces),
    methods=_methods,
)
