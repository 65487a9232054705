"""What attacks find in careless releases and in private ones. CONFIDENTIAL, unless simulated."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.figures.theme import (
    CONFIDENTIAL,
    DOTTED,
    GUIDE,
    NEUTRAL,
    PUBLIC,
    ROWS,
    LineStyle,
    Picture,
    axis,
    log_axis,
    on_axis,
    plain,
)
from dpcore.figures.traces import (
    FAINT,
    NAME,
    Values,
    area,
    bars,
    curves,
    dot,
    level,
    line,
    now,
    points,
    rows,
    vertical,
)
from dpcore.formatting import (
    at_most,
    epsilon_text,
    interval_ends,
    measured,
    nearest,
    percent,
    significant,
    three_digits,
)
from dpcore.studies.attacks.aggregates import Differencing
from dpcore.studies.attacks.noise import Averaging, LowBits, Stopwatch, band

CARELESS: Final = LineStyle(color=CONFIDENTIAL, dash="dash", symbol="square")
PRIVATE: Final = LineStyle(color=PUBLIC)
BEFORE: Final = LineStyle(color=NEUTRAL, dash="dot")
"""What is known, or guessed, without any release."""
SHARE_OF_GUESSES: Final = "guesses that are right, %"


def running_picture(found: Averaging) -> Picture:
    """Return the running mean with its band, the studio's answer, and the budget."""
    places = np.unique(np.geomspace(1, len(found.answers), 300).astype(np.int64))
    means, first = found.means[places - 1], float(found.answers[0])
    off = band(places, found.scale)
    half = 5.0 * found.scale
    paid = found.affordable
    return Picture.of(
        _takeaway(found),
        {
            "times asked": places,
            "mean of fresh answers": means,
            "the studio's answer": np.full(len(places), first),
            "95% band, from": found.truth - off,
            "95% band, to": found.truth + off,
            "epsilon spent by fresh answers": found.epsilon * places,
        },
        drawn="The mean of fresh answers wanders into a narrowing band around the "
        "truth; the answer that stays the same is a level line",
        traces=[
            area(
                places.astype(np.float64), found.truth + off, found.truth - off, FAINT, "95% band"
            ),
            line(
                places,
                means,
                "mean of fresh answers",
                CARELESS,
                hover="asked %{x:,} times: %{y:,.4~r}",
                aside=NAME,
            ),
            line(
                places,
                np.full(len(places), first),
                "the studio's answer",
                PRIVATE,
                hover="always %{y:,.4~r}",
                aside=NAME,
            ),
        ],
        xaxis=log_axis("times asked", 1, max(len(found.answers), 2)),
        yaxis=axis("count", range=[found.truth - half, found.truth + half]),
        shapes=[
            level(found.truth, "exact count", GUIDE, textposition="end"),
            *(
                [vertical(paid, "budget used up", DOTTED, xanchor=_side(found), yanchor="top")]
                if 1 <= paid < len(found.answers)
                else []
            ),
        ],
    )


def _side(found: Averaging) -> str:
    early = found.affordable**2 < len(found.answers)
    return "left" if early else "right"


def _takeaway(found: Averaging) -> str:
    asked = len(found.answers)
    last = float(found.means[-1])
    off = float(band(asked, found.scale))
    spent = epsilon_text(found.epsilon * asked)
    told = f"the mean of {asked:,} fresh answers is {measured(last, off)}"
    if math.isfinite(found.settled):
        told += (
            f", and rounds to the exact count, {significant(found.truth)}, from answer "
            f"{int(found.settled):,} on"
        )
    return f"Asked again and again, {told}; together they cost ε = {spent}"


_VALUES_ROWS = ("known before", "exact totals", "private totals")
_VALUES_HEIGHT = 260


