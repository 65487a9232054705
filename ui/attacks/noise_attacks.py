"""Attacks on noise: averaging, floating-point, timing, disclosed losses."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np
import streamlit as st
from scipy.special import expit

from dpcore.errors import ParameterError
from dpcore.figures.attackers import surest
from dpcore.figures.attacks import (
    low_bits_picture,
    rounds_picture,
    running_picture,
    stopwatch_picture,
)
from dpcore.figures.individual.disclosure import recovery_picture
from dpcore.formatting import (
    capital,
    epsilon_text,
    in_full,
    measured,
    nearest,
    percent,
    significant,
    three_digits,
)
from dpcore.individual.publishable import own_worst_shift
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.secure_noise import candidates
from dpcore.statistics.kinds import StatisticKind
from dpcore.studies.attacks.noise import (
    Averaging,
    ask_again,
    attack_mean,
    band,
    careless,
    needed,
    on_grid,
    redrawing,
    right,
    steady,
)
from dpcore.studies.attacks.targets import Target
from dpcore.studies.teaching.laboratory import UNIT, acceptance
from ui import controls, results
from ui.attacks.attack_target import AttackTarget, DeclaredAttack, show_lesson, show_verdict
from ui.form import ChoiceSetting, NumberSetting, Seed, Slide
from ui.text import after_number, literal

_MOST = 100_000


def _averaging(
    subject: AttackTarget, secret: Target, *, times: int, epsilon: float, budget: float, seed: int
) -> None:
    """Ask a count again and again, and average."""
    found = ask_again(
        float(secret.amounts.sum()),
        epsilon=epsilon,
        budget=budget,
        times=times,
        rng=np.random.default_rng(seed),
    )
    subject.show(running_picture(found), "averaging")
    asked = len(found.answers)
    off = float(band(asked, found.scale))
    show_verdict(
        f"{asked:,} fresh answers leave an error of ±{significant(off)} (95% band) "
        f"where one has ±{significant(float(band(1, found.scale)))}; together they "
        f"cost ε = {epsilon_text(found.epsilon * asked)}, and nobody counted.",
        _private(found),
    )
    show_lesson(
        f"New noise for every repetition of the same question (“{literal(secret.what)}”) is "
        "averaged away. The error falls with the square root of the number of answers. At ε "
        f"= {epsilon_text(epsilon)} about {needed(epsilon):,} answers give the exact count with "
        "probability 95%.",
        "The same question has the same answer, free of charge. A fresh answer is a new "
        "release from the same budget, so all of them together reveal no more than the "
        "budget allows.",
    )


def _private(found: Averaging) -> str:
    first, paid = float(found.answers[0]), found.affordable
    same = (
        f"The answer stays {measured(first, found.scale)}, however often it is asked, "
        f"and costs ε = {epsilon_text(found.epsilon)} once."
    )
    if paid < 1:
        return "The budget is too small for one answer at this cost: nothing is answered."
    off = significant(float(band(min(paid, _MOST), found.scale)))
    total = epsilon_text(paid * found.epsilon)
    chance = math.exp(-1 / (2 * found.scale)) if paid == 1 else None
    wrong = f" (rounded, it is wrong in {percent(chance)} of cases)" if chance else ""
    return (
        f"{same}{wrong} The budget pays for {paid:,} fresh answer{'s' if paid > 1 else ''}, "
        f"which leave ±{off}. Then it is spent, at ε = {total}: an attacker who was 50% sure "
        f"becomes at most {surest(paid * found.epsilon)} sure."
    )


_DRAWS: Final = 500
_LISTED: Final = 8
_FAR: Final = 100.0


def _floating_point(
    _: AttackTarget, *, first: float, second: float, epsilon: float, seed: int
) -> None:
    """Tell two answers apart by the last digits of a release."""
    if first == second:
        st.info("Choose two answers that differ.", icon="✏️")
        return
    scale = max(abs(first - second), 1e-3) / epsilon
    naive, grid = (
        attack(first, second, scale, draws=_DRAWS, rng=np.random.default_rng(seed))
        for attack in (careless, on_grid)
    )
    results.show(low_bits_picture(naive, grid), "attack-bits", simulated=True)
    st.markdown(
        f"The first releases of {in_full(first)}, in every bit: sign, 53 binary digits "
        "written as hexadecimal ones, and a power of two"
    )
    results.table(
        {
            "careless release": [one.hex() for one in naive.releases[:_LISTED].tolist()],
            f"can come from {in_full(second)}": _yes(naive.possible),
            "release on a grid": [one.hex() for one in grid.releases[:_LISTED].tolist()],
            f"can it come from {in_full(second)}": _yes(grid.possible),
        },
        key="bits-table",
    )
    show_verdict(
        f"{three_digits(naive.given_away)} of {_DRAWS} releases could never have come "
        f"from {in_full(second)}: each of them proves the answer, whatever ε was "
        "promised.",
        f"All {_DRAWS} could have come from both answers; what they reveal is limited by ε = "
        f"{epsilon_text(epsilon)}: at most {surest(epsilon)} sure.",
    )
    show_lesson(
        "A computer has only some real numbers. The noise b·log(u) has gaps, and their "
        "position depends on the answer (Mironov 2012).",
        "An exact sampler: whole steps on a grid that does not depend on the data. "
        "Real releases are drawn so, with the randomness of the operating system; here "
        "it is simulated from the seed.",
    )


def _yes(possible: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[str]:
    return ["yes" if one else "never" for one in possible[:_LISTED].tolist()]


_RELEASES: Final = 2000
_TIMING_MOST: Final = 1000
_TIMED: Final = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000)
_REDRAWN, _STEADY = "draw until it fits", "as many draws every time"


def _timing(
    _: AttackTarget,
    *,
    place: float,
    shift: float,
    epsilon: float,
    timed: int,
    shown: str,
    seed: int,
) -> None:
    """Tell two values apart with a stopwatch."""
    other = place + shift if place + shift <= 1 else max(place - shift, 0.0)
    scale = shift / epsilon
    kept = [float(acceptance(at, scale, UNIT)) for at in (place, other)]
    draws = _steady_draws(scale)
    rng = np.random.default_rng(seed)
    watch = (
        redrawing(kept[0], kept[1], releases=_RELEASES, rng=rng)
        if shown == _REDRAWN
        else steady(draws, releases=_RELEASES, rng=rng)
    )
    names = (f"value {significant(place)}", f"value {significant(other)}")
    picture = stopwatch_picture(watch, names, redrawn=shown == _REDRAWN)
    results.show(picture, "attack-stopwatch", simulated=True)
    counts = sorted({*_TIMED, timed})
    chances = np.array([right(*kept, releases=count) for count in counts])
    allowed = expit(epsilon * np.array(counts, dtype=np.float64))
    picture = rounds_picture(counts, chances, allowed=allowed, chosen=timed)
    results.show(picture, "attack-timing", simulated=True)
    here, first = (right(*kept, releases=count) for count in (timed, 1))
    show_verdict(
        f"A draw is kept with probability {three_digits(kept[0])} at {names[0]} and "
        f"{three_digits(kept[1])} at {names[1]}. The time alone is a right guess "
        f"in {nearest(first)} of cases after one release, and in {nearest(here)} after {timed:,}.",
        f"Always {draws:,} draws, of which the first that fits counts: the time is the same for "
        "every value, and reveals nothing.",
    )
    show_lesson(
        "The guarantee is about the number that is released. The time it took is a second "
        f"release that is not charged, on top of ε = {epsilon_text(epsilon)}.",
        "Work that does not depend on the data: a fixed number of draws, or one draw "
        "by the inverse distribution function. (It repairs the time only; that "
        "redrawing needs more noise is in the Mechanism lab.)",
    )


def _steady_draws(scale: float) -> int:
    """Return how many draws hold one that fits, but for a chance of 2^-64."""
    try:
        return candidates(UNIT.width, scale)
    except ParameterError:
        return 1


_ALL, _THREE = "all digits", "3 digits, rounded up"
_DIGITS: Final = {_ALL: None, _THREE: 3}


def _disclosed_losses(
    subject: AttackTarget, target: Target, *, person: int, epsilon: float, digits: str, seed: int
) -> None:
    """Solve for a mean from a disclosed loss of a person."""
    if subject.masked:
        st.caption(
            "A mean and a loss together reveal a person's value: switch on “Show values” "
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
    shift = own_worst_shift(
        StatisticKind.MEAN,
        float(target.amounts[person]),
        bounds=target.bounds,
        size=TableSize(people=target.people, public=True),
        relation=NeighboringRelation.SUBSTITUTION,
    )
    own = _loss_text(target, person, epsilon)
    # What may be told: the most that a record of that value can lose.
    worst = (shift or 0.0) / (target.bounds.width / (target.people * epsilon))
    show_verdict(
        f"{capital(name)} learns one loss, and solves one equation. The mean is "
        f"{significant(found.recovered, 6)}{suffix}, off by {significant(found.error)}, where "
        f"the release ({measured(found.release, found.reach)}{suffix}) is off by "
        f"{significant(abs(found.release - found.truth))}.",
        f"{capital(name)} learns the worst case of one record: ε = "
        f"{epsilon_text(worst)}. It depends on no other record.",
    )
    bounds = target.bounds
    amounts = bounds.lower + bounds.upper - target.amounts
    amounts[person] = target.amounts[person]
    # The same person among others who lie where these do not.
    mirrored = replace(target, amounts=amounts)
    st.markdown(f"The loss of {name}, in this table and in another one")
    results.table(
        {
            "the others are": ["as they are", "mirrored between the bounds"],
            "loss, ε": [own, _loss_text(mirrored, person, epsilon)],
            "worst case of the record, ε": [worst, worst],
        },
        column_config={
            "loss, ε": results.SIX_DIGITS,
            "worst case of the record, ε": results.SIX_DIGITS,
        },
        key="recovery-told",
    )
    show_lesson(
        "The privacy loss of one person is a number about everybody. It says how far the "
        f"mean of “{literal(target.what)}” lies from the value of that person.",
        "Losses of persons stay confidential, even from themselves. What a person learns may "
        "depend on the record of that person and on public numbers only.",
    )


def _loss_text(target: Target, person: int, epsilon: float) -> float:
    """Return the loss of a person, compared with the table without the person."""
    amounts = target.amounts
    others = np.delete(amounts, person)
    moved = abs(float(amounts[person]) - float(others.mean())) / len(amounts)
    return moved / (target.bounds.width / (len(amounts) * epsilon))


def _epsilon(
    label: str, key: str, value: float = 1.0, within: tuple[float, float] = (0.01, 20.0)
) -> NumberSetting:
    return NumberSetting(
        label=label, value=value, within=within, key=key, note=controls.EPSILON_HELP
    )


AVERAGING: Final = DeclaredAttack(
    show=_averaging,
    column="attack-secret",
    yes_no=True,
    split=True,
    row={
        "times": NumberSetting(
            label="Times asked",
            value=1000,
            within=(1, _MOST),
            key="averaging-times",
            note="How often the same question is asked.",
        ),
        "epsilon": _epsilon("ε of each answer", "averaging-epsilon", 0.5),
        "budget": NumberSetting(
            label="Budget ε for all answers",
            value=5.0,
            within=(0.01, 1000.0),
            key="averaging-budget",
            note="What all answers to all questions together may cost.",
        ),
        "seed": Seed(value=4, key="averaging-seed"),
    },
)
FLOATING_POINT: Final = DeclaredAttack(
    show=_floating_point,
    row={
        "first": NumberSetting(
            label="Exact answer",
            value=1.0,
            within=(-_FAR, _FAR),
            key="bits-first",
            note="Such as a count.",
        ),
        "second": NumberSetting(
            label="The answer it could have been",
            value=0.0,
            within=(-_FAR, _FAR),
            key="bits-second",
            note="Without one person, say.",
        ),
        "epsilon": _epsilon("ε of the release", "bits-epsilon", 1.0, (0.1, 5.0)),
        "seed": Seed(key="bits-seed"),
    },
)
TIMING: Final = DeclaredAttack(
    show=_timing,
    row={
        "place": Slide(
            label="The value without noise",
            value=0.0,
            within=(0.0, 1.0, 0.05),
            key="timing-place",
            note="Where it lies between its bounds: 0 is the lower one, 1 the upper one.",
        ),
        "shift": Slide(
            label="One person moves it by",
            value=0.1,
            within=(0.05, 1.0, 0.05),
            key="timing-shift",
            note="As a share of the range. The other value is that far away.",
        ),
        "epsilon": _epsilon("ε of each release", "timing-epsilon", 1.0, (0.1, 5.0)),
        "timed": NumberSetting(
            label="Releases timed",
            value=30,
            within=(1, _TIMING_MOST),
            key="timing-releases",
            note="How many releases the attacker times.",
        ),
        "shown": ChoiceSetting(
            label="Stopwatch of", options=(_REDRAWN, _STEADY), key="timing-shown"
        ),
        "seed": Seed(key="timing-seed"),
    },
)
DISCLOSED_LOSSES: Final = DeclaredAttack(
    show=_disclosed_losses,
    column="attack-numbers",
    person="Person",
    row={
        "epsilon": _epsilon("ε of the mean", "recovery-epsilon"),
        "digits": ChoiceSetting(label="Digits", options=tuple(_DIGITS), key="recovery-digits"),
        "seed": Seed(key="recovery-seed"),
    },
)
