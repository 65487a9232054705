"""The Mechanism lab: its controls, the answer, the repair and the two worlds.

The further stations of the Mechanism lab; only the open one is computed.
"""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from dpcore.figures.attackers import belief_text, surest
from dpcore.figures.audits import audit_picture
from dpcore.figures.laboratory import atoms_picture, tries_picture, worlds_picture
from dpcore.figures.tradeoffs import flip_sentence, map_picture
from dpcore.formatting import epsilon_text, nearest, percent, significant, three_digits
from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.attacks.floating_point import careless
from dpcore.studies.comparing.error_curves import Fairness
from dpcore.studies.comparing.error_maps import MapQuantity, Remedy, error_maps, remedies
from dpcore.studies.teaching.laboratory import (
    CLAMPED,
    PUBLISHED,
    REPAIRED,
    UNIT,
    BoundEvent,
    Meter,
    Setup,
    acceptance,
    audit,
    detectable_from,
    measure,
    redrawing_limit,
    tries,
    two_worlds,
)
from ui import controls, layout, results, session
from ui.auditing import MECHANISM, WHAT

_MECHANISM = "lab-mechanism"


def ask() -> Setup:
    """Show the four public knobs; the first view is the one that surprises."""
    first, second, third, fourth = controls.row([1.7, 1, 1, 1])
    key = first.selectbox(
        "Mechanism",
        list(CATALOG),
        index=list(CATALOG).index(PUBLISHED),
        format_func=lambda name: CATALOG[name].label,
        key=_MECHANISM,
        note="\n\n".join(f"**{e.label}**: {e.sentence}" for e in CATALOG.values()),
    )
    place = second.slider(
        "The value without noise",
        0.0,
        (0.0, 1.0, 0.01),
        key="lab-place",
        note="Where it lies between its bounds: 0 is the lower one, 1 the upper one.",
    )
    shift = third.slider(
        "One person moves it by",
        0.2,
        (0.02, 1.0, 0.02),
        key="lab-shift",
        note="The sensitivity, as a share of the range between the bounds. The other "
        "world is that far away.",
    )
    epsilon = fourth.slider(
        "Promised ε", 1.0, (0.1, 5.0, 0.1), key="lab-epsilon", note=controls.EPSILON_HELP
    )
    return Setup(key=key, epsilon=epsilon, place=place, shift=shift)


def answer(setup: Setup, meter: Meter) -> None:
    """Say whether the promise holds, why, and what to use instead; with buttons."""
    if setup.key == PUBLISHED and not meter.holds:
        _refuted(setup, meter)
        _buttons(REPAIRED, CLAMPED)
    elif setup.key == REPAIRED:
        before, clamped = (measure(setup.through(key)) for key in (PUBLISHED, CLAMPED))
        st.success(
            f"**ε {setup.epsilon:g} was promised and is given.** It still redraws, but "
            f"with {significant(meter.scale / before.scale)} times the noise. The price: "
            f"at this value the typical error is {significant(meter.error)} of the range "
            f"instead of {significant(before.error)}. BIT gives the same ε with "
            f"{significant(clamped.error)}.",
            icon=":material/build:",
        )
        _buttons(CLAMPED, PUBLISHED)
    elif setup.key == CLAMPED:
        repaired = measure(setup.through(REPAIRED))
        st.success(
            f"**ε {setup.epsilon:g} was promised and is given, at no extra noise.** "
            "Clamping looks at the noisy number only, never at the secret, so that it "
            "reveals nothing more. What it costs: some releases are exactly 0 or exactly "
            f"1. Typical error {significant(meter.error)} of the range; the repaired "
            f"truncation has {significant(repaired.error)}.",
            icon=":material/vertical_align_center:",
        )
        _buttons(PUBLISHED, REPAIRED)
    else:
        _other(setup, meter)
        _buttons(PUBLISHED, CLAMPED)


