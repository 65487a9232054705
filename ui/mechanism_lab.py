"""Mechanism lab: what truncating noise does to the guarantee, and how to repair it."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import numpy as np
import streamlit as st

from dpcore.figures.attackers import belief_text, surest
from dpcore.figures.audits import audit_picture
from dpcore.figures.laboratory import atoms_picture, tries_picture, worlds_picture
from dpcore.figures.tradeoffs import flip_sentence, map_picture
from dpcore.formatting import (
    at_most,
    delta_text,
    epsilon_text,
    in_full,
    percent,
    significant,
    three_digits,
    with_sign,
)
from dpcore.mechanisms.catalog import STUDIED
from dpcore.studies.attacks.noise import careless
from dpcore.studies.comparing.error_curves import Fairness
from dpcore.studies.comparing.error_maps import MapQuantity, Remedy, error_maps, remedies
from dpcore.studies.teaching.laboratory import (
    CLAMPED,
    DELTA,
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
from ui import controls, results, session
from ui.auditing import MECHANISM, WHAT
from ui.comparing import EARLIER_FAIRNESS
from ui.form import ChoiceSetting, DeclaredStudy, SettingsForm, Slide
from ui.live_chart import Film

_MECHANISM = "lab-mechanism"
_EPSILON: Final = "lab-epsilon"
_EPSILONS: Final = [tenths / 10 for tenths in range(1, 51)]
_FILMS: Final = 8
_CLAIM, _ACTUAL, _DELTA, _RMSE = "lab-claim", "lab-actual", "lab-delta", "lab-rmse"
_OLDER: Final = {"Catch the liar": "Spot the flaw", "Which errs least": "Lowest error"}

FORM: Final = SettingsForm(
    widths=(1.7, 1, 1, 1),
    row={
        "key": ChoiceSetting(
            label="Mechanism",
            options=tuple(STUDIED),
            value=PUBLISHED,
            named=lambda name: STUDIED[name].label,
            key=_MECHANISM,
            note="\n\n".join(f"**{e.label}**: {e.sentence}" for e in STUDIED.values()),
        ),
        "place": Slide(
            label="True value",
            value=0.0,
            within=(0.0, 1.0, 0.01),
            key="lab-place",
            note="Between its bounds 0 and 1.",
        ),
        "shift": Slide(
            label="Sensitivity",
            value=0.2,
            within=(0.02, 1.0, 0.02),
            key="lab-shift",
            note="How far one person can move the value, as a share of the range.",
        ),
        "epsilon": Slide(
            label="Claimed ε",
            value=1.0,
            within=(0.1, 5.0, 0.1),
            key=_EPSILON,
            note=controls.EPSILON_HELP,
        ),
    },
)
_LABELS = {
    REPAIRED: "Repair: more noise",
    CLAMPED: "Clamp instead (BIT)",
    PUBLISHED: "Back to as published",
}
_OTHERS = {
    PUBLISHED: (REPAIRED, CLAMPED),
    REPAIRED: (CLAMPED, PUBLISHED),
    CLAMPED: (PUBLISHED, REPAIRED),
}


def _worlds(setup: Setup) -> None:
    """Show the claim beside the actual loss, both distributions, and the meters."""
    meter = measure(setup)
    said = _said(setup, meter)
    with st.container(horizontal=True, vertical_alignment="center", key=_CLAIM):
        st.markdown(f"**{said[_CLAIM]}**")
        for key in _OTHERS.get(setup.key, (PUBLISHED, CLAMPED)):
            st.button(
                _LABELS[key],
                key=f"lab-to-{key}",
                on_click=session.set_public,
                args=(_MECHANISM, key),
            )
    results.show_film(_film(setup.key, setup.place, setup.shift), setup.epsilon, "worlds")
    st.page_link("pages/meaning.py", label="What ε means")
    row = st.container(horizontal=True, gap="large")
    row.container(key=_ACTUAL, width="content").metric(
        "Actual ε",
        said[_ACTUAL],
        width="content",
        help=f"The worst case over all pairs of values at most {in_full(setup.shift)} apart: "
        f"{belief_text(meter.real, delta=setup.delta)}. The two values shown have "
        f"{epsilon_text(meter.here)}.",
    )
    row.container(key=_DELTA, width="content").metric(
        "δ needed at the claimed ε",
        said[_DELTA],
        width="content",
        help="The share of the distribution where the claim fails. A δ above one over the "
        "number of people is large.",
    )
    row.container(key=_RMSE, width="content").metric(
        "RMSE",
        said[_RMSE],
        width="content",
        help=f"As a share of the range, at this value. Noise scale {significant(meter.scale)}.",
    )


def _said(setup: Setup, meter: Meter) -> dict[str, str]:
    """Return what is said beside the figure, by the key of its place."""
    real = epsilon_text(meter.real)
    mark = "✓" if meter.holds else "✗"
    return {
        _CLAIM: f"{mark} Claimed ε = {in_full(setup.epsilon)}, actual ε = {real}",
        _ACTUAL: real,
        _DELTA: significant(meter.delta, up=True),
        _RMSE: significant(meter.error),
    }


@lru_cache(maxsize=_FILMS)
def _film(key: str, place: float, shift: float) -> Film:
    """Return both distributions at each position of the slider of ε."""
    setups = [Setup(key=key, epsilon=epsilon, place=place, shift=shift) for epsilon in _EPSILONS]
    meters = [measure(setup) for setup in setups]
    pairs = list(zip(setups, meters, strict=True))
    said = [_said(setup, meter) for setup, meter in pairs]
    return Film.of(
        _EPSILON,
        {
            setup.epsilon: worlds_picture(two_worlds(setup), meter, setup=setup)
            for setup, meter in pairs
        },
        texts={name: [each[name] for each in said] for name in said[0]},
    )


def _why(setup: Setup) -> str:
    """Return what the mechanism costs and why, with the numbers of the figure."""
    meter = measure(setup)
    rmse = significant(meter.error)
    if setup.key == PUBLISHED:
        return f"**Why:** {_published(setup, meter)}"
    if setup.key == REPAIRED:
        before, clamped = (measure(setup.through(key)) for key in (PUBLISHED, CLAMPED))
        return (
            f"**Why:** the repair uses {significant(meter.scale / before.scale)} times the "
            f"noise. RMSE grows from {significant(before.error)} to {rmse} of the range. BIT "
            f"keeps the same ε with {significant(clamped.error)}."
        )
    if setup.key == CLAMPED:
        repaired = measure(setup.through(REPAIRED))
        return (
            "**Why:** clamping is post-processing of the noisy value and needs no extra "
            f"noise. RMSE is {rmse} of the range, against {significant(repaired.error)} for "
            "the repaired truncation. Some releases are exactly 0 or exactly 1."
        )
    entry = setup.entry
    flaw = f" The reason: {entry.flaw}." if entry.flaw and not meter.holds else ""
    outside = "" if entry.bounded else " Releases may lie outside the bounds."
    return f"**Why:** {entry.sentence}{outside}{flaw} RMSE is {rmse} of the range."


def _published(setup: Setup, meter: Meter) -> str:
    if meter.holds:
        return (
            "here both values are rejected equally often, because one person can move the "
            "value from bound to bound. A smaller sensitivity costs up to ε = "
            f"{epsilon_text(redrawing_limit(setup.epsilon))}."
        )
    on_bound, beside = (float(acceptance(at, meter.scale, UNIT)) for at in (0.0, setup.shift))
    repaired = measure(setup.through(REPAIRED)).scale / meter.scale
    ratio = significant(beside / on_bound, 4)
    return (
        f"a draw is accepted with probability {percent(on_bound)} at value 0 and "
        f"{percent(beside)} at value {in_full(setup.shift)}. The ratio {ratio} adds log {ratio} = "
        f"{significant(math.log(beside / on_bound))} to ε. Clamp such draws (BIT), or use "
        f"{significant(repaired)} times the noise."
    )


_DRAWS = 1000
_SEED = 1
_MARGINS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1]
_SAMPLES = [100, 1000, 10_000, 100_000, 300_000]
_POINTS = 15
_PLACES = (0.0, 0.2, 0.5)


def _maps(setup: Setup) -> None:
    first, second, third = controls.row(3)
    quantity = first.selectbox(
        "Map of",
        list(MapQuantity),
        format_func=str.capitalize,
        key="lab-quantity",
        note="Mean squared error = bias² + variance.",
    )
    controls.read_older("lab-fairness", EARLIER_FAIRNESS)
    fairness = second.selectbox(
        "Compare at the",
        # The fair one comes first: the other speaks for the mechanism that lies.
        list(Fairness),
        key="lab-fairness",
        note="At the same nominal ε all mechanisms have the same noise scale, and "
        "truncation costs more than it claims.",
    )
    maps = error_maps(quantity, fairness, setup.shift)
    lines = third.selectbox(
        "Level lines of",
        maps.keys,
        index=1,
        format_func=lambda key: STUDIED[key].label,
        key=f"lab-lines-{fairness.name.lower()}",
    )
    here = (setup.place, setup.shift / setup.epsilon)
    results.show(map_picture(maps, lines, here=here), "maps", simulated=True)
    text = (
        "The ring marks the settings above. Colors name the mechanism with the lowest "
        f"error. Contour lines are for {STUDIED[lines].label}."
    )
    if quantity is MapQuantity.MSE and fairness is Fairness.NOMINAL:
        text += f" {flip_sentence()}"
    if fairness is Fairness.NOMINAL:
        text += " This comparison flatters truncation, which costs more than its nominal ε."
    st.markdown(text)


def _atoms(setup: Setup) -> None:
    mechanism = setup.mechanism()
    if not any(np.any(atom > 0) for atom in mechanism.atoms(setup.place)):
        st.markdown(
            f"The noise here never releases exactly a bound ({setup.entry.label}). The figure "
            f"shows {STUDIED[CLAMPED].label}."
        )
        setup = setup.through(CLAMPED)
        mechanism = setup.mechanism()
    results.show(atoms_picture(mechanism, setup), "atoms", simulated=True)
    end = 0 if setup.place < setup.other else 1
    here, there = (float(mechanism.atoms(at)[end]) for at in (setup.place, setup.other))
    st.markdown(
        f"“Exactly {end}” is released in {three_digits(here)} of cases at value "
        f"{significant(setup.place)} and in {three_digits(there)} at value "
        f"{significant(setup.other)}. An attacker who began at 50% becomes "
        f"at most {at_most(here / (here + there))} sure of the first value. The limit at ε = "
        f"{in_full(setup.epsilon)} is {surest(setup.epsilon)}."
    )


def _redraws(setup: Setup) -> None:
    if setup.key not in {PUBLISHED, REPAIRED}:
        label, shown = setup.entry.label, STUDIED[PUBLISHED].label
        st.markdown(f"{label} draws once. The figure shows {shown}.")
        setup = setup.through(PUBLISHED)
    scale = setup.mechanism().noise
    place = np.unique([*np.linspace(0.0, 1.0, 101), setup.place, setup.other])
    picture = tries_picture(tries(place, scale, UNIT), place, setup)
    results.show(picture, "tries", simulated=True)
    rng = np.random.default_rng(_SEED)
    share = careless(setup.place, setup.other, scale, draws=_DRAWS, rng=rng).given_away
    st.markdown(
        "**Timing:** the time of a release depends on the number of draws, and so on the "
        "true value. Inverse transform sampling takes one draw for every value.\n\n"
        f"**Floating point:** of {_DRAWS:,} releases computed as b·log(u) at "
        f"{significant(setup.place)}, {percent(share)} have a last digit that "
        f"{significant(setup.other)} cannot produce (Mironov 2012). Releases of this app "
        "use an exact sampler."
    )


def _audit(setup: Setup) -> None:
    first, second, third = controls.row(3)
    margin = first.place.select_slider(
        "Distance from the bound",
        _MARGINS,
        value=0.01,
        key="lab-margin",
        bind="query-params",
        help="Closer to the bound the violation is larger and rarer.",
    )
    most = second.place.select_slider(
        "Draws per dataset",
        _SAMPLES,
        value=10_000,
        format_func=lambda number: f"{number:,}",
        key="lab-draws",
        bind="query-params",
    )
    seed = third.draw("Sample", "Another number, another sample.", key="lab-seed")
    event = BoundEvent(setup=setup, margin=margin)
    expected = detectable_from(event)
    draws = np.unique(np.geomspace(10, most, _POINTS).astype(np.int64))
    counted = audit(event, draws, rng=np.random.default_rng(seed))
    results.show(audit_picture(counted, event, expected=expected), "audit", simulated=True)
    shares = " and ".join(three_digits(share) for share in event.probabilities())
    text = (
        f"The event is “{event.text}”, with exact probabilities {shares}. Bars are 95% "
        "Clopper-Pearson limits of the log ratio."
    )
    if np.isfinite(expected):
        text += (
            f" Without luck the counts refute the claim from {int(expected):,} draws on. A "
            "sample may do so earlier or later."
        )
    else:
        text += (
            " No number of draws refutes the claim with this event. An audit never proves a claim."
        )
    st.markdown(text)
    st.page_link(
        "pages/audit.py",
        label="Audit any mechanism",
        icon=":material/policy:",
        query_params={WHAT: MECHANISM},
    )


def _equal_privacy(setup: Setup) -> None:
    rows = remedies(setup.shift, setup.epsilon, _PLACES)
    st.markdown(f"**{_reading(rows)}**")
    table: dict[str, list[str]] = {"mechanism": [], "actual ε": []}
    for row in rows:
        if row.place == _PLACES[0]:
            table["mechanism"].append(STUDIED[row.key].label)
            table["actual ε"].append(epsilon_text(row.real))
        cells = table.setdefault(f"value {in_full(row.place)}: bias / RMSE", [])
        cells.append(f"{with_sign(row.bias)} / {significant(row.rmse)}")
    results.table(table, key="lab-equal")
    st.markdown(
        f"Shares of the range, at ε = {in_full(setup.epsilon)} and sensitivity "
        f"{in_full(setup.shift)}. The last three have δ = {delta_text(DELTA)} as well."
    )


def _reading(rows: tuple[Remedy, ...]) -> str:
    """Return which bounded mechanism with pure ε errs least, if its guarantee holds."""
    parts = []
    for place in _PLACES:
        honest = [
            row
            for row in rows
            if row.place == place and STUDIED[row.key].claim_holds and STUDIED[row.key].bounded
            if not STUDIED[row.key].needs_delta
        ]
        best = min(honest, key=lambda row: row.rmse)
        parts.append(f"{STUDIED[best.key].label} at {in_full(place)} ({significant(best.rmse)})")
    return f"Lowest RMSE at equal actual ε: {', '.join(parts)}"


_METHODS: Final = (
    "With bounds $c_0, c_1$, range $R = c_1 - c_0$, sensitivity $\\Delta \\le R$ and "
    "noise scale $b$:\n\n"
    "**Log ratio** of a release $x$: $\\log f_\\theta(x)/f_{\\theta'}(x)$. Pure "
    "$\\varepsilon$-DP keeps it within $\\pm\\varepsilon$ for every release and every "
    "pair of values at most $\\Delta$ apart.\n\n"
    "**Truncated** (Liu 2016, eq. 4) divides the Laplace density by the probability of "
    "landing inside the bounds, which depends on the true value. Its exact level is\n\n"
    r"$$\begin{aligned} \varepsilon^* &= \frac{\Delta}{b} + \log(1 + q)"
    r" \le \frac{2\Delta}{b}, \\ "
    r"q &= \frac{(1 - e^{-\Delta/b})(1 - e^{-(R-\Delta)/b})}{1 - e^{-R/b}}."
    r" \end{aligned}$$"
    "\n\n"
    "**Calibrated** solves $\\varepsilon^* = \\varepsilon$ for $b$; "
    "$b = 2\\Delta/\\varepsilon$ is always enough.\n\n"
    "**BIT** (eq. 5) clamps: $\\min(\\max(\\theta + \\mathrm{Lap}(b), c_0), c_1)$. "
    "Its level is $\\Delta/b$, reached on the two bounds.\n\n"
    "**Folded** reflects at the bounds. Its level is "
    "$\\log\\cosh(R/b) - \\log\\cosh((R-\\Delta)/b)$.\n\n"
    "**Truncated Gaussian** needs no more noise than plain Gaussian noise: no test of two "
    "values does better against it (Caffarelli 2000; Gopi, Lee and Liu 2022).\n\n"
    "**Limited Laplace** (Geng and others 2020) has scale $b = \\Delta/\\varepsilon$ and "
    "range $A = b \\log(1 + (e^{\\varepsilon} - 1)/(2\\delta))$.\n\n"
    "**δ at the claimed ε** is the largest $\\sup_A P_\\theta(A) - "
    "e^{\\varepsilon} P_{\\theta'}(A)$ over all pairs of values at most $\\Delta$ "
    "apart.\n\n"
    "Errors, levels and probabilities are closed forms. Only “Spot the flaw” and the "
    "share of revealing digits are simulated."
)


STUDY: Final = DeclaredStudy(
    key="lab",
    view_key="lab-station",
    sentence="See why truncating noise breaks the guarantee, and how to fix it.",
    form=FORM,
    design=Setup,
    older={"lab-station": _OLDER},
    views={
        "Two worlds": _worlds,
        "Exactly 0 or 1": _atoms,
        "Redraws": _redraws,
        "Spot the flaw": _audit,
        "Equal privacy": _equal_privacy,
        "Lowest error": _maps,
    },
    why=_why,
    methods=_METHODS,
)
