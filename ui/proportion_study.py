"""Study 2: its settings, and its run. All of it is simulated from public settings.

Study 2: what a run shows. Everything on it is simulated from public settings.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

import numpy as np
import streamlit as st

from dpcore.errors import ParameterError
from dpcore.figures.proportions import (
    View,
    prices_picture,
    simplex_picture,
    study_picture,
    table,
    tree_picture,
)
from dpcore.formatting import epsilon_text, percent
from dpcore.mechanisms.catalog import CATALOG
from dpcore.postprocessing.constrained_proportions import leaving_over
from dpcore.studies import proportion_study
from dpcore.studies.proportion_findings import findings
from dpcore.studies.proportion_intervals import Point, clouds, merged, prices
from dpcore.studies.proportion_study import (
    BOUNDING,
    MOST_REPETITIONS,
    MOST_SETS,
    Measure,
    Procedure,
    ProcedureAccuracy,
    ProportionDesign,
)
from ui import controls, layout, results, session, work
from ui.text import literal, sentence_of

_USUAL = ProportionDesign()
_LINES = (
    Procedure.ORIGINAL,
    Procedure.RESCALING,
    Procedure.SYNTHESIS,
    Procedure.ALL_BUT_ONE,
    Procedure.HISTOGRAM,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProportionSimulation:
    """What is known of a study so far."""

    design: ProportionDesign
    found: list[ProcedureAccuracy]


def ask() -> tuple[ProportionDesign, int] | None:
    """Show the settings; return a design and its seed, or say what is wrong."""
    first, second, third, fourth = controls.row(4)
    shares = first.numbers(
        "Proportions of the cells",
        ", ".join(f"{share:.2f}" for share in _USUAL.shares),
        key="study2-shares",
        note="Two to ten numbers with sum 1.",
    )
    epsilons = second.numbers(
        "Privacy parameters ε",
        ", ".join(f"{epsilon:g}" for epsilon in _USUAL.epsilons),
        key="study2-epsilons",
        note="The original compared three, of which only 1 is known.",
    )
    people = third.numbers(
        "Numbers of people n",
        ", ".join(str(size) for size in _USUAL.people),
        key="study2-people",
        note="Sample sizes: the shares are counts over n.",
    )
    repetitions = fourth.number(
        "Repetitions",
        _USUAL.repetitions,
        (2, MOST_REPETITIONS, 50),
        key="study2-repetitions",
        note="Samples drawn for every n. The original drew 500.",
    )
    st.caption(
        "Reconstructed: proportions, ε, n and the cell left over. The original's were "
        "lost; its 500 repetitions and 5 sets were not."
    )
    try:
        cells = controls.listed(shares, float, "proportions")
        with st.expander("More settings"):
            sets, mechanisms, order, seed = _more(len(cells))
        design = ProportionDesign(
            shares=cells,
            epsilons=controls.listed(epsilons, float, "privacy parameters"),
            people=_whole(controls.listed(people, float, "numbers of people")),
            repetitions=repetitions,
            sets=sets,
            mechanisms=mechanisms,
            order=order,
        )
    except ParameterError as error:
        st.error(sentence_of(error))
        return None
    return design, seed


def run(asked: tuple[ProportionDesign, int] | None) -> ProportionSimulation:
    """Show the buttons, run what was asked for last, and return what is known of it."""
    design, seed = asked or (_USUAL, 1)
    latest = work.latest(
        "study2",
        (design, seed),
        total=design.settings,
        begin=lambda: proportion_study.run(design, rng=np.random.default_rng(seed)),
        button="Run the study",
        pieces="settings",
        ready=asked is not None,
    )
    found = list(chain.from_iterable(latest.pieces))
    return ProportionSimulation(design=latest.asked[0], found=found)


def choose(design: ProportionDesign) -> View:
    """Show the controls of what is drawn."""
    first, second, third = controls.row((2, 5, 4))
    epsilon = first.selectbox("Show ε", design.epsilons, key="study2-epsilon", kept="session")
    mechanism = second.selectbox(
        "Show the mechanism",
        design.mechanisms,
        format_func=lambda key: CATALOG[key].label,
        key="study2-mechanism",
        kept="session",
    )
    has_pairs = len(design.targets) > len(design.shares)
    what = third.selectbox(
        "Panels",
        ["single cells", "pairs of cells"] if has_pairs else ["single cells"],
        key="study2-targets",
        kept="session",
        note="p1 with the last cell is a node of the tree.",
    )
    procedures: list[Procedure] = list(Procedure)
    # On a row of its own: its names are long, and cut in a narrow column.
    chosen = st.multiselect(
        "Compare", procedures, default=_LINES, key="study2-lines", persist_state="session"
    )
    return View(
        measure=Measure.COVERAGE,
        mechanism=mechanism,
        epsilon=epsilon,
        procedures=tuple(p for p in procedures if p in chosen),
        pairs=what == "pairs of cells",
    )


def _more(cells: int) -> tuple[int, tuple[str, ...], tuple[int, ...] | None, int]:
    """Show the settings that are seldom changed."""
    first, second, third = controls.row(3)
    sets = first.number(
        "Sets of multiple synthesis",
        _USUAL.sets,
        (2, MOST_SETS),
        key="study2-sets",
        note="Each set gets this part of ε. The original released 5.",
    )
    mechanisms = st.multiselect(
        "Mechanisms",
        list(BOUNDING),
        default=_USUAL.mechanisms,
        format_func=lambda key: CATALOG[key].label,
        key="study2-mechanisms",
        persist_state="session",
    )
    left = second.selectbox(
        "All but one leaves over",
        range(cells),
        index=cells - 1,
        format_func=lambda cell: f"p{cell + 1}",
        key=f"study2-left-{cells}",
        kept="session",
        note="This cell gets what the others leave; those farthest from it come first. "
        "The original does not say which it was.",
    )
    seed = third.seed(
        "Seed of the random numbers",
        key="study2-seed",
        note="The same settings and seed give the same numbers.",
    )
    order = leaving_over(left, cells) if cells else None
    return sets, tuple(mechanisms), order, seed


def _whole(numbers: tuple[float, ...]) -> tuple[int, ...]:
    if not all(number.is_integer() for number in numbers):
        raise ParameterError("the numbers of people must be whole.")
    return tuple(sorted({int(number) for number in numbers}))


_LOOKS = ["one vector, many releases", "trees of many cells", "intervals"]
_CORNERS = 3
_RELEASES, _DRAWS, _SEED = 200, 4000, 1
_SETS = (2, 3, 5, 10, 20)


def download(current: ProportionSimulation) -> None:
    """Offer every number of the run. It is simulated, and so public."""
    results.table_files(partial(table, current.design, current.found), "study-2", "study-2")
    st.caption("Simulated from the settings above: no person's data, and no budget spent.")


def figures(current: ProportionSimulation, view: View) -> None:
    """Draw coverage, typical error or bias, in the layout of the paper.

    A figure of many panels takes a browser long.
    """

    def draw(measure: Measure) -> None:
        seen = replace(view, measure=measure)
        picture = study_picture(current.design, current.found, seen)
        results.show(picture, f"study2-{measure.name}", simulated=True)

    layout.show(
        {str(m).capitalize(): partial(draw, m) for m in reversed(Measure)}, key="study2-measure"
    )


def proof(current: ProportionSimulation, view: View) -> None:
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
        f"**What is wrong, and which number proves it.** {label} claims ε "
        f"{epsilon_text(claimed)} and really gives ε **{epsilon_text(real)}**; with "
        f"the universal histogram ε {epsilon_text(costs[Procedure.HISTOGRAM])}, with "
        f"multiple synthesis ε {epsilon_text(costs[Procedure.SYNTHESIS])}. Clamping "
        "(BIT) and calibrated truncation keep what they claim."
    )


def why(current: ProportionSimulation, view: View) -> None:
    """Say what explains the picture."""
    if not _costs(current, view):
        return
    sets, worst = current.design.sets, _worst_coverage(current, view)
    st.markdown(
        "An ordinary 95 % interval knows the sampling error only; the noise comes on "
        "top, so that it covers too seldom. Multiple synthesis learns the size of the "
        f"noise from {sets} releases with ε/{sets} each: wider noise, wider intervals, "
        "more bias. It takes the sampling error at the released share, which is too "
        "small at a rare one, and knows nothing of the bias: in its worst cell and n "
        f"it covers {percent(worst[Procedure.SYNTHESIS])} here. The noise-aware "
        "interval reads the noise off the public scale and spends nothing on it; it "
        "takes the sampling error at each share that it considers, and covers "
        f"{percent(worst[Procedure.NOISE_AWARE])} in its worst. The Release page "
        "inverts the law of what was drawn, which the bias does not touch."
    )


def _worst_coverage(current: ProportionSimulation, view: View) -> dict[Procedure, float]:
    """Return the least coverage of a single cell over all sample sizes."""
    cells, worst = len(current.design.shares), dict[Procedure, float]()
    for result in current.found:
        if (result.epsilon, result.mechanism) == (view.epsilon, view.mechanism):
            least = float(result.coverage[:cells].min())
            worst[result.procedure] = min(worst.get(result.procedure, 1.0), least)
    return worst


def _costs(current: ProportionSimulation, view: View) -> dict[Procedure, float]:
    """Return what each procedure of the view really spends, as far as it was run."""
    return {
        result.procedure: result.effective_epsilon
        for result in current.found
        if (result.epsilon, result.mechanism) == (view.epsilon, view.mechanism)
    }


def verdicts(current: ProportionSimulation) -> None:
    """List the published findings with what this run says about them."""
    found = findings(current.design, current.found)
    if not found:
        st.info("The findings are checked once every setting has been run.")
    st.markdown(
        "\n".join(
            f"- {results.MARKS[one.verdict]} **{one.verdict}.** {literal(one.claim)}. "
            f"*{literal(one.evidence)}.*"
            for one in found
        )
    )


@st.fragment
def lab(design: ProportionDesign, view: View) -> None:
    """Show the look that is chosen, at the ε and mechanism of the figures above."""
    first, second, third = controls.row(3)
    look = first.selectbox("Look at", _LOOKS, key="study2-look")
    if look == _LOOKS[1]:
        leaves = second.place.select_slider(
            "Cells", [4, 8, 16, 32, 64, 128], 32, key="study2-leaves"
        )
        branching = third.number(
            "Children of a node", 2, (2, 8), key="study2-branching", kept="page"
        )
        results.show(tree_picture(leaves, branching), "tree", simulated=True)
        st.markdown(
            "A tree releases sums as well, and pays with more noise on each layer. "
            "That is worth it only where many cells would otherwise be added up: a "
            "binary tree of four cannot win, whatever the data."
        )
        return
    people = second.selectbox(
        "Number of people", design.people, key="study2-lab-people", kept="session"
    )
    point = Point(mechanism=view.mechanism, epsilon=view.epsilon, people=people)
    rng = np.random.default_rng(_SEED)
    if look == _LOOKS[2]:
        share = design.shares[0]
        found = session.remember(
            "study2-prices",
            f"{share} {point}",
            lambda: prices(share, point, sets=_SETS, draws=_DRAWS, rng=rng),
        )
        results.show(prices_picture(found), "prices", simulated=True)
        st.markdown(
            f"Intervals around p1 = {design.shares[0]:g} alone, over {_DRAWS:,} "
            "samples, cut to [0, 1]. The mean of m sets has m times the noise variance "
            "of one release with the whole ε: splitting the budget buys what the "
            "public scale tells for nothing. With many sets every release is so noisy "
            "that the bounds pull it to the middle, and averaging keeps that bias. "
            "Test inversion keeps every proportion that the release does not "
            "contradict."
        )
    elif len(design.shares) < _CORNERS:
        st.info("A triangle needs three cells or more.")
    else:
        shares = merged(design.shares)
        last = len(design.shares)
        names = ("p1", "p2" if last == _CORNERS else "others", f"p{last}")
        drawn = clouds(shares, point, draws=_RELEASES, rng=rng)
        picture = simplex_picture(drawn, shares, names)
        results.show(picture, "simplex", simulated=True)
        st.markdown(
            "Each dot is one release of the same three shares; the diamond is the "
            "truth. A corner means that everybody is in that cell, an edge that a cell "
            f"is empty. All four give ε {view.epsilon:g} by their claim."
        )


def details() -> None:
    """Define what is simulated and compared."""
    st.markdown(
        "Samples of n people are drawn from the proportions. A person is in one cell, "
        "and the counts are divided by a public constant n: adding or removing a "
        "person changes one share by 1/n (substitution: the same results at twice the "
        "ε). Each share is released on [0, 1] with Laplace noise of scale 1/(nε), "
        "bounded by truncation or clamping (BIT).\n\n- **Re-scaling** divides the "
        "releases by their sum.\n- **All but one** releases one cell after another on "
        "what the earlier ones left; the last gets the rest. *Reversed* goes the other "
        "way round.\n- **Universal histogram** also releases sums of cells (a binary "
        "tree that pairs the first cell with the last), with twice the noise on two "
        "layers, and moves all to where they agree.\n- **Nearest shares** moves the "
        "releases to the nearest vector with sum 1.\n- **Multiple synthesis** averages "
        "several re-scaled releases and adds their spread to the interval.\n\n**Bias** "
        "is the mean error, **typical error** the root of the mean squared error "
        "(RMSE), **coverage** the share of 95 % intervals that hold the true "
        "proportion. Bars are two standard errors of the simulation; lines are set "
        "apart a little sideways so that bars do not overlap.\n\nAfter F. Liu, "
        "*Statistical Properties of Sanitized Results from Differentially Private "
        "Laplace Mechanism with Univariate Bounding Constraints* (arXiv 1607.08554), "
        "section 4.2. **Reconstructed:** the proportions, the set of ε, the sample "
        "sizes, the interval and the cell left over; the numbers of the original are "
        "lost. 500 repetitions and five sets are the original's."
    )