def meters(setup: Setup, meter: Meter) -> None:
    """Show promise, reality and price as numbers."""
    row = st.container(horizontal=True, gap="large")
    row.metric(
        "Promised ε", f"{setup.epsilon:g}", width="content", help="What the noise was chosen for."
    )
    row.metric(
        "Really given ε",
        epsilon_text(meter.real),
        delta=None if meter.holds else f"{percent(meter.inflation - 1)} more",
        delta_color="inverse",
        width="content",
        help=f"The worst case over all pairs of values at most {setup.shift:g} apart: "
        f"{belief_text(meter.real, delta=setup.delta)}. For the two values below it is "
        f"{epsilon_text(meter.here)}.",
    )
    row.metric(
        "or the promised ε, with δ",
        significant(meter.delta, up=True),
        width="content",
        help="The promise can be saved by admitting that it fails for a part of the "
        "releases: δ is how much of the law lies outside. One over the number of "
        "people is already a lot.",
    )
    row.metric(
        "Typical error",
        significant(meter.error),
        width="content",
        help="Root mean squared error at this value, as a share of the range. Noise "
        f"scale {significant(meter.scale)}.",
    )


def worlds(setup: Setup, meter: Meter) -> None:
    """Draw the two laws and the evidence between them."""
    picture = worlds_picture(two_worlds(setup), meter, setup=setup)
    results.show(picture, "worlds", simulated=True)


def why(setup: Setup) -> None:
    """Say in two sentences how to read the figure."""
    share = f", but for a share δ {significant(setup.delta)}" if setup.delta else ""
    st.markdown(
        f"Above: how likely each release is if the value is "
        f"{significant(setup.place)}, and if it is {significant(setup.other)} because "
        "one person is another one. Below: the logarithm of their ratio, which is what "
        f"an attacker learns from one release. ε {setup.epsilon:g} promises that it "
        f"stays in the gray band, for every release{share}. Move the value away from "
        "the bound, or try the other mechanisms."
    )


def _refuted(setup: Setup, meter: Meter) -> None:
    on_bound, beside = (float(acceptance(at, meter.scale, UNIT)) for at in (0.0, setup.shift))
    repaired = measure(setup.through(REPAIRED)).scale / meter.scale
    ratio = beside / on_bound
    st.warning(
        f"**ε {setup.epsilon:g} was promised, but up to ε {epsilon_text(meter.real)} "
        f"is given away.** The noise scale, sensitivity / ε = {setup.shift:g} / "
        f"{setup.epsilon:g}, is enough for a draw that is left alone. But draws "
        "outside the bounds are drawn again, and how often depends on the secret: a "
        f"draw is kept with probability {percent(on_bound)} if the value is 0, "
        f"{percent(beside)} if it is {setup.shift:g}. That is a clue of its own: "
        f"{significant(ratio, 4)} times as often, which adds log "
        f"{significant(ratio, 4)} = {significant(math.log(ratio))} to ε. **Use "
        "instead:** move such draws to the bound (BIT, same noise), or repair this "
        f"mechanism with {significant(repaired)} times the noise.",
        icon=":material/lock_open:",
    )


def _other(setup: Setup, meter: Meter) -> None:
    entry = setup.entry
    with_delta = f" and δ {significant(setup.delta)}" if entry.needs_delta else ""
    kept = (
        f"**ε {setup.epsilon:g}{with_delta} was promised and is given.**"
        if meter.holds
        else f"**ε {setup.epsilon:g}{with_delta} was promised, but "
        f"ε {epsilon_text(meter.real)} is given away.**"
    )
    show = st.success if meter.holds else st.warning
    flaw = f" The reason: {entry.flaw}." if entry.flaw and not meter.holds else ""
    kept_only_here = meter.holds and setup.key == PUBLISHED
    sentence = _kept(setup.epsilon) if kept_only_here else entry.sentence
    beyond = "" if entry.bounded else " Its releases may lie outside the bounds."
    show(
        f"{kept} {sentence}{beyond}{flaw} Typical error {significant(meter.error)} of the range.",
        icon=":material/science:",
    )


