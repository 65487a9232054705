"""The trade-off function of releases in one number, one figure and one sentence on risk."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from dpcore.figures.attackers import AttackerView
from dpcore.figures.theme import DOTTED, GUIDE, PUBLIC, STYLES, Picture, axis
from dpcore.figures.traces import dot, line, points
from dpcore.formatting import at_most, capital, delta_text, epsilon_text, in_full, significant
from dpcore.privacy.interpretation import (
    epsilon_for_risk,
    false_positive_rate,
    laplace_ratio_for_risk,
    mu_for_risk,
)
from dpcore.privacy.tradeoff import ROUNDING, GaussianLevel, GaussianTradeOff, TradeOff
from dpcore.relations import NeighboringRelation

RELEASES: Final = "these releases"
PRIOR: Final = 1 / 20
"""Of the sentence on risk, where nothing else is chosen."""
_RARE: Final = 1 / 3
_MANY: Final = 100
_RATES: Final = np.unique(np.concatenate([np.linspace(0, 1, 101), np.geomspace(1e-4, 0.05, 40)]))


def level_text(level: GaussianLevel) -> str:
    """Return the level of Gaussian DP and its regret, both rounded up.

    >>> level_text(GaussianLevel(mu=0.73621, regret=0.00757, failure=0.0))
    'Gaussian DP μ = 0.737, regret 0.0076'
    >>> level_text(GaussianLevel(mu=1.2, regret=0.05, failure=1e-5))
    'Gaussian DP μ = 1.2, regret 0.05, except with probability 0.00001 (1 in 100,000)'
    """
    if math.isinf(level.mu):
        return "no level of Gaussian DP"
    text = f"Gaussian DP μ = {epsilon_text(level.mu)}, regret {regret_text(level)}"
    if level.failure <= ROUNDING:
        return text
    return f"{text}, except with probability {delta_text(level.failure)}"


def regret_text(level: GaussianLevel) -> str:
    """Return the regret with 2 digits, rounded up."""
    return significant(level.regret, 2, up=True) if level.regret > ROUNDING else "0"


def one_in(share: float) -> str:
    """Return a chance as one in so many, rounded up; above a third as a percentage.

    >>> one_in(1 / 20), one_in(0.0776), one_in(1e-6), one_in(0.6)
    ('1 in 20', '1 in 12.8', '1 in 1,000,000', '60%')
    """
    if not 0 < share <= _RARE:
        return at_most(share)
    # What floating point leaves over is no other number.
    count = 1 / share * (1 + 1e-12)
    floor = math.floor(count) if count >= _MANY else math.floor(10 * count) / 10
    return f"1 in {in_full(floor)}"


def risk_text(curve: TradeOff, prior: float, relation: NeighboringRelation) -> str:
    """Return the largest success rate of a guess of an attribute or a record, in words.

    >>> risk_text(TradeOff.of_guarantee(0.43), 1 / 20, NeighboringRelation.ADD_REMOVE)
    'a guess right 1 in 20 times becomes right at most 7.7% of the time'
    """
    risk = at_most(curve.risk(prior, relation))
    before = " times" if prior <= _RARE else " of the time"
    return f"a guess right {one_in(prior)}{before} becomes right at most {risk} of the time"


def tradeoff_picture(view: AttackerView, curve: TradeOff, prior: float) -> Picture:
    """Return the trade-off function of releases, of their Gaussian level and guarantee.

    A point marks the risk of a guess.
    """
    at = curve.guess_alarm(prior, view.sides.relation)
    level, name, missed = curve.level, view.label or RELEASES, 1 - curve.detection(_RATES)
    worst = 1 - view.guarantee.detection(_RATES)
    named = {} if np.allclose(missed, worst) else {name: missed}
    strokes = {name: STYLES[view.key], view.name: GUIDE}
    if math.isfinite(level.mu) and level.regret > 0:
        other = f"Gaussian DP, μ = {epsilon_text(level.mu)}"
        held = GaussianTradeOff.of(level.mu, failure=level.failure)
        named[other] = 1 - held.detection(_RATES)
        strokes[other] = STYLES["gaussian"]
    named[view.name] = worst
    text = risk_text(curve, prior, view.sides.relation)
    return Picture.of(
        capital(text),
        {"false positive rate": _RATES}
        | {f"false negative rate, {law}": rates for law, rates in named.items()},
        drawn="Trade-off functions: the least false negative rate of a test about one record, "
        "at each false positive rate",
        more=level_text(level),
        traces=[
            line([0, 100], [100, 0], "guessing", DOTTED, hover=""),
            *(
                line(100 * _RATES, 100 * rates, law, strokes[law], hover="%{x:.1f}%, %{y:.1f}%")
                for law, rates in named.items()
            ),
            points(
                [100 * at],
                [100 * (1 - float(curve.detection(at)))],
                "",
                dot(PUBLIC, 11),
                showlegend=False,
            ),
        ],
        height=360,
        xaxis=axis("false positive rate (%)", range=[0, 100]),
        yaxis=axis("false negative rate (%)", range=[0, 103]),
    )


def noise_for_risk(
    prior: float, risk: float, relation: NeighboringRelation, *, delta: float = 0.0
) -> list[dict[str, str]]:
    """Return what keeps a guess from being right more often: losses down, noise up."""
    alarm = false_positive_rate(prior, risk, relation)
    epsilon = epsilon_for_risk(alarm, risk, delta=delta)
    mu, ratio = mu_for_risk(alarm, risk), laplace_ratio_for_risk(alarm, risk)
    at = f", δ = {significant(delta, up=True)}" if delta else ""
    return [
        {"mechanism": "any", "limit": f"ε = {_down(epsilon)}{at}", "noise": "–"},
        {"mechanism": "Laplace", "limit": f"ε = {_down(ratio)}", "noise": _noise("scale", ratio)},
        {"mechanism": "Gaussian", "limit": f"μ = {_down(mu)}", "noise": _noise("SD", mu)},
    ]


def _down(number: float) -> str:
    """Return a limit with 3 digits, rounded down."""
    return significant(-number, up=True).lstrip("−")


def _noise(what: str, ratio: float) -> str:
    if ratio == 0:
        return "no noise is enough"
    return f"{what} {significant(1 / ratio, up=True)} × sensitivity"
