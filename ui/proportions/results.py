"""Study 2: what a run shows. Everything on it is simulated from public settings."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.figures.proportions.study import View, study_picture, table
from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.proportions.design import Procedure
from dpcore.studies.proportions.findings import findings
from dpcore.studies.proportions.study import Measure
from dpcore.wording import epsilon_text, percent
from ui import results, tabs
from ui.text import literal

if TYPE_CHECKING:
    from ui.proportions.study import Run


def download(current: Run) -> None:
    """Offer every number of the run. It is simulated, and so public."""
    write = partial(table, current.design, current.found)
    results.table_files(write, "study-2", "study-2")
    st.caption(
        "Simulated from the settings above: no person's data, and no budget spent."
    )


def figures(current: Run, view: View) -> None:
    """Draw coverage, typical error or bias, in the layout of the paper.

    A figure of many panels takes a browser long.
    """

    def draw(measure: Measure) -> None:
        seen = replace(view, measure=measure)
        picture = study_picture(current.design, current.found, seen)
        results.show(picture, f"study2-{measure.name}", simulated=True)

    tabs.show(
        {str(m).capitalize(): partial(draw, m) for m in reversed(Measure)},
        key="study2-measure",
    )


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
    sets, worst = current.design.sets, _worst_coverage(current, view)
    st.markdown(
        "An ordinary 95 % interval knows the sampling error only; the noise comes on "
        "top, so that it covers too seldom. Multiple synthesis learns the size of the "
        f"noise from {sets} releases with ε/{sets} each: wider noise, wider "
        "intervals, more bias. It takes the sampling error at the released share, "
        "which is too small at a rare one, and knows nothing of the bias: in its worst "
        f"cell and n it covers {percent(worst[Procedure.SYNTHESIS])} here. The "
        "noise-aware interval reads the noise off the public scale and spends nothing "
        "on it; it takes the sampling error at each share that it considers, and "
        f"covers {percent(worst[Procedure.NOISE_AWARE])} in its worst. The Release "
        "page inverts the law of what was drawn, which the bias does not touch."
    )


def _worst_coverage(current: Run, view: View) -> dict[Procedure, float]:
    """Return the least coverage of a single cell over all sample sizes."""
    cells, worst = len(current.design.shares), dict[Procedure, float]()
    for result in current.found:
        if (result.epsilon, result.mechanism) == (view.epsilon, view.mechanism):
            least = float(result.coverage[:cells].min())
            worst[result.procedure] = min(worst.get(result.procedure, 1.0), least)
    return worst


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
            f"- {results.MARKS[one.verdict]} **{one.verdict}.** "
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
