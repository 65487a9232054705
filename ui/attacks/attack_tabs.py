"""The page: which table, and the open attack."""

from __future__ import annotations

from functools import partial
from typing import Final

import streamlit as st

from ui import confidential, controls, layout, session
from ui.attacks.aggregate_attacks import DIFFERENCING, MEMBERSHIP, RECONSTRUCTION
from ui.attacks.attack_target import AttackTarget, of_table, of_village
from ui.attacks.noise_attacks import AVERAGING, DISCLOSED_LOSSES, FLOATING_POINT, TIMING
from ui.study import Study

_VILLAGE, _OWN = "an example village", "the table in use"
_OLDER: Final = {"Told losses": "Disclosed losses", "Last digits": "Floating point"}
_ATTACKS: Final = {
    "Differencing": DIFFERENCING,
    "Averaging": AVERAGING,
    "Reconstruction": RECONSTRUCTION,
    "Membership": MEMBERSHIP,
    "Disclosed losses": DISCLOSED_LOSSES,
    "Floating point": FLOATING_POINT,
    "Timing": TIMING,
}


def show() -> None:
    """Ask for the table, and attack it."""
    study = session.study()
    chosen = _VILLAGE
    if study is not None:
        chosen = controls.HERE.radio(
            "Table under attack",
            [_VILLAGE, _OWN],
            key=f"attacked-table-{session.generation()}",
            kept="session",
            note="The village is simulated. Attacks on your own table are confidential.",
        )
    if study is None or chosen == _VILLAGE:
        _attacks(of_village())
    else:
        confidential.area("attacks", "attacks on the table in use", partial(_own, study))


def _own(study: Study) -> None:
    if study.dataset.cap is not None:
        st.info("Attacks on your own table need one row per person.")
    else:
        _attacks(of_table(study))


def _attacks(subject: AttackTarget) -> None:
    layout.show(_ATTACKS, subject, key="attack", older=_OLDER)


METHODS: Final = (
    "**Careless and private.** The careless release is exact, rounded, or noisy without "
    "a budget. The private one is what this studio releases: Laplace noise for the most "
    "that one person can change, and a total that adds up. Noise is simulated here from "
    "the seed; real releases draw it by an exact sampler.\n\n**Differencing.** The "
    "difference of two private totals is the value plus D, the difference of two Laplace "
    "draws of scale b. P(|D| > t) = e^(-t/b) (1 + t/(2b)).\n\n**Averaging.** The mean of "
    "k answers has the standard deviation b √(2/k). After 20 or more answers the band "
    "assumes a normal error.\n\n**Reconstruction.** I. Dinur and K. Nissim, *Revealing "
    "information while preserving privacy*, 2003; C. Dwork, F. McSherry and K. Talwar, "
    "*The price of privacy and the limits of LP decoding*, 2007. The attacker knows who "
    "is in each part, the law of the noise, and the share of yes to the nearest 5%. "
    "Noise is scaled to the number of parts that one person is in. The limit e^ε/(1 + "
    "e^ε), or the larger group where that is more, holds for independent "
    "answers.\n\n**Membership.** J. Neyman and E. Pearson, 1933: no test beats the "
    "likelihood ratio. It is right with probability 1 - e^(-shift/(2b))/2 with Laplace "
    "noise. No ε-DP mechanism allows more than e^ε/(1 + e^ε) (Kairouz, Oh and Viswanath "
    "2015).\n\n**Disclosed losses.** Compared with not being there, the own loss of a "
    "mean with noise of scale b is |x - m|/((n - 1) b). So the loss and the own value x "
    "leave two candidates for the mean m. R. Redberg and Y.-X. Wang, *Privately "
    "publishable per-instance privacy*, 2021.\n\n**Floating point.** I. Mironov, *On "
    "significance of the least significant bits for differential privacy*, 2012. For "
    "each release all uniform doubles near the one that it needs are "
    "tried.\n\n**Timing.** A release that is drawn until it fits takes k draws with "
    "probability (1 - Z)^(k - 1) Z. Here Z is the probability of landing within the "
    "bounds. Over several releases the number of draws is negative binomial. The line is "
    "exact; the stopwatch is simulated, at 40 µs a draw, and unsteady by 6 µs."
)
