"""Recovery: a person is told the own loss, and solves for the exact mean."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import streamlit as st

from dpcore.figures.individual.disclosure import recovery_picture
from dpcore.individual.own_worst import own_worst_shift
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.kinds import StatisticKind
from dpcore.studies.attacks.disclosed_losses import attack_mean
from dpcore.studies.attacks.targets import Target
from dpcore.wording import capital, epsilon_text, measured, significant
from ui import controls, results
from ui.attacks import subject as people
from ui.attacks import verdicts
from ui.attacks.subject import AttackTarget
from ui.text import after_number, literal

_ALL, _THREE = "all digits", "3 digits, rounded up"
_DIGITS: Final = {_ALL: None, _THREE: 3}


def show_disclosed_losses(subject: AttackTarget) -> None:
    """Ask who is told the own loss, and solve."""
    cells = controls.row([1.4, 1, 1, 1.2, 1, 1.2])
    target = people.ask_numbers((cells[0], cells[5]), subject, "attack-numbers")
    if target is None:
        return
    person = people.ask_person(cells[1], subject, target, "Who is told")
    epsilon = cells[2].number(
        "ε of the mean", 1.0, (0.01, 20.0), key="recovery-epsilon", note=controls.EPSILON_HELP
    )
    digits = cells[3].selectbox("Told with", list(_DIGITS), key="recovery-digits")
    seed = cells[4].seed(key="recovery-seed")
    if subject.masked:
        st.caption(
            "A mean and a loss together say a person's value: switch on “Show values” "
            "to see this attack."
        )
        return
    found = attack_mean(
        target.amounts,
        person,
        bounds=target.bounds,
        epsilon=epsilon,
        rng=np.random.default_rng(seed),
        digits=_DIGITS[digits],
    )
    name, suffix = subject.called(person), after_number(target.unit)
    what = f"mean of {target.what}"
    subject.show(recovery_picture(found, what=what, unit=target.unit), "recovery")
    own, worst = _told(target, person, epsilon), _worst(target, person, epsilon)
    verdicts.show_verdict(
        f"{capital(name)} is told the own loss, and solves one equation: the mean is "
        f"{significant(found.recovered, 6)}{suffix}, off by "
        f"{significant(found.error)}, where the release "
        f"({measured(found.release, found.reach)}{suffix}) is off by "
        f"{significant(abs(found.release - found.truth))}.",
        f"{capital(name)} is told the worst case for the own record, whoever the "
        f"others are: ε {epsilon_text(worst)}. There is no equation in it, because "
        "nobody else's record is.",
    )
    mirrored = _mirrored(target, person)
    st.markdown(f"What {name} is told, in this table and in another one")
    results.table(
        {
            "the others are": ["as they are", "mirrored between the bounds"],
            "the own loss, ε": [own, _told(mirrored, person, epsilon)],
            "the worst case for the own record, ε": [worst, worst],
        },
        column_config={
            "the own loss, ε": results.SIX_DIGITS,
            "the worst case for the own record, ε": results.SIX_DIGITS,
        },
        key="recovery-told",
    )
    verdicts.show_lesson(
        "A privacy loss is itself a number about everybody: the own loss says how far "
        f"the mean of “{literal(target.what)}” lies from the own value.",
        "Losses of persons are not published, and nobody is told their own. What may "
        "be told depends on the own record and on public numbers alone. Individual "
        "privacy shows both, and the same attack on a count, for the curator.",
    )


def _told(target: Target, person: int, epsilon: float) -> float:
    """Return the own loss, compared with the table without the person."""
    amounts = target.amounts
    others = np.delete(amounts, person)
    moved = abs(float(amounts[person]) - float(others.mean())) / len(amounts)
    return moved / (target.bounds.width / (len(amounts) * epsilon))


def _worst(target: Target, person: int, epsilon: float) -> float:
    """Return what may be told: the most that a record of that value can lose."""
    size = TableSize(people=target.people, public=True)
    shift = own_worst_shift(
        StatisticKind.MEAN,
        float(target.amounts[person]),
        bounds=target.bounds,
        size=size,
        relation=NeighboringRelation.SUBSTITUTION,
    )
    return (shift or 0.0) / (target.bounds.width / (target.people * epsilon))


def _mirrored(target: Target, person: int) -> Target:
    """Return the same person among others who lie where these do not."""
    bounds = target.bounds
    amounts = bounds.lower + bounds.upper - target.amounts
    amounts[person] = target.amounts[person]
    return replace(target, amounts=amounts)
