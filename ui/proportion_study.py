"""Study 2: proportions released under constraints. All of it is simulated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, Final

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
from dpcore.formatting import epsilon_text, in_full, percent
from dpcore.mechanisms.catalog import CATALOG
from dpcore.postprocessing.share_constraints import leaving_over
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
from ui import controls, results, session, work
from ui.form import DeclaredStudy, Listed, NumberSetting, Seed, SettingsForm, Several

_USUAL = ProportionDesign()
_LINES = (
    Procedure.ORIGINAL,
    Procedure.RESCALING,
    Procedure.SYNTHESIS,
    Procedure.ALL_BUT_ONE,
    Procedure.HISTOGRAM,
)
_LOST = "Reconstructed: the original is lost."
Asked = tuple[ProportionDesign, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProportionSimulation:
    """What is known of a study so far."""

    design: ProportionDesign
    found: list[ProcedureAccuracy]


FORM: Final = SettingsForm(
    row={
        "shares": Listed(
            label="Proportions of the cells",
            value=", ".join(f"{share:.2f}" for share in _USUAL.shares),
            key="study2-shares",
            note=f"Two to ten numbers with sum 1. {_LOST}",
        ),
        "epsilons": Listed(
            label="Privacy parameters ε",
            value=", ".join(in_full(epsilon) for epsilon in _USUAL.epsilons),
            key="study2-epsilons",
            note="The original compares three values. Only 1 is known.",
        ),
        "people": Listed(
            label="Numbers of people n",
            value=", ".join(str(size) for size in _USUAL.people),
            key="study2-people",
            note=f"Sample sizes. {_LOST}",
        ),
        "repetitions": NumberSetting(
            label="Repetitions",
            value=_USUAL.repetitions,
            within=(2, MOST_REPETITIONS, 50),
            key="study2-repetitions",
            note="Samples for each n. The original: 500.",
        ),
    },
    more={
        "mechanisms": Several(
            label="Mechanisms",
            options=tuple(BOUNDING),
            value=_USUAL.mechanisms,
            named=lambda key: CATALOG[key].label,
            key="study2-mechanisms",
            kept="session",
        ),
        "sets": NumberSetting(
            label="Sets of multiple synthesis",
            value=_USUAL.sets,
            within=(2, MOST_SETS),
            key="study2-sets",
            note="Each set gets this part of ε. The original: 5.",
        ),
        "left": NumberSetting(
            label="Residual cell of all-but-one",
            value=len(_USUAL.shares),
            within=(1, 10),
            key="study2-left",
            note="This cell gets what the others leave. The original does not name it.",
        ),
        "seed": Seed(key="study2-seed"),
    },
)


def _design(*, people: tuple[float, ...], left: int, seed: int, **rest: Any) -> Asked:  # noqa: ANN401
    cells = len(rest["shares"])
    order = leaving_over(min(left, cells) - 1, cells) if cells else None
    return ProportionDesign(people=_whole(people), order=order, **rest), seed


def _whole(numbers: tuple[float, ...]) -> tuple[int, ...]:
    if not all(number.is_integer() for number in numbers):
        raise ParameterError("the numbers of people must be whole.")
    return tuple(sorted({int(number) for number in numbers}))


def _run(asked: Asked) -> ProportionSimulation:
    design, seed = asked
    latest = work.latest(
        "study2",
        asked,
        total=design.settings,
        begin=lambda: proportion_study.run(design, rng=np.random.default_rng(seed)),
        button="Run the study",
        pieces="settings",
    )
    return ProportionSimulation(
        design=latest.asked[0], found=list(chain.from_iterable(latest.pieces))
    )


def _view(design: ProportionDesign) -> View:
    """Return what is drawn, as it is set; at first the first ε and mechanism."""
    epsilon, mechanism = (session.public(key) for key in ("study2-epsilon", "study2-mechanism"))
    return View(
        measure=Measure.COVERAGE,
        mechanism=str(mechanism) if mechanism in design.mechanisms else design.mechanisms[0],
        epsilon=epsilon if epsilon in design.epsilons else design.epsilons[0],
        procedures=_LINES,
    )


def _choose(design: ProportionDesign) -> View:
    """Show the controls of what is drawn."""
    first, second, third, more = st.columns((2, 5, 4, 2), vertical_alignment="bottom")
    epsilon = controls.Cell(place=first).selectbox(
        "ε of the figure", design.epsilons, key="study2-epsilon", kept="session"
    )
    mechanism = controls.Cell(place=second).selectbox(
        "Mechanism",
        design.mechanisms,
        format_func=lambda key: CATALOG[key].label,
        key="study2-mechanism",
        kept="session",
    )
    has_pairs = len(design.targets) > len(design.shares)
    what = controls.Cell(place=third).selectbox(
        "Panels",
        ["single cells", "pairs of cells"] if has_pairs else ["single cells"],
        key="study2-targets",
        kept="session",
        note="p1 with the last cell is a node of the tree.",
    )
    procedures: list[Procedure] = list(Procedure)
    with more.popover("Lines", width="stretch"):
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


def _figure(measure: Measure, current: ProportionSimulation) -> None:
    """Draw one measure, in the layout of the paper."""
    view = replace(_choose(current.design), measure=measure)
    picture = study_picture(current.design, current.found, view)
    results.show(picture, f"study2-{measure.name}", simulated=True)


def _why(current: ProportionSimulation) -> str:
    """Return what fails or holds, with the number that proves it, and the reason."""
    view = _view(current.design)
    results_of = [
        one
        for one in current.found
        if (one.epsilon, one.mechanism) == (view.epsilon, view.mechanism)
    ]
    if not results_of:
        return ""
    costs = {one.procedure: one.effective_epsilon for one in results_of}
    label, claimed = CATALOG[view.mechanism].label, epsilon_text(view.epsilon)
    cells = len(current.design.shares)
    worst = {
        procedure: percent(
            min(float(o.coverage[:cells].min()) for o in results_of if o.procedure is procedure)
        )
        for procedure in (Procedure.SYNTHESIS, Procedure.NOISE_AWARE)
    }
    if CATALOG[view.mechanism].claim_holds:
        text = f"{label} claims ε = {claimed} and keeps it."
    else:
        text = (
            f"**Why:** {label} claims ε = {claimed} but costs ε = "
            f"**{epsilon_text(costs[Procedure.RESCALING])}**. With the universal histogram "
            f"the cost is ε = {epsilon_text(costs[Procedure.HISTOGRAM])}."
        )
    return (
        f"{text} Ordinary 95% intervals ignore the noise and have too little coverage. In the "
        "worst "
        f"cell, multiple synthesis covers {worst[Procedure.SYNTHESIS]} and noise-aware "
        f"intervals cover {worst[Procedure.NOISE_AWARE]}."
    )


_LOOKS = ["one vector, many releases", "trees of many cells", "intervals"]
_CORNERS = 3
_RELEASES, _DRAWS, _SEED = 200, 4000, 1
_SETS = (2, 3, 5, 10, 20)


@st.fragment
def _closer(current: ProportionSimulation) -> None:
    """Show the look that is chosen, at the ε and mechanism of the figures."""
    design, view = current.design, _view(current.design)
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
            "A tree also releases sums, at the cost of more noise on each layer. It pays "
            "off only if many cells are summed."
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
            f"95% intervals for p1 = {in_full(design.shares[0])}, over {_DRAWS:,} samples, cut to "
            "[0, 1]. The mean of m sets has m times the noise variance of one release with "
            "the whole ε. The public noise scale gives the same information at no cost."
        )
    elif len(design.shares) < _CORNERS:
        st.info("A triangle needs three cells or more.")
    else:
        shares = merged(design.shares)
        last = len(design.shares)
        names = ("p1", "p2" if last == _CORNERS else "others", f"p{last}")
        drawn = clouds(shares, point, draws=_RELEASES, rng=rng)
        results.show(simplex_picture(drawn, shares, names), "simplex", simulated=True)
        st.markdown(
            "Each dot is one release of the same three shares. The diamond is the true "
            f"value. All four mechanisms claim ε = {in_full(view.epsilon)}."
        )


_METHODS: Final = (
    "Samples of n people are drawn from the proportions. A person is in one cell, and "
    "the counts are divided by a public constant n. Adding or removing a person changes "
    "one share by 1/n. Each share is released on [0, 1] with Laplace noise of scale "
    "1/(nε), bounded by truncation or clamping (BIT).\n\n"
    "- **Re-scaling** divides the releases by their sum.\n"
    "- **All but one** releases one cell after another on what the earlier ones left. "
    "*Reversed* uses the opposite order.\n"
    "- **Universal histogram** also releases sums of cells in a binary tree, with twice "
    "the noise on two layers, and makes them consistent.\n"
    "- **Nearest shares** projects the releases to the nearest vector with sum 1.\n"
    "- **Multiple synthesis** averages several re-scaled releases and adds their spread "
    "to the interval.\n\n"
    "**Coverage** is the share of 95% intervals that contain the true proportion. Bars "
    "are two standard errors of the simulation.\n\n"
    "Source: F. Liu, *Statistical Properties of Sanitized Results from Differentially "
    "Private Laplace Mechanism with Univariate Bounding Constraints*, arXiv 1607.08554, "
    "section 4.2. Reconstructed: the proportions, the set of ε, the sample sizes, the "
    "interval and the residual cell. The 500 repetitions and five sets are the original's."
)


STUDY: Final = DeclaredStudy(
    key="study-2",
    view_key="study2-measure",
    sentence="Compare ways to keep noisy shares between 0 and 1 with sum 1.",
    form=FORM,
    design=_design,
    run=_run,
    views={
        **{str(one).capitalize(): partial(_figure, one) for one in reversed(Measure)},
        "A closer look": _closer,
    },
    why=_why,
    claims=lambda current: findings(current.design, current.found),
    numbers=lambda current: table(current.design, current.found),
    methods=_METHODS,
)