def _kept(epsilon: float) -> str:
    """Return what is said of redrawing where it keeps its promise."""
    return (
        "It redraws until inside the bounds. That reveals nothing more only here, "
        "where one person can move the value from bound to bound: at both, as many "
        "draws are rejected. With a smaller step it reveals up to ε "
        f"{epsilon_text(redrawing_limit(epsilon))}."
    )


_LABELS = {
    REPAIRED: ("Repair: more noise", ":material/build:"),
    CLAMPED: ("Clamp instead (BIT)", ":material/vertical_align_center:"),
    PUBLISHED: ("Back to as published", ":material/undo:"),
}


def _buttons(first: str, second: str) -> None:
    """Offer two other mechanisms; the first is what the page suggests."""
    with st.container(horizontal=True):
        for key in (first, second):
            label, icon = _LABELS[key]
            st.button(
                label,
                icon=icon,
                type="primary" if key == first and key != PUBLISHED else "secondary",
                key=f"lab-to-{key}",
                on_click=session.set_public,
                args=(_MECHANISM, key),
            )


_DRAWS = 1000
_SEED = 1
_MARGINS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1]
_SAMPLES = [100, 1000, 10_000, 100_000, 300_000]
_POINTS = 15
_PLACES = (0.0, 0.2, 0.5)


def show(setup: Setup) -> None:
    """Draw the stations as tabs."""
    stations = {
        "Exactly 0 or 1": _atoms,
        "Redraws": _redraws,
        "Catch the liar": _audit,
        "Equal privacy": _equal_privacy,
        "Which errs least": _maps,
    }
    layout.show(stations, setup, key="lab-station")


def _maps(setup: Setup) -> None:
    first, second, third = controls.row(3)
    quantity = first.selectbox(
        "Map of",
        list(MapQuantity),
        format_func=str.capitalize,
        key="lab-quantity",
        note="Mean squared error = bias² + variance.",
    )
    fairness = second.selectbox(
        "Compare at the",
        # The fair one comes first: the other speaks for the mechanism that lies.
        list(Fairness),
        key="lab-fairness",
        note="At the same nominal ε all have the same noise scale, and truncation "
        "really gives more away. At the same true ε it gets more noise, and folding "
        "less.",
    )
    maps = error_maps(quantity, fairness, setup.shift)
    lines = third.selectbox(
        "Level lines of",
        maps.keys,
        index=1,
        format_func=lambda key: CATALOG[key].label,
        key=f"lab-lines-{fairness.name.lower()}",
    )
    here = (setup.place, setup.shift / setup.epsilon)
    results.show(map_picture(maps, lines, here=here), "maps", simulated=True)
    text = (
        "The ring is where the page is set. A color says which mechanism errs least "
        f"there; lines with numbers are levels of {CATALOG[lines].label}, as a share "
        f"of the range{'' if quantity is MapQuantity.BIAS else ' squared'}."
    )
    if quantity is MapQuantity.MSE and fairness is Fairness.NOMINAL:
        text += f" {flip_sentence()}"
    if fairness is Fairness.NOMINAL:
        text += (
            " This comparison flatters truncation: at the same nominal ε it gives more "
            "away. Compare at the same true ε."
        )
    else:
        text += (
            " Each mechanism has the noise that really gives the same ε. At the same "
            "nominal ε, as published, truncation would look better than it is."
        )
    st.markdown(text)


