"""Differencing: Alice moves in, and two totals tell what she has."""

from __future__ import annotations

import numpy as np

from dpcore.figures.attackers import surest
from dpcore.figures.attacks import left_picture, values_picture
from dpcore.studies.attacks.differencing import attack
from dpcore.wording import capital, epsilon_text, in_full, percent, significant
from ui import controls
from ui.attacks import subject as people
from ui.attacks import verdicts
from ui.attacks.subject import AttackTarget
from ui.text import after_number, literal


def show_differencing(subject: AttackTarget) -> None:
    """Ask who moves in, and subtract."""
    cells = controls.row([1.4, 1, 1, 1, 1.2])
    target = people.ask_numbers((cells[0], cells[4]), subject, "attack-numbers")
    if target is None:
        return
    person = people.ask_person(cells[1], subject, target, "Who moves in")
    epsilon = cells[2].number(
        "ε of each total", 1.0, (0.01, 20.0), key="differencing-epsilon", note=controls.EPSILON_HELP
    )
    seed = cells[3].seed(key="differencing-seed")
    found = attack(target, person, epsilon=epsilon, rng=np.random.default_rng(seed))
    name, unit = subject.called(person), target.unit
    if subject.masked:
        subject.show(left_picture(found), "differencing")
        exact = f"After minus before is the value of {name}, to the last digit."
    else:
        picture = values_picture(found, name=name, what=target.what, unit=unit)
        subject.show(picture, "differencing")
        adds = "has" if found.bounds.width > 1 else "adds"
        exact = (
            f"{in_full(found.after)} after, minus {in_full(found.before)} before: "
            f"{name} {adds} **{significant(found.exact, 7)}{after_number(unit)}**."
        )
    verdicts.show_verdict(
        exact,
        f"Of all values that {name} could have, {percent(found.left)} remain possible "
        f"(95 % confidence): who was 50 % sure of something about {name} becomes at "
        f"most {surest(epsilon)} sure.",
    )
    verdicts.show_lesson(
        f"Two harmless totals of “{literal(target.what)}” are one answer about one "
        "person. Nobody can check every pair of questions that will ever be asked.",
        "Noise on each total, large enough for the largest value that is possible. "
        f"{capital(name)} is in one of the two totals and loses ε "
        f"{epsilon_text(epsilon)}; those who are in both lose ε "
        f"{epsilon_text(2 * epsilon)}, which the ledger adds up.",
    )
