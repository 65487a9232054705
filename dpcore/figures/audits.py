"""What an audit found, in words, and beside the claim; counts after more and more draws."""

from __future__ import annotations

import math

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.figures.theme import DOTTED, GUIDE, PUBLIC, STYLES, LineStyle, Picture, axis, log_axis
from dpcore.figures.traces import FAINT, area, dot, interval, line, points, ring
from dpcore.formatting import epsilon_text, percent, significant, three_digits
from dpcore.studies.auditing.lower_bound import EventCount, PrivacyAudit
from dpcore.studies.auditing.trials import WITH
from dpcore.studies.meaning.attacker import Guarantee
from dpcore.studies.teaching.laboratory import BoundEvent, LabAudit


def verdict(audit: PrivacyAudit) -> str:
    """Return the outcome in one sentence."""
    sure, claimed = percent(audit.confidence), claim_text(audit.claim)
    if audit.refuted:
        return (
            f"Refuted: {claimed} is claimed, and with {sure} confidence it is more "
            f"than ε = {lower_text(audit.lower)}"
        )
    return (
        f"Not refuted: {claimed} is claimed, and these draws show at least ε = "
        f"{lower_text(audit.lower)} with {sure} confidence"
    )


def claim_text(claim: Guarantee) -> str:
    """Return a claim in symbols.

    >>> from dpcore.studies.meaning.attacker import Guarantee
    >>> claim_text(Guarantee(epsilon=1.0)), claim_text(Guarantee(epsilon=0.5, delta=1e-6))
    ('ε = 1', 'ε = 0.5 with δ = 10⁻⁶')
    """
    text = f"ε = {epsilon_text(claim.epsilon)}"
    if claim.delta:
        text += f" with δ = {significant(claim.delta, up=True)}"
    return text


def telling(audit: PrivacyAudit) -> tuple[str, str]:
    """Return the event that shows most in words; how often it is, and may be.

    The event is empty where nothing tells the datasets apart.
    """
    best, claim = audit.best, audit.claim
    first, second = audit.trial.sides
    if audit.lower == 0:
        return "", (f"No event differs significantly between draws {first} and draws {second}.")
    shares = [three_digits(share) for share in best.shares]
    factor = significant(math.exp(claim.epsilon))
    more = f", and {percent(claim.delta)} of all draws more" if claim.delta else ""
    return best.event.text, (
        f"It happens in {shares[0]} of the draws {first}, and in {shares[1]} of those "
        f"{second}. The guarantee allows a factor of at most {factor}{more}."
    )


def seen(audit: PrivacyAudit) -> str:
    """Return what the test could have seen, in words."""
    tested = f"{audit.best.draws:,} draws per dataset"
    if math.isinf(audit.detectable):
        return f"With {tested} no event as rare as this one can refute the claim. Draw more."
    return (
        f"The test used {tested}. It refutes the claim with 90% probability if such an "
        f"event shows ε = {epsilon_text(audit.detectable)} or more. Smaller leaks and other "
        "events stay undetected. An audit can refute a claim but cannot prove it."
    )


def roc_picture(audit: PrivacyAudit) -> Picture:
    """Return the estimated ROC curve, and the region that the guarantee allows."""
    curve, claim = audit.curve, audit.claim
    alarm = np.linspace(0, 1, 201)
    upper, lower = _region(claim, alarm)
    high = np.minimum(1, curve.detection + curve.margin)
    low = np.maximum(0, curve.detection - curve.margin)
    first, second = audit.trial.sides
    at_most, at_least = _region(claim, curve.alarm)
    # The two tested events, with the limits that count.
    ends = np.array([_corner(count) for count in audit.counts])
    x, y, wide, tall = 100 * ends.T
    none = np.zeros(len(ends))
    return Picture.of(
        _roc_title(audit),
        {
            f"false positives, of the draws {second}, %": 100 * curve.alarm,
            f"true positives, of the draws {first}, %": 100 * curve.detection,
            "at least, %": 100 * low,
            "at most, %": 100 * high,
            "guarantee allows at least, %": 100 * at_least,
            "guarantee allows at most, %": 100 * at_most,
        },
        drawn="True-positive rate of the best test against its false-positive rate, with a "
        "confidence band, between the limits of the guarantee",
        height=420,
        traces=[
            line([0, 100], [0, 100], "random guess", DOTTED, hover=""),
            line(100 * alarm, 100 * upper, "the guarantee", GUIDE, hover=""),
            line(100 * alarm, 100 * lower, "the guarantee", GUIDE, hover="", showlegend=False),
            area(100 * curve.alarm, 100 * high, 100 * low, FAINT, "confidence band"),
            points(
                100 * curve.alarm,
                100 * curve.detection,
                "estimate",
                dot(PUBLIC, 4),
                hover="true positives %{y:.2f}%, false positives %{x:.2f}%",
            ),
            points(
                x,
                y,
                "tested events",
                ring(PUBLIC, 11),
                hover="true positives %{y:.2f}%, false positives %{x:.2f}%",
                error_x=interval(wide, none, thickness=1.5, width=4),
                error_y=interval(none, tall, thickness=1.5, width=4),
            ),
        ],
        xaxis=axis("false-positive rate, %", range=[-1, 101]),
        yaxis=axis("true-positive rate, %", range=[-1, 103]),
    )