def _atoms(setup: Setup) -> None:
    mechanism = setup.mechanism()
    if not any(np.any(atom > 0) for atom in mechanism.atoms(setup.place)):
        st.markdown(
            f"{setup.entry.label} releases no single number with positive probability. "
            f"Shown is {CATALOG[CLAMPED].label}, which does."
        )
        setup = setup.through(CLAMPED)
        mechanism = setup.mechanism()
    results.show(atoms_picture(mechanism, setup), "atoms", simulated=True)
    end = 0 if setup.place < setup.other else 1
    here, there = (float(mechanism.atoms(at)[end]) for at in (setup.place, setup.other))
    st.markdown(
        f"A careless reader takes “exactly {end}” for the truth. But with the value at "
        f"{significant(setup.place)} it comes in {three_digits(here)} of all releases, "
        f"and with the value at {significant(setup.other)} still in "
        f"{three_digits(there)}. Who held both for equally likely, and reads it, is "
        f"{nearest(here / (here + there))} sure of the first, and at ε "
        f"{setup.epsilon:g} nobody can become surer than {surest(setup.epsilon)}. The "
        "spike is honest: it stands for everything that fell beyond the bound."
    )


def _redraws(setup: Setup) -> None:
    if setup.key not in {PUBLISHED, REPAIRED}:
        label, shown = setup.entry.label, CATALOG[PUBLISHED].label
        st.markdown(f"{label} draws once. Shown is: {shown}, which redraws.")
        setup = setup.through(PUBLISHED)
    scale = setup.mechanism().noise
    place = np.unique([*np.linspace(0.0, 1.0, 101), setup.place, setup.other])
    picture = tries_picture(tries(place, scale, UNIT), place, setup)
    results.show(picture, "tries", simulated=True)
    rng = np.random.default_rng(_SEED)
    share = careless(setup.place, setup.other, scale, draws=_DRAWS, rng=rng).given_away
    st.markdown(
        "**Time tells.** Whoever can measure how long a release takes learns about the "
        "number of draws, hence about the value, on top of ε. Drawing by the inverse "
        "distribution function takes one draw for every value.\n\n"
        "**Digits tell.** A noise computed as b·log(u) in floating point reaches some "
        f"numbers only from one value: of {_DRAWS:,} releases simulated that way at "
        f"{significant(setup.place)}, {percent(share)} have a last digit that "
        f"{significant(setup.other)} can never produce, which gives the value away "
        "whatever ε was promised (Mironov 2012). This page simulates that way; the "
        "Release page draws by an exact sampler."
    )


def _audit(setup: Setup) -> None:
    first, second, third = controls.row(3)
    margin = first.place.select_slider(
        "Count releases this near the bound",
        _MARGINS,
        value=0.01,
        key="lab-margin",
        bind="query-params",
        help="Nearer to the bound the violation is larger, but the event is rarer.",
    )
    most = second.place.select_slider(
        "Releases drawn in each world",
        _SAMPLES,
        value=10_000,
        format_func=lambda number: f"{number:,}",
        key="lab-draws",
        bind="query-params",
    )
    seed = third.draw("Sample number", "Another number draws another sample.", key="lab-seed")
    event = BoundEvent(setup=setup, margin=margin)
    expected = detectable_from(event)
    draws = np.unique(np.geomspace(10, most, _POINTS).astype(np.int64))
    counted = audit(event, draws, rng=np.random.default_rng(seed))
    picture = audit_picture(counted, event, expected=expected)
    results.show(picture, "audit", simulated=True)
    shares = " and ".join(three_digits(share) for share in event.probabilities())
    text = (
        f"Both worlds are simulated, and “{event.text}” is counted. Its exact "
        f"probabilities are {shares}. The bars are exact (Clopper-Pearson) 95 % limits "
        "of the log ratio: when a bar lies above the promise altogether, the promise "
        "is refuted by counting alone."
    )
    if np.isfinite(expected):
        text += f" For this event that takes about {int(expected):,} draws."
    else:
        text += (
            " No number of draws refutes it with this event. An audit can only refute: "
            "that nothing was found proves nothing."
        )
    st.markdown(text)
    st.page_link(
        "pages/audit.py",
        label="Check any mechanism this way",
        icon=":material/policy:",
        query_params={WHAT: MECHANISM},
        help="The page Audit does the same for every mechanism, statistic and model of "
        "the studio, and looks for the most telling event by itself.",
    )


