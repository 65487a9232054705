"""What a guarantee means: in odds, before and after, and in tests of membership."""

from __future__ import annotations

import streamlit as st

from dpcore.figures.attackers import (
    belief_picture,
    belief_text,
    detection_picture,
    readings_text,
    worlds_picture,
    worlds_text,
)
from dpcore.wording import capital
from ui import controls, results, session
from ui.meaning.asking import InterpretationSubject
from ui.text import literal

_CASES = 100


def answer(subject: InterpretationSubject) -> None:
    """Say in one sentence what the guarantee leaves an attacker."""
    sure = subject.told.guarantee
    said = belief_text(sure.epsilon, delta=sure.delta, about=f" about one {session.unit().noun}")
    st.markdown(
        f"**{literal(capital(said))}**, from {literal(subject.name)}, whoever the "
        f"{session.unit().noun} is and whatever else the attacker knows. “Sure” is of "
        "a yes or no: "
        f"{literal(subject.told.sides.asked)}, or not. So it is of every yes or no "
        "that hangs on one record, such as whether somebody earns more than 50,000."
    )
    if subject.reading is not None:
        text = readings_text(
            subject.told, subject.reading.largest_loss, exact=subject.reading.exact
        )
        st.markdown(f"Through {literal(subject.told.label)}: {text}")


def worlds(subject: InterpretationSubject) -> None:
    """Show the odds as counts of worlds."""
    st.markdown(worlds_text(subject.told))
    results.show(worlds_picture(subject.told), "worlds", simulated=True)
    st.caption(
        "In a study of 963 people counts were understood best (Nanayakkara, Smart and "
        "others 2023). These are counts of right guesses, in both kinds of worlds."
    )


def beliefs(subject: InterpretationSubject) -> None:
    """Show what becomes of each belief, and let one be chosen."""
    before = controls.HERE.slider(
        "How sure the attacker was before, %",
        50,
        (1, 99),
        key="meaning-prior",
        note="From what they knew already. For a guess of one thing among many it is far below 50.",
    )
    picture = belief_picture(subject.told, before / _CASES)
    results.show(picture, "belief", simulated=True)
    sure = subject.told.guarantee
    if sure.delta > 0:
        st.markdown(
            "With a δ, very unlikely releases may tell all. So the guarantee limits "
            "how often the best guess is right, over all releases."
        )
    else:
        st.markdown(
            "ε limits by how much one release, or all together, can move a belief, up "
            "or down. It does not limit what the attacker knew before."
        )


def found(subject: InterpretationSubject) -> None:
    """Show how many are found for how many are named wrongly."""
    results.show(detection_picture(subject.told), "detection", simulated=True)
    st.markdown(
        "An attacker wants to name those whose record was used. Naming more finds more "
        "of them, and more of the others, too. The curve is that of the best test "
        "there is; on the dotted line are guesses without any release."
    )


def details() -> None:
    """Define the words, and say where the formulas come from."""
    st.markdown(
        "**Attacker.** Knows every other record, and both records in question; sees "
        "the release; asks which of the two was used. Real attackers know "
        "less.\n\n**Guarantee.** (ε, δ): each set of releases is at most e^ε times as "
        "likely in one world as in the other, plus δ. The best guess is right δ + (1 - "
        "δ) e^ε/(1 + e^ε) of the time at even odds (Kairouz, Oh and Viswanath 2015). "
        "Without a δ the odds change by a factor of e^ε at most.\n\n**Advantage.** By "
        "how much those found outnumber those named wrongly, at the best test: the "
        "total variation distance of the two laws.\n\n**Mechanism.** The two laws are "
        "those of its noise around two numbers, as far apart as one "
        f"{session.unit().noun} can move "
        "the answer (the sensitivity, a public number), at the place where they are "
        "easiest to tell apart. Best tests are thresholds (Neyman and Pearson), worked "
        "out exactly. Where several numbers are released at once, the limits that hold "
        "for all tables are shown instead."
    )