def _roc_title(audit: PrivacyAudit) -> str:
    if audit.lower == 0:
        return "These draws do not tell the two datasets apart"
    alarm, detection, *_ = _corner(audit.best)
    limit = float(audit.claim.detection(alarm))
    said = (
        f"At a false-positive rate of {three_digits(alarm)} the true-positive rate is "
        f"{three_digits(detection)}; the guarantee allows {three_digits(limit)}"
    )
    if audit.refuted:
        return f"{said}, and chance does not explain the difference"
    return f"{said}, and chance explains the difference" if detection > limit else said


def events_table(audit: PrivacyAudit) -> list[dict[str, str]]:
    """Return both tested events, a row each, with what was counted."""
    return [
        {"event": count.event.text, "ε at least": lower_text(count.epsilon)}
        | {
            f"{side}, of {count.draws:,}": f"{hits:,}"
            for side, hits in zip(
                audit.trial.sides,
                (count.hits if count.event.likelier == WITH else count.hits[::-1]),
                strict=True,
            )
        }
        for count in audit.counts
    ]


def _region(claim: Guarantee, alarm: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the most and the least detections that the guarantee allows."""
    return claim.detection(alarm), 1 - claim.detection(1 - alarm)


def _corner(count: EventCount) -> tuple[float, float, float, float]:
    """Return alarm and detection of an event, and how far they may be off.

    An event for the second world names the first by not happening.
    """
    often, rare = (hits / count.draws for hits in count.hits)
    above, below = count.most - rare, often - count.least
    if count.event.likelier == WITH:
        return rare, often, above, below
    return 1 - often, 1 - rare, below, above


def lower_text(epsilon: float) -> str:
    """Return a lower bound with three digits, never rounded up.

    >>> lower_text(1.3399), lower_text(0.0)
    ('1.33', '0')
    """
    if epsilon <= 0:
        return "0"
    step = 10.0 ** (math.floor(math.log10(epsilon)) - 2)
    return significant(math.floor(epsilon / step) * step)


_CUT = 6.0


def audit_picture(audit: LabAudit, event: BoundEvent, *, expected: float) -> Picture:
    """Return the estimated log ratio with its confidence limits against the draws.

    From ``expected`` draws on the violation shows, on average.
    """
    setup, truth = event.setup, event.log_ratio()
    stroke = STYLES[setup.key]
    drawn = np.isfinite(audit.estimate)
    at = np.where(drawn, audit.estimate, 0.0)
    low, high = (np.clip(limit, -_CUT, _CUT) for limit in (audit.low, audit.high))
    caught = audit.caught_from(setup.epsilon)
    lines = [(setup.epsilon, f"claimed: at most {significant(setup.epsilon)}", GUIDE)]
    if math.isfinite(truth):
        lines.append(
            (
                truth,
                f"exact for this event: {significant(truth)}",
                LineStyle(color=stroke.color, width=2),
            )
        )
    ends = np.array([audit.draws[0] / 1.3, audit.draws[-1] * 1.3])
    highest = max(setup.epsilon, truth if math.isfinite(truth) else 0) + 1.5
    return Picture.of(
        _event_title(event, truth, expected, caught),
        {
            "draws per dataset": audit.draws.astype(np.int64),
            "seen, first dataset": audit.hits[0].astype(np.int64),
            "seen, second dataset": audit.hits[1].astype(np.int64),
            "log of ratio": audit.estimate,
            "at least": audit.low,
            "at most": audit.high,
        },
        drawn=f"Estimates of the log ratio of '{event.text}' after 1 to "
        f"{int(audit.draws[-1]):,} draws, with shrinking confidence bars",
        height=360,
        traces=[
            points(
                audit.draws,
                np.where(drawn, at, np.nan),
                "counted, 95% confidence",
                dot(stroke.color, 9, stroke.symbol),
                hover="%{x:,} draws: %{y:.3f}",
                error_y=interval(high - at, at - low, thickness=1.6, width=4),
            ),
            *(
                line(ends, [height, height], name, stroke, hover="")
                for height, name, stroke in lines
            ),
        ],
        xaxis=log_axis("draws per dataset", dtick=1),
        yaxis=axis("log of ratio", range=[min(-0.5, setup.epsilon - 1.5), highest]),
    )


def _event_title(event: BoundEvent, truth: float, expected: float, caught: float) -> str:
    claimed = significant(event.setup.epsilon)
    if math.isfinite(caught):
        return (
            f"Refuted: from {int(caught):,} draws on, the counts alone refute the claim of "
            f"{claimed}"
        )
    if math.isfinite(expected):
        return (
            f"Not refuted yet: this event breaks the guarantee ({significant(truth)} "
            f"instead of {claimed}), but it takes about {int(expected):,} draws to "
            "show"
        )
    return (
        f"Nothing to refute here: the log ratio of this event is {significant(truth)}, "
        f"within the claimed {claimed}"
    )
