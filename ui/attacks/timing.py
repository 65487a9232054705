"""Timing: how long a release takes says where the value lies."""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy.special import expit

from dpcore.errors import ParameterError
from dpcore.figures.attacks import rounds_picture, stopwatch_picture
from dpcore.releases.secure import candidates
from dpcore.studies.attacks.timing import redrawing, right, steady
from dpcore.studies.teaching.laboratory import UNIT, acceptance
from dpcore.wording import epsilon_text, nearest, significant, three_digits
from ui import controls, results
from ui.attacks import verdicts
from ui.attacks.subject import AttackTarget

_RELEASES: Final = 2000
_MOST: Final = 1000
_TIMED: Final = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000)
_REDRAWN, _STEADY = "draw until it fits", "as many draws every time"


def show_timing(subject: AttackTarget) -> None:
    """Ask for two values, and tell them apart with a stopwatch."""
    subject.say_unread()
    upper, lower = controls.row(3), controls.row(3)
    place = upper[0].slider(
        "The value without noise",
        0.0,
        (0.0, 1.0, 0.05),
        key="timing-place",
        note="Where it lies between its bounds: 0 is the lower one, 1 the upper one.",
    )
    shift = upper[1].slider(
        "One person moves it by",
        0.1,
        (0.05, 1.0, 0.05),
        key="timing-shift",
        note="As a share of the range. The other value is that far away.",
    )
    epsilon = upper[2].number(
        "ε of each release", 1.0, (0.1, 5.0), key="timing-epsilon", note=controls.EPSILON_HELP
    )
    timed = int(
        lower[0].number(
            "Releases timed",
            30,
            (1, _MOST),
            key="timing-releases",
            note="How many releases the attacker holds a stopwatch to.",
        )
    )
    shown = lower[1].selectbox("Stopwatch of", (_REDRAWN, _STEADY), key="timing-shown")
    seed = lower[2].seed(key="timing-seed")
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
    verdicts.show_verdict(
        f"A draw is kept with probability {three_digits(kept[0])} at {names[0]} and "
        f"{three_digits(kept[1])} at {names[1]}: a stopwatch alone is right "
        f"{nearest(first)} of the time after one release, and {nearest(here)} after "
        f"{timed:,}, before anybody looks at the numbers.",
        f"Always {draws:,} draws, of which the first that fits counts: the time is the "
        "same for every value, and tells nothing.",
    )
    verdicts.show_lesson(
        "What is promised is about the number that is released. How long it took is a "
        f"second release that nobody counted, on top of ε {epsilon_text(epsilon)}.",
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
