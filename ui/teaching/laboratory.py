"""The Mechanism lab: its controls, the answer, the repair and the two worlds."""

from __future__ import annotations

import math

import streamlit as st

from dpcore.figures.attackers import belief_text
from dpcore.figures.laboratory import worlds_picture
from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.teaching.laboratory import (
    CLAMPED,
    PUBLISHED,
    REPAIRED,
    UNIT,
    Meter,
    Setup,
    acceptance,
    measure,
    redrawing_limit,
    two_worlds,
)
from dpcore.wording import epsilon_text, percent, significant
from ui import controls, results, session

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
        _repaired(setup, meter)
        _buttons(CLAMPED, PUBLISHED)
    elif setup.key == CLAMPED:
        _clamped(setup, meter)
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


def _repaired(setup: Setup, meter: Meter) -> None:
    before, clamped = (measure(setup.through(key)) for key in (PUBLISHED, CLAMPED))
    st.success(
        f"**ε {setup.epsilon:g} was promised and is given.** It still redraws, but "
        f"with {significant(meter.scale / before.scale)} times the noise. The price: "
        f"at this value the typical error is {significant(meter.error)} of the range "
        f"instead of {significant(before.error)}. BIT gives the same ε with "
        f"{significant(clamped.error)}.",
        icon=":material/build:",
    )


def _clamped(setup: Setup, meter: Meter) -> None:
    repaired = measure(setup.through(REPAIRED))
    st.success(
        f"**ε {setup.epsilon:g} was promised and is given, at no extra noise.** "
        "Clamping looks at the noisy number only, never at the secret, so that it "
        "reveals nothing more. What it costs: some releases are exactly 0 or exactly "
        f"1. Typical error {significant(meter.error)} of the range; the repaired "
        f"truncation has {significant(repaired.error)}.",
        icon=":material/vertical_align_center:",
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
