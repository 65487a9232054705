"""What a text says of Figures 1 and 2 of Wang 2019, held against a run of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dpcore.studies.findings import Finding, Verdict
from dpcore.studies.individual.wang2019.figures import NestedLosses
from dpcore.studies.individual.wang2019.run import Design, Pane, Part, of_pane

_TENFOLD = 10.0
_SIX = (5.0, 7.0)
_SEVERAL_ORDERS = 1_000.0
_ABOUT = 0.15


def findings(design: Design, parts: Sequence[Part]) -> tuple[Finding, ...]:
    """Return what the text says of the figures, held against the run."""
    return (*_of_first(parts, tuned=design.tuned), _of_sizes(parts), _of_precisions(parts))


def _of_first(parts: Sequence[Part], *, tuned: bool) -> tuple[Finding, ...]:
    claims = {
        "1a": "People in the table lose more than ten times less than the guarantee.",
        "1b": "Everybody, in the table or not, loses about six times less.",
    }
    first = next((part.losses for part in of_pane(parts, Pane.NESTED)), None)
    if not isinstance(first, NestedLosses):
        return tuple(_unseen(key, claim) for key, claim in claims.items())
    table, everybody = first.times_in_table, first.times_for_all
    holds = {"1a": table > _TENFOLD, "1b": _SIX[0] <= everybody <= _SIX[1]}
    evidence = {
        "1a": f"The most exposed person in the table loses {_times(table)} times "
        f"less, the average one {_times(first.times_on_average)} times.",
        "1b": f"The worst newcomer that a search finds loses {_times(everybody)} "
        f"times less; proved of every newcomer are {_times(first.times_at_least)} "
        "times.",
    }
    sought = " The settings were sought so that it does: this is no evidence for it."
    return tuple(
        Finding(
            key=key,
            claim=claim,
            verdict=_verdict(holds=holds[key], tuned=tuned),
            evidence=evidence[key] + (sought if tuned and holds[key] else ""),
        )
        for key, claim in claims.items()
    )


def _of_sizes(parts: Sequence[Part]) -> Finding:
    claim = "With noise on the coefficients, losses fall about like one over the people."
    mine = of_pane(parts, Pane.BY_SIZE)
    people = [part.setting for part in mine]
    medians = [float(np.median(part.losses.losses)) for part in mine]
    if len(set(people)) < 2 or min(medians) <= 0:  # noqa: PLR2004 - two ends of a line
        return _unseen("2a", claim)
    power = _power(people, medians)
    told = f"From {people[0]:,g} to {people[-1]:,g} people the median"
    if power >= 0:
        return Finding(key="2a", claim=claim, verdict=Verdict.FAILS, evidence=f"{told} grows.")
    close = abs(power + 1) <= _ABOUT
    evidence = f"{told} falls like the number of people to the power {power:.2f}"
    if not close:
        evidence += f", where one over the people is -1 (about: within {_ABOUT:g})"
        last = _power(people[-2:], medians[-2:])
        if len(people) > 2:  # noqa: PLR2004 - more than the two ends
            evidence += (
                f"; between the last two, {people[-2]:,g} and {people[-1]:,g}, the "
                f"power is {last:.2f}"
            )
    return Finding(
        key="2a",
        claim=claim,
        verdict=Verdict.HOLDS if close else Verdict.DEPENDS,
        evidence=f"{evidence}.",
    )


def _power(people: Sequence[float], medians: Sequence[float]) -> float:
    return math.log(medians[-1] / medians[0]) / math.log(people[-1] / people[0])


def _of_precisions(parts: Sequence[Part]) -> Finding:
    claim = (
        "For a posterior sample the average loss is several orders of magnitude below "
        "the guarantee."
    )
    mine = of_pane(parts, Pane.BY_PRECISION)
    means = [float(part.losses.losses.mean()) for part in mine]
    factors = [part.losses.times_on_average for part in mine]
    if not factors:
        return _unseen("2b", claim)
    least, most = _times(min(factors)), _times(max(factors))
    between = f"{least} times" if least == most else f"{least} to {most} times"
    holds = max(factors) >= _SEVERAL_ORDERS
    why = (
        ""
        if holds
        else f" Several orders are read as {_SEVERAL_ORDERS:,.0f} times or more. Where "
        "the sample is precise the factor is larger, but every loss is, too; where it "
        "is imprecise the guarantee falls, and the average loss stops at about "
        f"{min(means):.3g}: a person also changes how far the sample scatters, and no "
        "loss of precision hides that."
    )
    return Finding(
        key="2b",
        claim=claim,
        verdict=_verdict(holds=holds, tuned=False),
        evidence=f"It is {between} below here.{why}",
    )


def _times(factor: float) -> str:
    if math.isinf(factor):
        return "infinitely many"
    return f"{factor:,.0f}" if factor >= 100 else f"{factor:.3g}"  # noqa: PLR2004 - 3 digits


def _verdict(*, holds: bool, tuned: bool) -> Verdict:
    if not holds:
        return Verdict.FAILS
    return Verdict.TUNED if tuned else Verdict.HOLDS


def _unseen(key: str, claim: str) -> Finding:
    return Finding(key=key, claim=claim, verdict=Verdict.UNSEEN, evidence="")