def values_picture(found: Differencing, *, name: str, what: str, unit: str) -> Picture:
    """Return which values remain possible, as intervals, with the numbers."""
    bounds = found.bounds
    low, high = bounds.clip(np.array(found.interval)).tolist()
    exact = float(bounds.clip(np.array(found.exact)))
    ends = [(bounds.lower, bounds.upper), (exact, exact), (low, high)]
    suffix = f" {unit}" if unit else ""
    said = [significant(exact, 7), *interval_ends(low, high)]
    strokes = (BEFORE, CARELESS, PRIVATE)
    return Picture.of(
        (
            f"Exact totals reveal that {name} has {said[0]}{suffix}; private totals leave "
            f"everything from {said[1]} to {said[2]}{suffix} possible"
        ),
        {
            "by": _VALUES_ROWS,
            "at least": [first for first, _ in ends],
            "at most": [last for _, last in ends],
        },
        drawn="Three intervals of values below each other: what is possible "
        "beforehand, after exact totals, and after private totals, with 95% "
        "confidence",
        height=_VALUES_HEIGHT,
        traces=[
            line(
                list(pair),
                [row, row],
                stroke=stroke,
                hover="%{y}: %{x:,.6~r}",
                marker=dot(stroke.color, 11, stroke.symbol),
            )
            | {"line": {"color": stroke.color, "width": 7}}
            for row, pair, stroke in zip(_VALUES_ROWS, ends, strokes, strict=True)
        ],
        showlegend=False,
        xaxis=axis(plain(on_axis(f"{what}{f', {unit}' if unit else ''}"))),
        yaxis=ROWS,
    )


def left_picture(found: Differencing) -> Picture:
    """Return how much of the possible values remains, and no value."""
    left = [1.0, 0.0, found.left]
    return Picture.of(
        f"Exact totals leave one value; private ones leave {percent(found.left)} of "
        "all possible values",
        {"by": _VALUES_ROWS, "share of the possible values that remains": left},
        drawn="Three bars: how much remains possible beforehand, after exact totals, "
        "and after private totals, with 95% confidence",
        height=_VALUES_HEIGHT,
        traces=[
            rows(
                _VALUES_ROWS,
                [100 * share for share in left],
                ["all", "one value", percent(found.left)],
                [BEFORE.color, CARELESS.color, PRIVATE.color],
            )
        ],
        xaxis=axis("possible values, %", range=[0, 118]),
        yaxis=ROWS,
    )


_GAME_HEIGHT = 260


def machine_picture(
    *, careless: float, private: float, expected: float, epsilon: float, limit: float
) -> Picture:
    """Return how often the likelihood ratio test is right, and what the guarantee allows.

    ``careless`` and ``private`` are shares of simulated rounds, ``expected`` is the
    exact chance, and ``limit`` what epsilon allows any test.
    """
    shares = {
        "tossing a coin": 0.5,
        "exact total": careless,
        f"private total, ε = {epsilon_text(epsilon)}": private,
    }
    return Picture.of(
        f"Against the exact total the test is right {nearest(careless)} of the time, "
        f"against the private one {nearest(private)}; ε = {epsilon_text(epsilon)} "
        f"allows at most {at_most(limit)}",
        {
            "against": [*shares, "private total, exactly", "guarantee, at most"],
            "right": [*shares.values(), expected, limit],
        },
        drawn="Bars: how often the guess is right, and a line at what the guarantee allows",
        height=_GAME_HEIGHT,
        traces=[
            rows(
                list(shares),
                [100 * share for share in shares.values()],
                [three_digits(share) for share in shares.values()],
                [BEFORE.color, CARELESS.color, PRIVATE.color],
            )
        ],
        xaxis=axis(SHARE_OF_GUESSES, range=[0, 118], tickvals=[0, 25, 50, 75, 100]),
        yaxis=ROWS,
        shapes=[vertical(100 * limit, "guarantee", GUIDE)],
    )


