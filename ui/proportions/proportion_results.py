"""Study 2: what a run shows. Everything on it is simulated from public settings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.figures.proportions.proportion_study import View, study_picture
from dpcore.figures.proportions.proportion_tables import table
from dpcore.figures.wording import epsilon_text
from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.proportions.proportion_design import Procedure
from dpcore.studies.proportions.proportion_findings import findings
from dpcore.studies.proportions.proportion_study import Measure
from ui import results, simulating
from ui.text import literal

if TYPE_CHECKING:
    from ui.proportions.proportion_study import Run


def download(current: Run) -> None:
    """Offer every number of the run. It is simulated, and so public."""
    st.download_button(
        "Download the numbers (CSV)",
        lambda: table(current.design, current.found).to_csv(index=False),
        file_name="study-2.csv",
        mime="text/csv",
        on_click="ignore",
    )
    st.caption(
        "Simulated from the settings above: no person's data, and no budget spent."
    )


def figures(current: Run, view: View) -> None:
    """Draw coverage, typical error or bias, in the layout of the paper.

    Only the tab that is open is drawn: a figure of many panels takes a browser long.
    """
    measures = {str(m).capitalize(): m for m in reversed(Measure)}
    tabs = st.tabs(list(measures), key="study2-measure", bind="query-params")
    for tab, measure in zip(tabs, measures.values(), strict=True):
        if not tab.open:
            continue
        picture = study_picture(
            current.design,
            current.found,
            replace(view, measure=measure),
            watermark=False,
        )
        with tab:
            results.show(picture, f"study2-{measure.name}")


def proof(current: Run, view: View) -> None:
    """Say what does not hold and what does, and which number proves it."""
    costs = _costs(current, view)
    if not costs:
        return
    claimed, real = view.epsilon, costs[Procedure.RESCALING]
    label = CATALOG[view.mechanism].label
    if CATALOG[view.mechanism].claim_holds:
        st.markdown(
            f"**What holds:** {label} claims ε {epsilon_text(claimed)} and keeps it. "
            "Truncation as published, one of the mechanisms above, does not."
        )
        return
    st.markdown(
        f"**What is wrong, and which number proves it.** {label} claims "
        f"ε {epsilon_text(claimed)} and really gives ε **{epsilon_text(real)}**; with "
        f"the universal histogram ε {epsilon_text(costs[Procedure.HISTOGRAM])}, with "
        f"multiple synthesis ε {epsilon_text(costs[Procedure.SYNTHESIS])}. Clamping "
        "(BIT) and calibrated truncation keep what they claim."
    )


def why(current: Run, view: View) -> None:
    """Say what explains the picture."""
    if not _costs(current, view):
        return
    sets = current.design.sets
    st.markdown(
        "An ordinary 95 % interval knows the sampling error only; the noise comes on "
        "top, so that it covers too seldom. Multiple synthesis learns the size of the "
        f"noise from {sets} releases with ε/{sets} each: wider noise, honest "
        "intervals, more bias. The noise-aware interval reads it off the public scale "
        "instead, and spends nothing on it."
    )


def _costs(current: Run, view: View) -> dict[Procedure, float]:
    """Return what each procedure of the view really spends, as far as it was run."""
    return {
        result.procedure: result.real_epsilon
        for result in current.found
        if (result.epsilon, result.mechanism) == (view.epsilon, view.mechanism)
    }


def verdicts(current: Run) -> None:
    """List the published findings with what this run says about them."""
    found = findings(current.design, current.found)
    if not found:
        st.info("The findings are checked once every setting has been run.")
    st.markdown(
        "\n".join(
            f"- {simulating.MARKS[one.verdict]} **{one.verdict}.** "
            f"{literal(one.claim)}. *{literal(one.evidence)}.*"
            for one in found
        )
    )


def details() -> None:
    """Define what is simulated and compared."""
    st.markdown(
        "Samples of n people are drawn from the proportions. A person is in one cell, "
        "and the counts are divided by a public constant n: adding or removing a "
        "person changes one share by 1/n (substitution: the same results at twice "
        "the ε). Each share is released on [0, 1] with Laplace noise of scale 1/(nε), "
        "bounded by truncation or clamping (BIT).\n\n"
        "- **Re-scaling** divides the releases by their sum.\n"
        "- **All but one** releases one cell after another on what the earlier ones "
        "left; the last gets the rest. *Reversed* goes the other way round.\n"
        "- **Universal histogram** also releases sums of cells (a binary tree that "
        "pairs the first cell with the last), with twice the noise on two layers, and "
        "moves all to where they agree.\n"
        "- **Nearest shares** moves the releases to the nearest vector with sum 1.\n"
        "- **Multiple synthesis** averages several re-scaled releases and adds their "
        "spread to the interval.\n\n"
        "**Bias** is the mean error, **typical error** the root of the mean squared "
        "error (RMSE), **coverage** the share of 95 % intervals that hold the true "
        "proportion. Bars are two standard errors of the simulation; lines are set "
        "apart a little sideways so that bars do not overlap.\n\n"
        "After F. Liu, *Statistical Properties of Sanitized Results from "
        "Differentially Private Laplace Mechanism with Univariate Bounding "
        "Constraints* (arXiv 1607.08554), "
        "section 4.2. **Reconstructed:** the proportions, the set of ε, the sample "
        "sizes, the interval and the cell left over; the numbers of the original are "
        "lost. 500 repetitions and five sets are the original's."
    )