def _equal_privacy(setup: Setup) -> None:
    rows = remedies(setup.shift, setup.epsilon, _PLACES)
    st.markdown(f"**{_reading(rows)}**")
    table: dict[str, list[str]] = {"mechanism": [], "really given ε": []}
    for row in rows:
        if row.place == _PLACES[0]:
            table["mechanism"].append(CATALOG[row.key].label)
            table["really given ε"].append(epsilon_text(row.real))
        cells = table.setdefault(f"value {row.place:g}: bias / error", [])
        cells.append(f"{row.bias:+.4f} / {row.rmse:.4f}")
    results.table(table, key="lab-equal")
    st.markdown(
        f"Bias and typical error as a share of the range, for ε {setup.epsilon:g} and "
        f"a person who moves the value by {setup.shift:g}. Truncation as published is "
        "no competitor: it gives more away than the others. Plain Laplace noise has no "
        "bias, and may leave the bounds."
    )


def _reading(rows: tuple[Remedy, ...]) -> str:
    """Return which bounded mechanism errs least, of those that keep the promise."""
    parts = []
    for place in _PLACES:
        honest = [
            row
            for row in rows
            if row.place == place and CATALOG[row.key].claim_holds and CATALOG[row.key].bounded
        ]
        best = min(honest, key=lambda row: row.rmse)
        parts.append(f"{CATALOG[best.key].label} at {place:g} ({significant(best.rmse)})")
    return f"At equal true ε, the bounded mechanism that errs least: {', '.join(parts)}"


def details() -> None:
    """Define what the page shows, with formulas and sources."""
    st.markdown(
        "With bounds $c_0, c_1$, range $R = c_1 - c_0$, sensitivity $\\Delta \\le R$ "
        "and noise scale $b$:\n\n"
        "**Log ratio** of a release $x$: $\\log f_\\theta(x)/f_{\\theta'}(x)$. Pure "
        "$\\varepsilon$-DP means that it lies within $\\pm\\varepsilon$ for every "
        "release and every pair of values at most $\\Delta$ apart.\n\n"
        "**Truncated** (Liu 2016, eq. 4) divides the Laplace density by the chance of "
        "landing inside the bounds, which depends on the secret. Its exact level, "
        "reached by a value on a bound and releases near it, is"
    )
    st.latex(
        r"\begin{aligned} \varepsilon^* &= \frac{\Delta}{b} + \log(1 + q)"
        r" \le \frac{2\Delta}{b}, \\ "
        r"q &= \frac{(1 - e^{-\Delta/b})(1 - e^{-(R-\Delta)/b})}{1 - e^{-R/b}}."
        r" \end{aligned}"
    )
    st.markdown(
        "**Calibrated** solves $\\varepsilon^* = \\varepsilon$ for $b$; "
        "$b = 2\\Delta/\\varepsilon$ is always enough.\n\n"
        "**BIT** (eq. 5) clamps: $\\min(\\max(\\theta + \\mathrm{Lap}(b), c_0), c_1)$. "
        "Clamping is post-processing, so that its level is $\\Delta/b$, reached on the "
        "two bounds.\n\n"
        "**Folded** reflects at the bounds: post-processing too, with the even smaller "
        "level $\\log\\cosh(R/b) - \\log\\cosh((R-\\Delta)/b)$.\n\n"
        "**δ at the promised ε** is the largest $\\sup_A P_\\theta(A) - "
        "e^{\\varepsilon} P_{\\theta'}(A)$ over all pairs of values at most $\\Delta$ "
        "apart.\n\n"
        "Errors, levels and probabilities are closed forms. Only “Catch the liar” and "
        "the share of telling digits are simulated."
    )