def score_picture(yours: FloatArray, machine: FloatArray, *, limit: float) -> Picture:
    """Return the reader's score after each round, beside the machine's.

    ``yours`` and ``machine`` say of each round whether the guess was right, 1 or 0.
    """
    played = np.arange(1, len(yours) + 1)
    mine, other = (np.cumsum(each) / played for each in (yours, machine))
    count = "1 round" if len(yours) == 1 else f"{len(yours)} rounds"
    return Picture.of(
        f"After {count} you were right {nearest(float(mine[-1]))} of the time, the "
        f"machine {nearest(float(other[-1]))}; in the long run at most "
        f"{at_most(limit)}",
        {"round": played, "you": mine, "the machine": other},
        drawn="Two lines: the share of right guesses after each round",
        height=_GAME_HEIGHT,
        traces=[
            line(
                played,
                100 * share,
                name,
                stroke,
                hover="after %{x} rounds: %{y:.0f}%",
                aside=NAME,
                marker={"color": stroke.color, "size": 7, "symbol": stroke.symbol},
            )
            for name, share, stroke in (("you", mine, PRIVATE), ("the machine", other, BEFORE))
        ],
        xaxis=axis("round", range=[0.5, len(yours) + 0.5], dtick=-(-len(yours) // 10)),
        yaxis=axis(SHARE_OF_GUESSES, range=[-4, 106]),
        shapes=[level(100 * limit, "guarantee", GUIDE, textposition="start")],
    )


_RECOVERY_HEIGHT = 280


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveredShares:
    """How many guesses are right.

    Attributes:
        guessing: Without any counts.
        careless: By exact and rounded counts, by their names.
        private: By private counts of a total epsilon.
        epsilon: That total.
        ceiling: The most that any attack can expect at that total.

    """

    guessing: float
    careless: Mapping[str, float]
    private: float
    epsilon: float
    ceiling: float


def bars_picture(found: RecoveredShares) -> Picture:
    """Return the share of the column recovered from each kind of counts."""
    shares = {
        "guessing": found.guessing,
        **found.careless,
        f"private, total ε = {epsilon_text(found.epsilon)}": found.private,
    }
    exact = next(iter(found.careless.values()))
    colors = [BEFORE.color, *[CARELESS.color for _ in found.careless], PRIVATE.color]
    return Picture.of(
        (
            f"Exact counts reveal {nearest(exact)} of the secret column, private ones "
            f"{nearest(found.private)}, where guessing gets {nearest(found.guessing)}"
        ),
        {
            "counts": [*shares, "no attack can expect more"],
            "share of the column": [*shares.values(), found.ceiling],
        },
        drawn="RecoveredShares: how much of the column is guessed right, from each kind of "
        f"counts; at that ε no attack can expect more than {at_most(found.ceiling)}",
        height=_RECOVERY_HEIGHT,
        traces=[
            rows(
                list(shares),
                [100 * share for share in shares.values()],
                [three_digits(share) for share in shares.values()],
                colors,
            )
        ],
        xaxis=axis(SHARE_OF_GUESSES, range=[0, 118], tickvals=[0, 25, 50, 75, 100]),
        yaxis=ROWS,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecoveryCurve:
    """How much is recovered under several totals.

    Attributes:
        epsilons: The totals, ascending, shape ``(k,)``.
        shares: Recovered shares, one list of runs a total.
        ceilings: What no attack can expect to pass, shape ``(k,)``.
        guessing: What is guessed without counts.
        chosen: The total that the page is set to.

    """

    epsilons: FloatArray
    shares: Sequence[FloatArray]
    ceilings: FloatArray
    guessing: float
    chosen: float


def curve_picture(found: RecoveryCurve) -> Picture:
    """Return what is recovered as the total grows, below what is possible at all."""
    means = np.array([float(each.mean()) for each in found.shares])
    lows = np.array([float(each.min()) for each in found.shares])
    highs = np.array([float(each.max()) for each in found.shares])
    enough = np.flatnonzero(means >= _NEARLY_ALL)
    if enough.size:
        total = epsilon_text(float(found.epsilons[enough[0]]))
        title = f"Noise no longer protects the column from a total ε of about {total}"
    else:
        title = "At none of these totals do the counts reveal the column"
    return Picture.of(
        title,
        {
            "total epsilon": found.epsilons,
            "recovered, mean of the runs": means,
            "least": lows,
            "most": highs,
            "no attack can expect more": found.ceilings,
        },
        drawn="Recovered shares as dots that rise with epsilon, below the line of what "
        "epsilon allows",
        height=_RECOVERY_HEIGHT + 60,
        traces=[
            line(
                found.epsilons,
                100 * found.ceilings,
                "limit by ε for any attack",
                GUIDE,
                hover="ε = %{x:,.3~r}: at most %{y:.1f}%",
                aside=NAME,
            ),
            points(
                found.epsilons,
                100 * means,
                "this attack, mean and range of the runs",
                dot(PRIVATE.color, 9),
                hover="ε = %{x:,.3~r}: %{y:.1f}%",
                aside=NAME,
                error_y={
                    "array": 100 * (highs - means),
                    "arrayminus": 100 * (means - lows),
                    "thickness": 1.6,
                    "width": 4,
                },
            ),
        ],
        xaxis=log_axis("total ε", 0.07, 1500, exponentformat="none"),
        yaxis=axis(SHARE_OF_GUESSES, range=[40, 104]),
        shapes=[
            now(float(np.clip(found.chosen, 0.07, 1500)), yanchor="top", xanchor="left"),
            level(100 * found.guessing, "guessing", DOTTED, textposition="end", yanchor="top"),
        ],
    )


_NEARLY_ALL = 0.95


_TIME_HEIGHT = 300


def stopwatch_picture(watch: Stopwatch, names: tuple[str, str], *, redrawn: bool) -> Picture:
    """Return how long releases take in two worlds, as two histograms."""
    both = np.concatenate([watch.first, watch.second])
    low, high = float(both.min()), float(both.max())
    edges = np.linspace(low, high if high > low else low + 1, 41)
    counts = [np.histogram(each, edges)[0] for each in (watch.first, watch.second)]
    means = [significant(float(each.mean())) for each in (watch.first, watch.second)]
    how = "Drawn until it fits" if redrawn else "With as many draws every time"
    middle = (edges[:-1] + edges[1:]) / 2
    return Picture.of(
        (
            f"{how}, a release takes {means[0]} µs on average at {names[0]}, and "
            f"{means[1]} µs at {names[1]}"
        ),
        {"from, µs": edges[:-1], "to, µs": edges[1:], names[0]: counts[0], names[1]: counts[1]},
        drawn="Two histograms of simulated times over each other",
        height=_TIME_HEIGHT,
        traces=[
            bars(
                middle,
                count,
                name,
                {"color": stroke.color},
                hover="around %{x:.0f} µs: %{y} releases",
                aside=NAME,
                opacity=0.65,
                width=edges[1] - edges[0],
            )
            for count, name, stroke in zip(
                counts, names, (CARELESS if redrawn else PRIVATE, BEFORE), strict=True
            )
        ],
        barmode="overlay",
        xaxis=axis("simulated time, µs"),
        yaxis=axis("releases"),
    )


def rounds_picture(
    timed: Sequence[int], right: FloatArray, *, allowed: FloatArray, chosen: int
) -> Picture:
    """Return how often the best test of the time is right, over the releases timed.

    ``allowed`` is what the epsilon of so many releases together allows.
    """
    here = float(np.interp(np.log(chosen), np.log(timed), right))
    table: dict[str, Values] = {
        "releases timed": timed,
        "right by the time of redrawing": right,
        "right by a steady time": np.full(len(timed), 0.5),
        "limit by ε for all that is released": allowed,
    }
    return Picture.of(
        f"After {chosen:,} timed release{'s' if chosen > 1 else ''} the time alone "
        f"reveals the value {nearest(here)} of the time",
        table,
        drawn="A line that rises from little more than half to nearly always, and a "
        "level one at half",
        height=_TIME_HEIGHT,
        traces=curves(
            table,
            "releases timed",
            {
                "right by the time of redrawing": ("drawn until it fits", CARELESS),
                "right by a steady time": ("as many draws every time", PRIVATE),
                "limit by ε for all that is released": ("limit by ε in total", GUIDE),
            },
            scale=100,
            hover="%{x:,} timed: %{y:.1f}%",
            aside=NAME,
        ),
        xaxis=log_axis("releases timed", timed[0], timed[-1]),
        yaxis=axis(SHARE_OF_GUESSES, range=[46, 104]),
        shapes=[now(chosen, textposition="start", yanchor="bottom", xanchor="left")],
    )


_BITS_ROWS = ("b·log(u) in floating point", "whole steps of a public grid")


def low_bits_picture(careless: LowBits, private: LowBits) -> Picture:
    """Return which share of the releases is possible from one answer only."""
    shares = [careless.given_away, private.given_away]
    count = len(careless.releases)
    return Picture.of(
        f"{three_digits(shares[0])} of {count:,} careless releases reveal the answer by their "
        f"last digits, and {three_digits(shares[1])} of those on a grid",
        {"noise": _BITS_ROWS, "releases that the other answer cannot produce": shares},
        drawn="Two bars: the share of releases that only one of the two answers can give",
        height=220,
        traces=[
            rows(
                _BITS_ROWS,
                [100 * share for share in shares],
                [three_digits(share) for share in shares],
                [CARELESS.color, PRIVATE.color],
            )
        ],
        xaxis=axis("revealing releases, %", range=[0, 118]),
        yaxis=ROWS,
    )
