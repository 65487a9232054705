"""Averaging: the same question again and again, and what it costs."""

from __future__ import annotations

import math

import numpy as np

from dpcore.figures.attackers import surest
from dpcore.figures.attacks import running_picture
from dpcore.studies.attacks.averaging import Averaging, ask_again, band, needed
from dpcore.wording import epsilon_text, measured, percent, significant
from ui import controls
from ui.attacks import subject as people
from ui.attacks import verdicts
from ui.attacks.subject import AttackTarget
from ui.text import literal

_MOST = 100_000


def show_averaging(subject: AttackTarget) -> None:
    """Ask a count again and again, and average."""
    upper = controls.row([1.4, 1, 1])
    lower = controls.row(3)
    secret = people.ask_secret((upper[0], upper[1]), subject, "attack-secret")
    times = upper[2].number(
        "Times asked",
        1000,
        (1, _MOST),
        key="averaging-times",
        note="How often the same question is put.",
    )
    epsilon = lower[0].number(
        "ε of each answer", 0.5, (0.01, 20.0), key="averaging-epsilon", note=controls.EPSILON_HELP
    )
    budget = lower[1].number(
        "Budget ε for all answers",
        5.0,
        (0.01, 1000.0),
        key="averaging-budget",
        note="What all answers to all questions together may cost.",
    )
    seed = lower[2].seed(value=4, key="averaging-seed")
    if secret is None:
        return
    found = ask_again(
        float(secret.amounts.sum()),
        epsilon=epsilon,
        budget=budget,
        times=int(times),
        rng=np.random.default_rng(seed),
    )
    subject.show(running_picture(found), "averaging")
    verdicts.show_verdict(_careless(found), _private(found))
    verdicts.show_lesson(
        f"Noise that is drawn anew for the same question (“{literal(secret.what)}”) is "
        "averaged away: the error falls with the square root of how often it is asked. "
        f"At ε {epsilon_text(epsilon)} about {needed(epsilon):,} answers give the "
        "exact count in 95 of 100 cases.",
        "The same question has the same answer, free of charge. A fresh answer is a "
        "new release, paid for from the same budget, so that all of them together tell "
        "no more than the budget allows.",
    )


def _careless(found: Averaging) -> str:
    asked = len(found.answers)
    off = float(band(asked, found.scale))
    return (
        f"{asked:,} fresh answers leave an error of ±{significant(off)} (95 % band) "
        f"where one has ±{significant(float(band(1, found.scale)))}; together they "
        f"cost ε {epsilon_text(found.epsilon * asked)}, and nobody counted."
    )


def _private(found: Averaging) -> str:
    first, paid = float(found.answers[0]), found.affordable
    same = (
        f"The answer stays {measured(first, found.scale)}, however often it is asked, "
        f"and costs ε {epsilon_text(found.epsilon)} once."
    )
    if paid < 1:
        return "The budget does not pay for even one answer of this price: nothing is answered."
    off = significant(float(band(min(paid, _MOST), found.scale)))
    total = epsilon_text(paid * found.epsilon)
    chance = math.exp(-1 / (2 * found.scale)) if paid == 1 else None
    wrong = f" (rounded, it is wrong in {percent(chance)} of cases)" if chance else ""
    return (
        f"{same}{wrong} The budget pays for {paid:,} fresh answer"
        f"{'s' if paid > 1 else ''}, which leave ±{off}; then it ends, at ε {total}: "
        f"who was 50 % sure becomes at most {surest(paid * found.epsilon)} sure."
    )
